/* The report of a process as far as it is known, for when the process ends without a shutdown:
 * FILE.part-PID beside the report, a whole JSON document at any moment. Each method is one write,
 * which puts the document's end again after it; so neither a kill nor a full disk leaves anything
 * that is no JSON. `ilpatch run` makes it the report of such a process.
 *
 * Methods stand as they came, in one module's entry after the other: so a module can have several.
 * What is only known at the end (rules, native code that was refused) is not in it. */
#ifndef ILPI_PARTIAL_REPORT_H
#define ILPI_PARTIAL_REPORT_H

#include <stdbool.h>

#include "base/json.h"

struct partial_report;

/* What the process's report has, too. Each leaves the list open that it ends with. */
struct partial_report_parts {
    /* the document, up to the list of modules */
    void (*head)(void *user, struct ilpi_json *json);
    /* a module's entry, up to the list of methods */
    void (*module)(const void *module, struct ilpi_json *json);
    void *user;
};

/* What keeps it from being written is reported (status.h), and then there is none: NULL, which all
 * others take. `parts` is copied. */
struct partial_report *partial_report_open(const char *report,
                                           const struct partial_report_parts *parts);

/* `method` is the JSON of an object. A module's entry begins when it is not the module of the
 * method before. */
void partial_report_method(struct partial_report *partial, const void *module,
                           struct ilp_bytes method, const struct ilp_method_result *result);

/* The module goes, and another one may get its address. */
void partial_report_leave(struct partial_report *partial, const void *module);

/* The report itself is there now, or nobody wants it any more. */
void partial_report_end(struct partial_report *partial);

#endif
