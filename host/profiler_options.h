/* The profiler's options: written by the command, read in the process. As text they have two
 * equivalent forms (docs/PROFILER.md, "Options"):
 *
 *   command-version=1.0.0;framework=1;rules=/a/b.xml    from program to program
 *   --framework --rules /a/b.xml                        by hand, and by --print-env
 *
 * The first one is recognised by its first key. In both, separators and backslashes inside values
 * are escaped by a backslash. */
#ifndef PROFILER_OPTIONS_H
#define PROFILER_OPTIONS_H

#include "host/choice_options.h"
#include "host/request.h"
#include "host/trace_options.h"
#include "host/value_options.h"

/* PROFILER_FIELDS(FIELD): FIELD(ID, FIELD), with an ID of host/options.def: all options of
 * PROFILER, in the order of writing. */
#define PROFILER_FIELDS(FIELD)              \
    FIELD(COMMAND_VERSION, command_version) \
    FIELD(TRACE, trace.spool)               \
    FIELD(OWN_SPOOL, trace.own_spool)       \
    FIELD(INSPECT_RETURNS, inspect_returns) \
    FIELD(FRAMEWORK, framework)             \
    FIELD(EXPLAIN_TAIL, explain_tail)       \
    FIELD(COLOR, color)                     \
    FIELD(SPOOL, spool)                     \
    FIELD(ID_MAP, id_map)

/* Zero it first; all texts are borrowed. */
struct profiler_options {
    const char *command_version; /* of the command that wrote them; NULL: written by hand */
    struct trace_settings trace; /* only used with a spool */
    bool inspect_returns;        /* also methods that no rule decides about */
    bool framework;              /* also the frameworks' assemblies */
    bool explain_tail;           /* report what the JIT makes of tail calls */
    struct option_choice color;  /* of lines: enum color (host/color.h) */
    const char *spool;           /* record values there instead of writing lines */
    const char *id_map;
    struct choice_options choice;
    struct value_options value;
    struct request_options request;
};

void profiler_options_close(struct profiler_options *options);

/* Takes any of these options from a command line; false for others. */
bool profiler_option(struct profiler_options *options, enum option_id option, const char *value);

/* What is wrong with a text. */
enum profiler_options_fault {
    PROFILER_OPTIONS_RIGHT,
    PROFILER_OPTIONS_OF_OTHER_VERSION, /* `value` is the command's version */
    PROFILER_OPTIONS_UNKNOWN_KEY,      /* `key` */
    PROFILER_OPTIONS_WRONG_VALUE,      /* `value` of `option`, in either form */
    PROFILER_OPTIONS_NO_COMMAND_LINE,  /* it would be invalid after `ilpatch run` */
    PROFILER_OPTIONS_NO_MEMORY
};
struct profiler_options_error {
    enum profiler_options_fault fault;
    const char *key;
    const char *value;
    enum option_id option;
    const char *expected; /* the valid values; NULL: one of the option's words */
};

/* Reads either form. `text` is modified, and the options and the error borrow from it. False:
 * *error has the reason, and the options must still be closed. */
bool profiler_options_read(struct profiler_options *options, char *text,
                           struct profiler_options_error *error);

/* The options as a command line, or for a profiler of the same version. Paths become absolute,
 * since a process may have another current folder. Owned by the caller; NULL: no memory. */
char *profiler_options_command_line(const struct profiler_options *options);
char *profiler_options_text(const struct profiler_options *options);

/* Merges two such texts: the method selection is taken from the second, everything else from the
 * first. Owned by the caller; NULL: no memory, or one is invalid. */
char *profiler_options_with_rules(const char *options, const char *rules);

/* The names of options that `wanted` gives, and `held` lacks or has otherwise: "--when, --json", or
 * "" if there are none. Options that each command handles itself are not compared, nor attach's
 * defaults. Owned by the caller; NULL: no memory, or one is invalid. */
char *profiler_options_conflicts(const char *held, const char *wanted);

#endif
