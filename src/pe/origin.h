/* The origin: a mark and a digest of the file that a written file was made from. They are stored
 * right before the structure that all others are reached through: the metadata root of an assembly,
 * the manifest of a bundle. They tie a patched file to the original that was kept beside it. */
#ifndef ILPI_ORIGIN_H
#define ILPI_ORIGIN_H

#include "base/error.h"

#define ILPI_ORIGIN_BYTES 24u

/* The digest of ilp_digest_of(). `read` is called after each piece of whole pages (the last may be
 * shorter), so that a file need not be in memory at once. */
void ilpi_digest_by_pieces(struct ilp_bytes bytes, struct ilp_digest *digest,
                           void (*read)(const void *user, struct ilp_bytes piece),
                           const void *user);

/* Fills ILPI_ORIGIN_BYTES bytes at `to`. */
void ilpi_origin_store(uint8_t *to, const struct ilp_digest *digest);

/* Whether an origin ends at offset `end` of a file, and its digest. */
bool ilpi_origin_read(struct ilp_bytes file, uint64_t end, struct ilp_digest *digest);

#endif
