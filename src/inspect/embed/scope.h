/* What the module's own core library offers. */
#ifndef ILPI_EMBED_SCOPE_H
#define ILPI_EMBED_SCOPE_H

#include "inspect/embed/embedding.h"

/* Where a TypeRef into the inspector's core library leads to in the module; *offered
 * is false where nothing there has it. */
ilp_status ilpi_embed_find(struct ilpi_embedding *embedding, ilp_rid type_ref,
                           struct ilpi_embed_ref *ref, bool *offered, struct ilp_error *error);

#endif
