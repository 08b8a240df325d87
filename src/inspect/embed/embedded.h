/* Classes that were embedded into a module before. */
#ifndef ILPI_EMBEDDED_H
#define ILPI_EMBEDDED_H

#include "inspect/inspector.h"

/* Whether a type belongs to any embedded inspector. */
bool ilpi_is_embedded(const struct ilp_image *image, ilp_rid type);

/* The class of this inspector in a module where it is embedded; 0: it is not. */
ilp_rid ilpi_embedded_class(const struct ilp_inspector *inspector, const struct ilp_image *image);

/* The embedded method that corresponds to `overload` of the inspector, whose assembly is
 * `inspector`; *found is 0 when there is none. */
ilp_status ilpi_embedded_method(const struct ilp_image *image, ilp_rid type,
                                const struct ilpi_overload *overload,
                                const struct ilp_image *inspector, struct ilpi_alloc *alloc,
                                ilp_rid *found, struct ilp_error *error);

/* "<ilpatch:ASSEMBLY>.NAMESPACE" */
void ilpi_embedded_namespace(const struct ilp_inspector *inspector, const char *name_space,
                             struct ilpi_buf *text);

#endif
