/* How a changed file is written: the options for it, in the same words for every command that
 * writes one. */
#ifndef WRITE_OPTIONS_H
#define WRITE_OPTIONS_H

#include <getopt.h>

#include "host/file_io.h"

enum { OPTION_STRONG_NAME = 768, OPTION_KEY, OPTION_WITH_CALLERS, OPTION_VERIFY, OPTION_SYMBOLS, OPTION_COMPACT };

/* For a command's table of long options. */
#define WRITE_OPTIONS                                             \
    {"strong-name", required_argument, NULL, OPTION_STRONG_NAME}, \
    {"with-callers", no_argument, NULL, OPTION_WITH_CALLERS},     \
    {"key", required_argument, NULL, OPTION_KEY},                 \
    {"verify", no_argument, NULL, OPTION_VERIFY},                 \
    {"symbols", required_argument, NULL, OPTION_SYMBOLS},         \
    {"compact", no_argument, NULL, OPTION_COMPACT}

/* For a command's help. */
#define WRITE_OPTIONS_HELP                                                                         \
    "      --strong-name WHAT    keep key and signature, which no longer fits, clear both, or "    \
    "sign anew\n"                                                                                  \
    "      --key KEY.snk         sign with this key, which is the one that FILE was signed with\n" \
    "      --compact             lay the file out anew, without bytes that nothing leads to\n"     \
    "      --with-callers        drop native code of others that may hold copies of changed methods\n" \
    "      --verify              verify the result before it is put in place: nothing may be wrong\n" \
    "                            that was not wrong before\n" \
    "      --symbols WHAT        update the PDB (beside FILE or embedded; the default), drop the\n"    \
    "                            link to it, or keep it though it no longer matches\n"

/* As they are given, borrowed from the command line; and for the library. */
struct write_request {
    const char *strong_name;
    const char *key;
    bool verify;
    const char *symbols;
    struct file_view key_file;
    struct ilp_write_options options;
    bool with_callers;
};

/* Takes one of the options above; false for any other. */
bool write_option(struct write_request *request, int option, const char *value);

/* Fills request->options. What makes no sense is told. `command` is for messages. */
enum exit_code write_request_open(struct write_request *request, const char *command);
void write_request_close(struct write_request *request);

/* Whether any was given. */
bool write_request_is_empty(const struct write_request *request);

#endif
