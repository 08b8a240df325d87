/* The inspectors of a process that are assemblies: the stock one, which is the start-up hook and
 * loads the others, and those that --inspector and rules name. The hook runs in each process whose
 * methods call any of them.
 *
 * None of them is rewritten: the hook's own methods would call an inspector that is not loaded yet.
 * No method calls one until all are loaded, since the runtime searches for an assembly once, and
 * caches a failure.
 *
 * Everything here is under the profiler's lock. */
#ifndef ILPI_INSPECTORS_H
#define ILPI_INSPECTORS_H

#include "host/request.h"

struct inspectors;

/* `request` is borrowed. NULL: the stock inspector cannot be opened. */
struct inspectors *inspectors_open(const struct request *request);
void inspectors_close(struct inspectors *inspectors);

/* An assembly was loaded; returns whether all required ones are loaded now. */
bool inspectors_note_loaded(struct inspectors *inspectors, const struct ilp_image *image);

/* The file of an inspector that is not loaded although the hook is; NULL: none. Borrowed. */
const char *inspectors_missing(const struct inspectors *inspectors);

/* Whether a module is an inspector of the process; then `error` says so. */
bool inspectors_include(const struct inspectors *inspectors, const struct ilp_image *image,
                        struct ilp_error *error);

/* A referenced assembly beside an inspector: the runtime searches there for what the program lacks
 * (Assembly.LoadFrom). NULL: none. */
struct ilp_image *inspectors_find_beside(struct inspectors *inspectors,
                                         const struct ilp_assembly_name *name);

#endif
