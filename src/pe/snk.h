/* RSA keys as strong names have them: key files (.snk) and the public keys in metadata. */
#ifndef ILPI_SNK_H
#define ILPI_SNK_H

#include "base/crypto.h"

/* A key file. The numbers are in the file's bytes, least significant byte first. */
struct ilpi_snk {
    struct ilpi_rsa_key rsa;
    bool is_private;  /* with the private half */
    uint32_t hash_id; /* the algorithm that a public key names (AssemblyHashAlgorithm); 0: none */
};

/* Reads a key file, or a public key as in Assembly.PublicKey. Borrows from `bytes`; `place` names
 * them in errors, `offset` is their file offset. */
ilp_status ilpi_snk_read(struct ilpi_snk *key, struct ilp_bytes bytes, const char *place,
                         uint64_t offset, struct ilp_error *error);

/* Whether both have the same public half. The hash algorithm does not count. */
bool ilpi_snk_same(const struct ilpi_snk *left, const struct ilpi_snk *right);

#endif
