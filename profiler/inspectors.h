/* The inspectors of a process that are assemblies: the stock one, which is the start-up hook and
 * loads the others, and those that --inspector and rules name. The hook runs in each process whose
 * methods call any of them.
 *
 * None is rewritten: the hook's own methods would call an inspector that is not loaded yet. No
 * method calls one until all are loaded, since the runtime looks for an assembly once, and
 * remembers that it was not found.
 *
 * Everything here is under the profiler's lock. */
#ifndef ILPI_INSPECTORS_H
#define ILPI_INSPECTORS_H

#include "host/request.h"

struct inspectors;

/* `request` is borrowed. NULL: the stock inspector cannot be opened. */
struct inspectors *inspectors_open(const struct request *request);
void inspectors_close(struct inspectors *inspectors);

/* An assembly has been loaded; the result: whether it was the last one that had to be. */
bool inspectors_note_loaded(struct inspectors *inspectors, const struct ilp_image *image);

/* The file of an inspector that is not loaded yet although the hook is; NULL: there is none.
 * Borrowed. */
const char *inspectors_missing(const struct inspectors *inspectors);

/* Whether a module is an inspector of the process, which is then in `error`. */
bool inspectors_include(const struct inspectors *inspectors, const struct ilp_image *image,
                        struct ilp_error *error);

/* A referenced assembly that lies beside an inspector: the runtime looks there for what the program
 * does not have itself (Assembly.LoadFrom). NULL: there is none. */
struct ilp_image *inspectors_find_beside(struct inspectors *inspectors,
                                         const struct ilp_assembly_name *name);

#endif
