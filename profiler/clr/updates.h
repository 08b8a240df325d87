/* Modules that the program can update while it runs (Edit and Continue, Hot Reload). */
#ifndef ILPI_UPDATES_H
#define ILPI_UPDATES_H

#include "ilpatch.h"

/* The variable that lets this process update a module compiled like that, NULL when it cannot be
 * updated. Static storage.
 *
 * An update is made by a compiler that has only seen the file: its rows and heaps are numbered from
 * the file's end. Rows that were added in between have these numbers already, and the runtime then
 * refuses the update. */
const char *updates_allowed_by(const struct ilp_image *image);

#endif
