/* Whether two types are one and the same, though they are named in two images. */
#ifndef ILPI_TYPE_IDENTITY_H
#define ILPI_TYPE_IDENTITY_H

#include "metadata/resolve.h"
#include "sig/sig.h"

/* A type as it stands in a signature of an image. */
struct ilpi_placed_type {
    struct ilp_image *image;
    const struct ilp_type *type;
};

/* Whether two images are one module, by name and MVID: an inspector that the target refers to as
 * well is read twice. */
bool ilpi_same_module(const struct ilp_image *left, const struct ilp_image *right);

/* By definition, not by name: mscorlib's System.Decimal is System.Runtime's where both lead to one
 * TypeDef. What cannot be found is the same as nothing. Modifiers count; type parameters are never
 * the same. */
bool ilpi_same_type(struct ilpi_placed_type left, struct ilpi_placed_type right,
                    const struct ilp_resolver *resolver);

#endif
