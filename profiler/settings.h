/* The settings of the process: from the variables that `ilpatch run` sets (see `ilpatch run
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

/* `text` is ILPATCH_OPTIONS, or comes from `ilpatch attach` (NULL: not set): options in either form
 * (host/profiler_options.h). Rules are read, inspectors opened. `unmanaged`: the profiler can show
 * values itself; else the stock inspector does so in its place, and options that need the profiler
 * are refused. NULL: the reason was reported. */
struct settings *settings_open(const char *text, bool unmanaged);
void settings_close(struct settings *settings);

const struct request *settings_request(const struct settings *settings);

/* --id-map; NULL: none. */
const char *settings_id_map(const struct settings *settings);

/* Which values are shown: for choice_open(). */
const struct choice_settings *settings_choice(const struct settings *settings);

/* How values are written, and which are hidden. */
enum color settings_color(const struct settings *settings);
const struct value_settings *settings_values(const struct settings *settings);

/* The same for the stock inspector, which reads its environment at its first call: settings that
 * differ from the default, by options or by the environment. */
void settings_add_variables(const struct settings *settings, struct variables *variables);

/* The profiler's own inspector, for modules that can call no other. */
const struct ilp_inspector *settings_unmanaged(const struct settings *settings);

/* Whether it is requested, for the frameworks or by name. */
bool settings_wants_unmanaged(const struct settings *settings);

/* Whether any other inspector is called, managed or native. */
bool settings_wants_others(const struct settings *settings);

/* Whether a command has written the options, and made the files that they name; otherwise they were
 * set by hand. */
bool settings_has_command(const struct settings *settings);

/* Whether assemblies of the shared frameworks are included. */
bool settings_wants_framework(const struct settings *settings);

/* --trace SPOOL: calls are recorded in this file, and nothing is inspected; trace_options.h has the
 * other settings. NULL: no trace. Borrowed. */
const struct trace_settings *settings_trace(const struct settings *settings);

/* --spool: what the profiler's own inspector shows is recorded in this file. NULL: it writes lines.
 * Borrowed. */
const char *settings_spool(const struct settings *settings);

/* Whether the JIT's verdicts on tail calls are requested: --explain-tail, which inspects nothing
 * unless other options select methods. */
bool settings_explains_tail_calls(const struct settings *settings);

/* Whether any methods are inspected or traced. */
bool settings_wants_methods(const struct settings *settings);

/* The folder of the runtime's own assemblies: those are used, whatever frameworks are installed.
 * Borrowed. */
void settings_set_framework(struct settings *settings, const char *folder);

/* Where references of the module at `path` are found. Owned by the caller. */
struct references *settings_open_references(const struct settings *settings, const char *path);

#endif
