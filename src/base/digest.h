/* The hash algorithms that assemblies and PDBs name (digest.def). crypto.h computes them. */
#ifndef ILPI_DIGEST_H
#define ILPI_DIGEST_H

#include "base/error.h"

/* Hash algorithms, by digest.def; NONE is a digest of 0 bytes. */
enum ilpi_hash {
#define HASH(name, number, function) ILPI_HASH_##name,
#include "base/digest.def"
#undef HASH
    ILPI_HASH_NONE
};

/* ILPI_HASH_NONE for a name or a number that digest.def does not have. */
enum ilpi_hash ilpi_hash_by_name(const char *name);
enum ilpi_hash ilpi_hash_by_number(uint32_t number);

#endif
