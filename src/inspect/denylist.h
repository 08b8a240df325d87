/* Methods of core libraries that are never inspected. */
#ifndef ILPI_DENYLIST_H
#define ILPI_DENYLIST_H

#include "metadata/image.h"

/* Why methods of a core library's type are never inspected. `name` is a method; NULL: any of the
 * type's methods; "*": all of them. NULL: they may be inspected. */
const char *ilpi_denylist_reason(const struct ilp_image *image, ilp_rid type, const char *method);

#endif
