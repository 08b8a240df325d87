/* The options for which returned values are shown, and what is shown with them: the same for
 * `ilpatch run`, `ilpatch attach` and, through ILPATCH_OPTIONS, for the profiler, which does the
 * choosing (profiler/choice.h). */
#ifndef CHOICE_OPTIONS_H
#define CHOICE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "condition/condition.h"
#include "host/option_fields.h"
#include "host/tool.h"

/* CHOICE_FIELDS(FIELD): FIELD(ID, FIELD), with an ID of host/options.def. */
#define CHOICE_FIELDS(FIELD)        \
    FIELD(WHEN, when)               \
    FIELD(SAMPLE, sample)           \
    FIELD(RATE, rate)               \
    FIELD(METHOD_RATE, method_rate) \
    FIELD(MAX_COST, max_cost)       \
    FIELD(LIMIT, limit)             \
    FIELD(FOR, duration)            \
    FIELD(TIME, time)               \
    FIELD(THREAD, thread)           \
    FIELD(JSON, json)               \
    FIELD(COUNTS, count)

/* As given, zeroed before the first. All texts are borrowed. */
struct choice_options {
    const char *when;        /* a condition (docs/CONDITIONS.md) */
    const char *sample;      /* "1/100" */
    const char *rate;        /* "100/s" */
    const char *method_rate; /* the same, per method; "0": unlimited */
    const char *max_cost;    /* "1%"; "0": unlimited */
    const char *limit;       /* "1000" */
    const char *duration;    /* "30s" */
    bool time, thread, json, count;
};

/* The default of `ilpatch attach`: a process that others need should not be slowed down unasked. */
#define ATTACH_METHOD_RATE "1000/s"
#define ATTACH_MAX_COST    "5%"

/* Takes one of these options; false for any other. */
bool choice_option(struct choice_options *options, enum option_id option, const char *value);

/* The first given option, for example "when"; NULL: none. */
const char *choice_given(const struct choice_options *options);

/* The same, parsed. */
struct choice_settings {
    struct ilpi_condition *when; /* NULL: every value; owned */
    uint32_t sample;             /* one of this many; 1: all */
    uint32_t rate;               /* at most this many per period; 0: unlimited */
    uint64_t period;             /* ns */
    uint32_t method_rate;        /* the same, per method */
    uint64_t method_period;
    uint32_t max_cost; /* of one processor, in percent, for a method; 0: unlimited */
    uint64_t limit;    /* this many, then none; 0: unlimited */
    uint64_t duration; /* ns from the profiler's start; 0: unlimited */
    bool time, thread, json;
    bool count; /* print counts of values per method instead of the values */
};

/* Whether a condition cannot be tested at the end of a call; the reason, after its name. */
bool choice_cannot_test(const struct ilpi_condition *when, char *why, size_t size);

/* Whether a condition needs the entry of a call, for arguments or time. NULL is allowed. */
bool choice_needs_entry(const struct ilpi_condition *when);

/* Errors are reported for `command`; NULL: in a process. Close it in any case. */
enum exit_code choice_read(struct choice_settings *settings, const struct choice_options *options,
                           const char *command);
void choice_settings_close(struct choice_settings *settings);

#endif
