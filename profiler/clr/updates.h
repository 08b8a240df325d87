/* Modules that the program can update while it runs (Edit and Continue, Hot Reload). */
#ifndef ILPI_UPDATES_H
#define ILPI_UPDATES_H

#include "ilpatch.h"

/* The variable that allows this process to update a module compiled like that, NULL if it cannot be
 * updated. Static storage.
 *
 * A compiler that has only seen the file makes the update: it numbers rows and heap entries from
 * the file's end. If rows were added in between, their numbers collide, and the runtime refuses the
 * update. */
const char *updates_allowed_by(const struct ilp_image *image);

#endif
