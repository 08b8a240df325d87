/* What the files of the command share: its start, its end without memory, its subcommands. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include "host/tool.h"

/* From now on messages are printed on standard error, "ilpatch: ...", one line each, in which names
 * of files, rules and methods cannot control a terminal; and the program ends if host/ runs out of
 * memory. */
void tool_begin(void);

/* A reporter that prints messages like that on `out`. */
struct reporter tool_reporter(FILE *out);

/* Ends the program with a message if memory has run out: unlike host/ and the library, the command
 * may do that. */
void *need(void *memory) __attribute__((returns_nonnull));

/* The subcommands: argv[0] is the subcommand's name. */
enum exit_code cmd_inspect(int argc, char **argv);
enum exit_code cmd_list(int argc, char **argv);
enum exit_code cmd_dump(int argc, char **argv);
enum exit_code cmd_diff(int argc, char **argv);
enum exit_code cmd_restore(int argc, char **argv);
enum exit_code cmd_rules(int argc, char **argv);
enum exit_code cmd_run(int argc, char **argv);
enum exit_code cmd_attach(int argc, char **argv);
enum exit_code cmd_detach(int argc, char **argv);
enum exit_code cmd_ps(int argc, char **argv);
enum exit_code cmd_doctor(int argc, char **argv);
enum exit_code cmd_explain(int argc, char **argv);
enum exit_code cmd_report(int argc, char **argv);
enum exit_code cmd_trace(int argc, char **argv);
enum exit_code cmd_tail(int argc, char **argv);
enum exit_code cmd_verify(int argc, char **argv);
enum exit_code cmd_resolve(int argc, char **argv);
enum exit_code cmd_bundle(int argc, char **argv);

#endif
