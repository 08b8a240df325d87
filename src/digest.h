/* Hashes by their names in the Portable PDB format (SHA256, SHA384, SHA512), and SHA1, by libcrypto, which is loaded when
 * the first one is made. hash.h has the one for all other purposes. */
#ifndef ILPI_DIGEST_H
#define ILPI_DIGEST_H

#include "error.h"

#define ILPI_DIGEST_MAX 64u

/* *size receives how many bytes of `digest` it is; 0 for a name that is not known, or without libcrypto. */
void ilpi_digest(const char *name, struct ilp_bytes bytes, uint8_t digest[ILPI_DIGEST_MAX], size_t *size);

#endif
