/* What the profiler is asked to do: written by the command, read in the process. As text it has two
 * forms, of which each gives the same (docs/PROFILER.md, "Options"):
 *
 *   command-version=0.1.0;framework=1;rules=/a/b.xml    from program to program
 *   --framework --rules /a/b.xml                        by hand, and by --print-env
 *
 * The first one is known by its first key. In both a backslash stands before a separator and a
 * backslash that belong to a value. */
#ifndef PROFILER_OPTIONS_H
#define PROFILER_OPTIONS_H

#include "host/choice_options.h"
#include "host/request.h"
#include "host/trace_options.h"
#include "host/value_options.h"

/* PROFILER_FIELDS(FIELD): FIELD(ID, FIELD), with an ID of host/options.def: all that PROFILER
 * takes there, in the order in which they are written. */
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

/* Zeroed before anything is set; all texts are borrowed. */
struct profiler_options {
    const char *command_version; /* of the command that wrote them; NULL: written by hand */
    struct trace_settings trace; /* without a spool there is none */
    bool inspect_returns;        /* what no rule decides about, too */
    bool framework;              /* the frameworks' assemblies, too */
    bool explain_tail;           /* report what the JIT makes of tail calls */
    struct option_choice color;  /* of lines: enum color (host/color.h) */
    const char *spool;           /* values are recorded there, and no lines are written */
    const char *id_map;
    struct choice_options choice;
    struct value_options value;
    struct request_options request;
};

void profiler_options_close(struct profiler_options *options);

/* Takes any of these options from the command line of a command; false for any other. */
bool profiler_option(struct profiler_options *options, enum option_id option, const char *value);

/* What is wrong with a text. */
enum profiler_options_fault {
    PROFILER_OPTIONS_RIGHT,
    PROFILER_OPTIONS_OF_OTHER_VERSION, /* `value` of the command */
    PROFILER_OPTIONS_UNKNOWN_KEY,      /* `key` */
    PROFILER_OPTIONS_WRONG_VALUE,      /* `value` of `option`, which is in both forms */
    PROFILER_OPTIONS_NO_COMMAND_LINE,  /* it would not be right behind `ilpatch run` */
    PROFILER_OPTIONS_NO_MEMORY
};
struct profiler_options_error {
    enum profiler_options_fault fault;
    const char *key;
    const char *value;
    enum option_id option;
    const char *expected; /* the right values; NULL: one of the option's words */
};

/* Reads either form. `text` is changed, and the options and the error borrow from it. False: *error
 * says why, and the options are to be closed all the same. */
bool profiler_options_read(struct profiler_options *options, char *text,
                           struct profiler_options_error *error);

/* The options as a command line, or for a profiler of the same version. Paths become full ones,
 * since a process may have another folder. Owned by the caller; NULL: no memory. */
char *profiler_options_command_line(const struct profiler_options *options);
char *profiler_options_text(const struct profiler_options *options);

/* Two such texts put together: what says which methods is from the second one, all else from the
 * first. Owned by the caller; NULL: no memory, or one of them is wrong. */
char *profiler_options_with_rules(const char *options, const char *rules);

/* The names of what `wanted` gives, and `held` has not or has otherwise: "--when, --json", or "" if
 * all can go on as it is. What each command does for itself is not compared, nor what attach adds
 * by itself. Owned by the caller; NULL: no memory, or one of them is wrong. */
char *profiler_options_conflicts(const char *held, const char *wanted);

#endif
