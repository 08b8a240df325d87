/* A summary of the returned values of each method of a process: the input of the formats of values.
 * One pass over the spool; src/trace/value_summary.h has the bounds. */
#ifndef VALUE_REPORT_H
#define VALUE_REPORT_H

#include "tools/export/format.h"
#include "trace/histogram.h"
#include "trace/value_summary.h"

struct value_method {
    uint32_t method;    /* index into the process's methods, or their count: undefined */
    uint64_t returned;  /* calls that returned, with a recorded value or without */
    uint64_t unwound;   /* ended by an exception, */
    uint64_t tailcalls; /* by a tail call, */
    uint64_t unseen;    /* or at an unknown time, or not yet */
    struct ilpi_value_summary summary;
};

struct value_report {
    const struct trace *trace;
    struct exported_process traced;
    struct ilpi_alloc alloc;                  /* of the summaries, within that of the file */
    ILPI_LIST(struct value_method *) methods; /* those with values, by falling count */
    uint64_t values;                          /* of all of them */
    uint64_t silent;                          /* methods that only returned without a value */
    uint64_t lost;                            /* number of lost records */
    uint64_t begin; /* start of the first slot, and end, as times of the spool */
    uint64_t end;
    uint64_t slot; /* nanoseconds */
    uint32_t slot_count;
    struct value_method **of_method; /* owned, as is each; NULL: not called */
};

ilp_status value_report_open(struct value_report *report, const struct trace *trace,
                             const struct exported_process *traced, struct ilp_error *error);
void value_report_close(struct value_report *report);

/* ---- calls without a value, in the words of all text formats ---- */

struct value_end {
    uint64_t count;
    const char *what; /* "ended by an exception" */
};

#define VALUE_ENDS 4u
void value_method_ends(const struct value_method *method, struct value_end ends[VALUE_ENDS]);

/* ---- quantiles that all formats show ---- */

struct shown_quantile {
    const char *name; /* "p90" */
    double part;
};

#define SHOWN_QUANTILES 3u
extern const struct shown_quantile shown_quantiles[SHOWN_QUANTILES];

/* ---- texts ---- */

/* The name of a kind in JSON, and its plural. */
const char *value_kind_name(enum ilpi_value_kind kind);
const char *value_kind_text(enum ilpi_value_kind kind);

/* Room for a number with its unit. */
struct number_text {
    char text[40];
};

/* With the digits that are certain within this error, at most 15, and all of an integer.
 * VALUE_CLOCK as a time: "1.5 ms". */
const char *number_text(struct number_text *text, enum ilpi_value_kind unit, double number,
                        double error);

/* "[16, 32)", "[2^24, 2^25)", or the one number of the row. */
struct range_text {
    char text[96];
};
const char *range_text(struct range_text *text, enum ilpi_value_kind unit,
                       const struct ilpi_histogram *histogram, size_t row);

/* "1.5 ms" */
const char *duration_text(struct number_text *text, uint64_t nanoseconds);

#endif
