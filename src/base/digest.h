/* Hashes that assemblies and PDBs hold, by libcrypto, which is loaded when the first one is made. hash.h has the one for
 * all other purposes. */
#ifndef ILPI_DIGEST_H
#define ILPI_DIGEST_H

#include "base/error.h"

#define ILPI_DIGEST_MAX 64u

enum ilpi_hash {
#define HASH(name, number, function) ILPI_HASH_##name,
#include "base/digest.def"
#undef HASH
    ILPI_HASH_NONE
};

/* ILPI_HASH_NONE for a name or a number that digest.def does not have. */
enum ilpi_hash ilpi_hash_by_name(const char *name);
enum ilpi_hash ilpi_hash_by_number(uint32_t number);

/* *size receives how many bytes of `digest` it is; 0 for ILPI_HASH_NONE, or without libcrypto. */
void ilpi_digest(enum ilpi_hash hash, struct ilp_bytes bytes, uint8_t digest[ILPI_DIGEST_MAX], size_t *size);

#endif
