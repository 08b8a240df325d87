/* The origin: what a written file says about the file it was made from. A mark and a digest stand
 * right before the structure that everything else hangs on: the metadata root of an assembly, the
 * manifest of a bundle. It ties a patched file to the original that was kept beside it. */
#ifndef ILPI_ORIGIN_H
#define ILPI_ORIGIN_H

#include "base/error.h"

#define ILPI_ORIGIN_BYTES 24u

/* The digest that ilp_digest_of() gives. `read` is called after each piece, of whole pages but for
 * the last: so a file need not be in memory as a whole. */
void ilpi_digest_by_pieces(struct ilp_bytes bytes, struct ilp_digest *digest,
                           void (*read)(const void *user, struct ilp_bytes piece),
                           const void *user);

/* Fills ILPI_ORIGIN_BYTES bytes at `to`. */
void ilpi_origin_store(uint8_t *to, const struct ilp_digest *digest);

/* Whether an origin ends at `end` of a file, and what it says. */
bool ilpi_origin_read(struct ilp_bytes file, uint64_t end, struct ilp_digest *digest);

#endif
