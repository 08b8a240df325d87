/* How many bytes a value has, as CoreCLR lays it out. */
#ifndef ILPI_VALUE_SIZE_H
#define ILPI_VALUE_SIZE_H

#include "metadata/resolve.h"
#include "sig/sig.h"

/* The size of a value of `type`, which stands in a signature of `image`, where pointers have `pointer`
 * bytes: 4 or 8. An object is a pointer to it.
 *
 * *size is 0 where it cannot be told for sure: a type that is not found, or found only in a reference
 * assembly; a type parameter whose size counts; Vector<T>, whose size the machine decides; definitions that
 * no runtime loads. *unresolved (may be NULL) is then the TypeDef or TypeRef of `image` that could not be
 * followed to its end, or 0 where nothing is missing.
 *
 * No input costs more than a fixed number of steps; they are not shared between calls, so a caller that asks
 * for many signatures remembers the answers. `scratch` holds signatures and fields afterwards; the caller
 * resets it. Errors are for memory. */
ilp_status ilpi_value_size(struct ilp_image *image, const struct ilp_type *type,
                           const struct ilp_resolver *resolver, uint32_t pointer,
                           struct ilp_arena *scratch, uint32_t *size, ilp_token *unresolved,
                           struct ilp_error *error);

/* Whether a value of `type` is an object reference or holds one; ILP_UNKNOWN where its fields are not all known. Byref-like
 * types, whose references are others, are not for this. The rest as above. */
ilp_status ilpi_value_references(struct ilp_image *image, const struct ilp_type *type,
                                 const struct ilp_resolver *resolver, struct ilp_arena *scratch,
                                 enum ilp_truth *holds, ilp_token *unresolved, struct ilp_error *error);

/* Of a primitive value type; `pointer` for those whose size the machine decides, 0 for any other type. */
uint32_t ilpi_primitive_size(unsigned element, uint32_t pointer);

#endif
