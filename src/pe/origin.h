/* The origin: what a written file says about the file it was made from. A mark and a digest stand
 * right before the structure that everything else hangs on: the metadata root of an assembly, the
 * manifest of a bundle. It ties a patched file to the original that was kept beside it. */
#ifndef ILPI_ORIGIN_H
#define ILPI_ORIGIN_H

#include "base/error.h"

#define ILPI_ORIGIN_BYTES 24u

/* Fills ILPI_ORIGIN_BYTES bytes at `to`. */
void ilpi_origin_store(uint8_t *to, const struct ilp_digest *digest);

/* Whether an origin ends at `end` of a file, and what it says. */
bool ilpi_origin_read(struct ilp_bytes file, uint64_t end, struct ilp_digest *digest);

#endif
