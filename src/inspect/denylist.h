/* Methods of core libraries that are never inspected. */
#ifndef ILPI_DENYLIST_H
#define ILPI_DENYLIST_H

#include "metadata/image.h"

/* Why a method of a core library's type is never inspected, or, with NULL, any of its methods, or,
 * with "*", all of them; NULL: it may be. */
const char *ilpi_denylist_reason(const struct ilp_image *image, ilp_rid type, const char *method);

#endif
