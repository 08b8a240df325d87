/* Scopes of the module's own core library. */
#ifndef ILPI_EMBED_SCOPE_H
#define ILPI_EMBED_SCOPE_H

#include "inspect/embed/embedding.h"

/* The type in the module that a TypeRef into the inspector's core library becomes; *offered is
 * false if it is not available there. */
ilp_status ilpi_embed_find(struct ilpi_embedding *embedding, ilp_rid type_ref,
                           struct ilpi_embed_ref *ref, bool *offered, struct ilp_error *error);

#endif
