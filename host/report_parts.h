/* The parts of a report that are the same for files (report.h) and for processes (profiler/process_report.h).
 * docs/REPORT.md describes them. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "host/tool.h"

/* LEAD"KEY": "text" */
void report_key(FILE *json, const char *lead, const char *key, const char *text);

/* A method, on a line of its own, without a comma. `affected` says why a bug concerns it; NULL: that was not asked. The
 * arena is emptied. False: no memory, and nothing was written. */
bool report_method(FILE *json, struct ilp_image *image, struct ilp_arena *arena, ilp_token method,
                   const struct ilp_method_result *result, const char *affected);

/* The three members about an error, with a comma in front. */
void report_error(FILE *json, const struct ilp_error *error);

/* "summary": {...}, the numbers of a module. */
void report_module_summary(FILE *json, uint32_t methods, uint32_t sites, const uint32_t by_reason[ILP_REASON_COUNT]);

/* The numbers of a module of a process: "summary": {...}, owned by the caller; NULL: no memory. */
struct report_summary {
    uint32_t methods;
    uint32_t sites;
    uint32_t by_reason[ILP_REASON_COUNT];
};
void report_summary_add(struct report_summary *summary, const struct ilp_method_result *result);
char *report_summary_text(const struct report_summary *summary);

/* A rule, on a line of its own, without a comma. */
void report_rule(FILE *json, struct ilp_rules *rules, uint32_t number, uint32_t methods, uint32_t inspected);

/* Whether it is the answer of a method that was changed: one that returns a value, sets the result of an async method, or
 * yields those of an iterator; and how many have such an answer. */
bool report_is_inspected(enum ilp_reason reason);
uint32_t report_inspected(const uint32_t by_reason[ILP_REASON_COUNT]);

#endif
