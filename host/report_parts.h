/* The parts of a report that are the same for files (report.h) and processes
 * (profiler/process_report.h). docs/REPORT.md describes them. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "base/json.h"
#include "host/tool.h"
#include "inspect/reasons.h"

struct reported_method {
    ilp_token token;
    const struct ilp_method_result *result;
    const char *affected; /* why a bug affects it; NULL: not requested */
};

/* A method, as an element. The arena is reset. False: no memory, and nothing was written. */
bool report_method(struct ilpi_json *json, struct ilp_image *image, struct ilp_arena *arena,
                   const struct reported_method *method);

/* The three members of an error. */
void report_error(struct ilpi_json *json, const struct ilp_error *error);

/* The numbers of a module, and its member "summary". */
struct report_summary {
    uint32_t methods;
    uint32_t sites;
    uint32_t by_reason[ILPI_REASON_COUNT];
};
void report_summary_add(struct report_summary *summary, const struct ilp_method_result *result);
void report_module_summary(struct ilpi_json *json, const struct report_summary *summary);

/* A rule, as an element. */
void report_rule(struct ilpi_json *json, struct ilp_rules *rules, uint32_t number, uint32_t methods,
                 uint32_t inspected);

/* Whether it is the answer of a changed method: one that returns a value, sets the result of an
 * async method, or yields values of an iterator; and the number of such answers. */
bool report_is_inspected(enum ilp_reason reason);
uint32_t report_inspected(const uint32_t by_reason[ILPI_REASON_COUNT]);

/* The reason with this code; ILPI_REASON_COUNT: none. */
enum ilp_reason report_reason_of(const char *code, size_t size);

#endif
