/* Rows of embedded types. */
#ifndef ILPI_EMBED_ROWS_H
#define ILPI_EMBED_ROWS_H

#include "inspect/embed/embedding.h"

/* One type with all its members, except for their bodies. */
ilp_status ilpi_embed_type(struct ilpi_embedding *embedding, ilp_rid type, struct ilp_error *error);

#endif
