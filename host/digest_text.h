/* Digests in hexadecimal, for files that store them. */
#ifndef DIGEST_TEXT_H
#define DIGEST_TEXT_H

#include "ilpatch.h"

#define DIGEST_DIGITS (2 * sizeof(struct ilp_digest))

/* The first `bytes`, up to the length of a digest. */
void digits_of(struct ilp_bytes bytes, char text[DIGEST_DIGITS + 1]);

/* The digest of `bytes`. */
void digest_text(struct ilp_bytes bytes, char text[DIGEST_DIGITS + 1]);

#endif
