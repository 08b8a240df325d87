/* Selects the returned values of a spool to write: by method, by text, by time, and the first N. */
#ifndef VALUE_FILTER_H
#define VALUE_FILTER_H

#include "base/pattern.h"
#include "host/options.h"
#include "tools/tool.h"
#include "trace/calls.h"

/* Options, as given; NULL: not given. */
struct value_filter_options {
    const char *method; /* with wildcards: "Shop.*::Total", or with '.' for "::" */
    const char *grep;   /* a regular expression, anywhere in the value's text */
    const char *from;   /* durations since the first process began */
    const char *until;
    const char *limit;
};

/* Takes one of these options; false for any other. */
bool value_filter_option(struct value_filter_options *options, enum option_id option,
                         const char *value);

/* The first given option, for example "method"; NULL: none. */
const char *value_filter_given(const struct value_filter_options *options);

/* The same, parsed. */
struct value_filter {
    struct ilpi_alloc alloc;                /* of the two below */
    struct ilpi_pattern_compiler *compiler; /* NULL without --grep, as is the matcher */
    struct ilpi_pattern_matcher *matcher;
    struct ilpi_pattern method; /* text.data NULL: any */
    struct ilpi_pattern grep;   /* the same */
    char *method_text;          /* owned; borrowed by `method` */
    /* times in ns, both included; a number of values. UINT64_MAX: unlimited */
    uint64_t from, until, limit;
    uint64_t taken; /* values accepted until now, over all processes */
};

/* Errors are reported for `command`. Close it in any case. */
enum exit_code value_filter_open(struct value_filter *filter,
                                 const struct value_filter_options *options, const char *command);
void value_filter_close(struct value_filter *filter);

/* Whether a value of `method` ("Type.Name") is written. `readable` is its other name, with `data`
 * NULL if there is none; `time` is relative to the start of the first process. NULL accepts all. */
bool value_filter_takes(struct value_filter *filter, struct ilp_bytes method,
                        struct ilp_bytes readable, uint64_t time, struct ilp_bytes value);

#endif
