/* The partial report of a process, in case it ends without a shutdown: FILE.part-PID beside the
 * report, a complete JSON document at any moment. Each method is one write, which also rewrites the
 * document's end; so neither a kill nor a full disk leaves invalid JSON. `ilpatch run` makes it the
 * report of such a process.
 *
 * Methods are in order of their decisions, in entries of their modules: a module may have several.
 * What is only known at the end (rules, rejected native code) is missing. */
#ifndef ILPI_PARTIAL_REPORT_H
#define ILPI_PARTIAL_REPORT_H

#include <stdbool.h>

#include "base/json.h"

struct partial_report;

/* Parts shared with the process's report. Each leaves open the list that it ends with. */
struct partial_report_parts {
    /* the document, up to the list of modules */
    void (*head)(void *user, struct ilpi_json *json);
    /* a module's entry, up to the list of methods */
    void (*module)(const void *module, struct ilpi_json *json);
    void *user;
};

/* A failure to write is reported (status.h), and then there is none: NULL, which all others accept.
 * `parts` is copied. */
struct partial_report *partial_report_open(const char *report,
                                           const struct partial_report_parts *parts);

/* `method` is the JSON of an object. Begins a module's entry if it is another module than the last
 * method's. */
void partial_report_method(struct partial_report *partial, const void *module,
                           struct ilp_bytes method, const struct ilp_method_result *result);

/* The module is unloaded, and its address may be reused. */
void partial_report_leave(struct partial_report *partial, const void *module);

/* The report itself is complete, or not needed any more. */
void partial_report_end(struct partial_report *partial);

#endif
