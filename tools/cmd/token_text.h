/* Tokens as text, for the dump: what an IL operand or a cell refers to. */
#ifndef TOKEN_TEXT_H
#define TOKEN_TEXT_H

#include "il/body.h"
#include "metadata/image.h"

/* What a token refers to, with its signature but without scopes; user strings in quotes. */
void token_text(const struct ilp_image *image, struct ilpi_buf *buf, ilp_token token);

/* The signature in a blob as text, or as hexadecimal if it is invalid. */
void signature_text(const struct ilp_image *image, struct ilpi_buf *buf, uint32_t blob,
                    enum ilp_sig_kind kind, const char *name);

#endif
