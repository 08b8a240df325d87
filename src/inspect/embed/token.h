/* Maps tokens and signatures of the inspector to those of the module. */
#ifndef ILPI_EMBED_TOKEN_H
#define ILPI_EMBED_TOKEN_H

#include "inspect/embed/embedding.h"

/* The token in the module for one of the inspector's; 0 for 0. During the plan the result has no
 * meaning, but the token has been checked, and what it refers to is copied. */
ilp_status ilpi_embed_token(struct ilpi_embedding *embedding, ilp_token from, ilp_token *to,
                            struct ilp_error *error);

/* A signature with all its tokens mapped, as a blob of the edit. */
ilp_status ilpi_embed_signature(struct ilpi_embedding *embedding, uint32_t blob,
                                enum ilp_sig_kind kind, uint32_t *offset, struct ilp_error *error);

/* For ldstr. */
ilp_status ilpi_embed_user_string(struct ilpi_embedding *embedding, ilp_token from, ilp_token *to,
                                  struct ilp_error *error);

#endif
