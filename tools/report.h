/* The answer for every method: counted for the summary, and written as JSON for --report. */
#ifndef REPORT_H
#define REPORT_H

#include "tool.h"

struct report {
    FILE *json;               /* NULL: count only */
    bool any_module;
    bool any_method;
    struct ilp_arena *arena;
    struct ilp_image *image;  /* of the module in work */
    uint32_t methods;
    uint32_t by_reason[ILP_REASON_COUNT];
    uint32_t sites;
    uint32_t tail_calls;      /* sites that stay */
    uint32_t unreachable;
    uint32_t jumps;
};

void report_begin(struct report *report, FILE *json);
void report_module_begin(struct report *report, struct ilp_image *image, const char *file,
                         const char *output);
struct ilp_report report_callbacks(struct report *report);

/* `written` is NULL when nothing was written, `error` unless something went wrong. */
void report_module_end(struct report *report, const struct ilp_write_info *written,
                       const struct ilp_error *error);

/* A module that could not be worked on at all: its place in the report says why. */
void report_module_failed(struct report *report, const char *file, const struct ilp_error *error);
void report_end(struct report *report);

/* "2337 of 4185 methods inspected; left as they are: 1717 void, 85 no-body" on `out`. */
void report_summary(const struct report *report, FILE *out);

#endif
