/* The report of a process as far as it is known, for when the process ends without a shutdown: FILE.part-PID beside the report,
 * a whole JSON document at any moment. Each method is one write, which puts the document's end anew behind it; so neither a
 * kill nor a full disk leaves anything that is no JSON. `ilpatch run` makes it the report of such a process.
 *
 * Methods stand as they came, in one module's entry after the other: so a module can have several. What is only known at the
 * end (rules, native code that was refused) is not in it. */
#ifndef ILPI_REPORT_SO_FAR_H
#define ILPI_REPORT_SO_FAR_H

#include <stdbool.h>

#include "ilpatch.h"

struct report_so_far;

/* `head` is the document up to its first module. What keeps it from being written is told (status.h), and then there is none:
 * NULL, which all others take. */
struct report_so_far *report_so_far_open(const char *report, const char *head);

/* Whether the entry of this module is open, so that the next method needs no beginning. */
bool report_so_far_is_in(const struct report_so_far *so_far, const void *module);

/* `begin` is a module's entry up to its first method, taken when `module` is not the one before; `method` is the object. */
void report_so_far_method(struct report_so_far *so_far, const void *module, const char *begin, const char *method,
                          const struct ilp_method_result *result);

/* The module goes, and another one may get its address. */
void report_so_far_leave(struct report_so_far *so_far, const void *module);

/* The report itself is there now, or nobody wants it any more. */
void report_so_far_end(struct report_so_far *so_far);

#endif
