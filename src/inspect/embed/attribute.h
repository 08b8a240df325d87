/* Custom attributes of embedded rows. */
#ifndef ILPI_EMBED_ATTRIBUTE_H
#define ILPI_EMBED_ATTRIBUTE_H

#include "inspect/embed/embedding.h"

/* The attributes of a row; `to` is the row in the module. */
ilp_status ilpi_embed_attributes(struct ilpi_embedding *embedding, ilp_token from, ilp_token to,
                                 struct ilp_error *error);

#endif
