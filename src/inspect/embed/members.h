/* Members of embedded types. */
#ifndef ILPI_EMBED_MEMBERS_H
#define ILPI_EMBED_MEMBERS_H

#include "inspect/embed/embedding.h"

/* Fields and methods of a type, their parameters and generic parameters. */
ilp_status ilpi_embed_fields(struct ilpi_embedding *embedding, ilp_rid type,
                             struct ilp_error *error);
ilp_status ilpi_embed_methods(struct ilpi_embedding *embedding, ilp_rid type,
                              struct ilp_error *error);
ilp_status ilpi_embed_constant(struct ilpi_embedding *embedding, ilp_token from, ilp_token to,
                               struct ilp_error *error);
ilp_status ilpi_embed_generic_params(struct ilpi_embedding *embedding, ilp_token from, ilp_token to,
                                     struct ilp_error *error);

#endif
