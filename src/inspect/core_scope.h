/* The core library of a module: the scope of its System.Object. */
#ifndef ILPI_CORE_SCOPE_H
#define ILPI_CORE_SCOPE_H

#include "metadata/resolve.h"

/* The scope of core library types inside the core library itself: its Module row, as in
 * II.22.38. */
#define ILPI_OWN_SCOPE ILP_TOKEN(ILP_Module, 1)

/* An AssemblyRef of the module, or the identity of one to add; both empty when it is unknown. */
struct ilpi_core_scope {
    ilp_token token; /* ILPI_OWN_SCOPE in the core library itself */
    struct ilp_assembly_name name;
};

/* Whether the image is the core library: its System.Object extends nothing. */
bool ilpi_defines_object(const struct ilp_image *image);

struct ilpi_core_scope ilpi_core_scope_find(struct ilp_image *image,
                                            const struct ilp_resolver *resolver);

static inline bool ilpi_core_scope_is_known(const struct ilpi_core_scope *core)
{
    return core->token != 0 || core->name.name;
}

#endif
