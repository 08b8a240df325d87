/* The report of a process as far as it is known, for when the process ends without a shutdown: FILE.part-PID beside the report,
 * a whole JSON document at any moment. Each method is one write, which puts the document's end anew behind it; so neither a
 * kill nor a full disk leaves anything that is no JSON. `ilpatch run` makes it the report of such a process.
 *
 * Methods stand as they came, in one module's entry after the other: so a module can have several. What is only known at the
 * end (rules, native code that was refused) is not in it. */
#ifndef ILPI_PARTIAL_REPORT_H
#define ILPI_PARTIAL_REPORT_H

#include <stdbool.h>

#include "ilpatch.h"

struct partial_report;

/* `head` is the document up to its first module. What keeps it from being written is told (status.h), and then there is none:
 * NULL, which all others take. */
struct partial_report *partial_report_open(const char *report, const char *head);

/* Whether the entry of this module is open, so that the next method needs no beginning. */
bool partial_report_is_in(const struct partial_report *partial, const void *module);

/* `begin` is a module's entry up to its first method, taken when `module` is not the one before; `method` is the object. */
void partial_report_method(struct partial_report *partial, const void *module, const char *begin, const char *method,
                          const struct ilp_method_result *result);

/* The module goes, and another one may get its address. */
void partial_report_leave(struct partial_report *partial, const void *module);

/* The report itself is there now, or nobody wants it any more. */
void partial_report_end(struct partial_report *partial);

#endif
