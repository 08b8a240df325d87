/* Resolves references to types, across assemblies (II.7.3, II.22.38, II.22.14). */
#ifndef ILPI_RESOLVE_H
#define ILPI_RESOLVE_H

#include "metadata/image.h"

/* A TypeDef in some image; image NULL: it could not be found. Both borrowed from the resolver. */
struct ilpi_type_def {
    struct ilp_image *image;
    ilp_rid rid;
};

/* The TypeDef that a TypeDef or TypeRef token of `image` refers to. */
struct ilpi_type_def ilpi_resolve_type(struct ilp_image *image, ilp_token token,
                                       const struct ilp_resolver *resolver);

/* The same for a top-level type by name, in an assembly by name; type forwards are followed. *there
 * (may be NULL) is whether the assembly was found. */
struct ilpi_type_def ilpi_resolve_name(const struct ilp_assembly_name *assembly,
                                       const char *name_space, const char *name,
                                       const struct ilp_resolver *resolver, bool *there);

/* The identity in an AssemblyRef or Assembly row; strings and key are borrowed from the image. */
void ilpi_assembly_ref_name(const struct ilp_image *image, ilp_rid row,
                            struct ilp_assembly_name *name);

#endif
