/* --report of a process: the outcome of every queried method, as JSON (docs/REPORT.md). It is
 * written when the process ends, in one piece; until then it is kept as text, since modules may be
 * unloaded earlier. */
#ifndef ILPI_PROCESS_REPORT_H
#define ILPI_PROCESS_REPORT_H

#include "profiler/clr/corprof.h"
#include "host/report_parts.h"
#include "host/request.h"

struct module;
struct process_report;

/* NULL: not requested, `path` is NULL or ""; or no memory (host/memory.h). `request` is
 * borrowed. */
struct process_report *process_report_open(const char *path, const struct request *request,
                                           const char *runtime);
void process_report_close(struct process_report *report);

/* All of them are no-ops without a report. */
void process_report_method(struct process_report *report, struct module *module, ilp_token method,
                           const struct ilp_method_result *result);

/* A method that is not rewritten because of an error. */
void process_report_failed(struct process_report *report, struct module *module, ilp_token method,
                           const struct ilp_error *error);

/* A module that is left alone, for this reason ("framework", "no-image") or because of an error. */
void process_report_left(struct process_report *report, const char *path, const char *reason,
                         const struct ilp_error *error);

/* A module with its methods; it is complete. */
void process_report_module(struct process_report *report, struct module *module);

/* An inspector that threw this exception, and was not called any more. */
void process_report_switched_off(struct process_report *report, const char *inspector,
                                 const char *exception, const char *message);

/* Writes the file, unless it is incomplete for lack of memory; failures are reported (status.h). */
void process_report_write(struct process_report *report);

#endif
