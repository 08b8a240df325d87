/* What the process was started with: the variables that `ilpatch run` sets (see `ilpatch run
 * --print-env`). */
#ifndef ILPI_SETTINGS_H
#define ILPI_SETTINGS_H

#include "host/choice_options.h"
#include "host/color.h"
#include "host/profiler_environment.h"
#include "host/request.h"
#include "host/trace_options.h"
#include "host/value_options.h"

struct settings;

/* `text` is what ILPATCH_OPTIONS holds, or what comes with `ilpatch attach` (NULL: none is set):
 * options in one of their two forms (host/profiler_options.h). Rules are read, inspectors opened.
 * `unmanaged`: the profiler can show values itself; else the stock inspector does so in its place,
 * and options that need the profiler are refused. NULL: it was reported why not. */
struct settings *settings_open(const char *text, bool unmanaged);
void settings_close(struct settings *settings);

const struct request *settings_request(const struct settings *settings);

/* --id-map; NULL: there is none. */
const char *settings_id_map(const struct settings *settings);

/* Which values are shown: for choice_open(). */
const struct choice_settings *settings_choice(const struct settings *settings);

/* How values are written, and what of them is hidden. */
enum color settings_color(const struct settings *settings);
const struct value_settings *settings_values(const struct settings *settings);

/* The same for the stock inspector, which reads its environment when it is called first: what is
 * not usual there, be it by options or by the environment. */
void settings_add_variables(const struct settings *settings, struct variables *variables);

/* The profiler's own inspector, for modules that can call no other. */
const struct ilp_inspector *settings_unmanaged(const struct settings *settings);

/* Whether it is asked for, be it for the frameworks or by its name. */
bool settings_wants_unmanaged(const struct settings *settings);

/* Whether any other inspector is called, managed or native. */
bool settings_wants_others(const struct settings *settings);

/* Whether a command has written them, which has made the files that they name; else somebody has by
 * hand. */
bool settings_has_command(const struct settings *settings);

/* Whether assemblies of the shared frameworks are looked at. */
bool settings_wants_framework(const struct settings *settings);

/* --trace SPOOL: calls are written to this file, and nothing is inspected; trace_options.h has what
 * else there is to say. NULL: nothing is traced. Borrowed. */
const struct trace_settings *settings_trace(const struct settings *settings);

/* --spool: what the profiler's own inspector shows is recorded in this file. NULL: it writes lines.
 * Borrowed. */
const char *settings_spool(const struct settings *settings);

/* Whether somebody wants to know what the JIT makes of tail calls: --explain-tail, which inspects
 * nothing unless other options say which methods. */
bool settings_explains_tail_calls(const struct settings *settings);

/* Whether any are inspected or traced. */
bool settings_wants_methods(const struct settings *settings);

/* The folder of the runtime's own assemblies: what is found there is what runs, whichever
 * frameworks are installed. Borrowed. */
void settings_set_framework(struct settings *settings, const char *folder);

/* Where references of the module at `path` are found. Owned by the caller. */
struct references *settings_open_references(const struct settings *settings, const char *path);

#endif
