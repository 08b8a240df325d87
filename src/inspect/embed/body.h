/* Code and data of embedded rows. */
#ifndef ILPI_EMBED_BODY_H
#define ILPI_EMBED_BODY_H

#include "inspect/embed/embedding.h"

/* The bodies of a type's methods; the data of a field. */
ilp_status ilpi_embed_bodies(struct ilpi_embedding *embedding, ilp_rid type,
                             struct ilp_error *error);
ilp_status ilpi_embed_data(struct ilpi_embedding *embedding, ilp_rid field, ilp_token to,
                           struct ilp_error *error);

#endif
