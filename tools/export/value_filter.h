/* Which of the returned values in a spool are written: those of some methods, with some text, from
 * a part of the time, the first of them. */
#ifndef VALUE_FILTER_H
#define VALUE_FILTER_H

#include "base/pattern.h"
#include "host/options.h"
#include "tools/tool.h"
#include "trace/calls.h"

/* Options, as they are given; NULL: not given. */
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

/* The first that is given, "method" say; NULL: none. */
const char *value_filter_given(const struct value_filter_options *options);

/* The same, read. */
struct value_filter {
    struct ilpi_alloc alloc;
    struct ilpi_pattern_compiler *compiler;
    struct ilpi_pattern_matcher *matcher;
    struct ilpi_pattern method; /* text.data NULL: any */
    struct ilpi_pattern grep;   /* the same */
    char *method_text;
    uint64_t from, until, limit; /* ns; UINT64_MAX: for ever, any number */
    uint64_t taken;
};

/* What is wrong has been reported, as `command`'s. To be closed in any case. */
enum exit_code value_filter_open(struct value_filter *filter,
                                 const struct value_filter_options *options, const char *command);
void value_filter_close(struct value_filter *filter);

/* Whether what a call of `method` ("Type.Name") returned is written. `readable` is its other name,
 * whose `data` is NULL if it has none; `time` is counted from the first process's beginning. NULL
 * takes all. */
bool value_filter_takes(struct value_filter *filter, struct ilp_bytes method,
                        struct ilp_bytes readable, uint64_t time, struct ilp_bytes value);

#endif
