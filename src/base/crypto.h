/* What files need of cryptography: hashes of bytes, and RSA signatures over a stream of bytes
 * (RSASSA-PKCS1-v1_5, RFC 8017).
 *
 * No type of a library appears here, so that the implementation can be replaced: libcrypto.c, which
 * is loaded at the first hash or signature, or CNG on Windows. hash.h has the hash for all other
 * purposes. */
#ifndef ILPI_CRYPTO_H
#define ILPI_CRYPTO_H

#include "base/alloc.h"
#include "base/digest.h"

#define ILPI_DIGEST_MAX 64u

/* *size receives the length of `digest`: 0 for ILPI_HASH_NONE and for errors. ILP_E_NO_LIBRARY: no
 * library is installed. ILP_E_NO_MEMORY. */
ilp_status ilpi_digest(enum ilpi_hash hash, struct ilp_bytes bytes, uint8_t digest[ILPI_DIGEST_MAX],
                       size_t *size);

/* More than any CSP generates. */
#define ILPI_RSA_MAX_BYTES 2048u

/* In this order in RSAPrivateKey (RFC 8017, A.1.2). Little-endian, as in .snk files. */
enum ilpi_rsa_number {
    ILPI_RSA_MODULUS,
    ILPI_RSA_PUBLIC_EXPONENT,
    ILPI_RSA_PRIVATE_EXPONENT,
    ILPI_RSA_PRIME_1,
    ILPI_RSA_PRIME_2,
    ILPI_RSA_EXPONENT_1,
    ILPI_RSA_EXPONENT_2,
    ILPI_RSA_COEFFICIENT,
    ILPI_RSA_NUMBERS
};

/* RSAPrivateKey of RFC 8017, A.1.2; all borrowed. Without a private half only the first two are
 * set. */
struct ilpi_rsa_key {
    struct ilp_bytes number[ILPI_RSA_NUMBERS];
};

struct ilpi_rsa_signer;

/* `key` must have its private half, `hash` must not be ILPI_HASH_NONE, and no number may be longer
 * than ILPI_RSA_MAX_BYTES. */
ilp_status ilpi_rsa_signer_open(struct ilpi_rsa_signer **out, struct ilpi_alloc *alloc,
                                const struct ilpi_rsa_key *key, enum ilpi_hash hash,
                                struct ilp_error *error);
/* Bytes in the order of the file, in any pieces. */
ilp_status ilpi_rsa_signer_add(struct ilpi_rsa_signer *signer, const void *bytes, size_t size,
                               struct ilp_error *error);

/* The signature of all bytes added, as long as the modulus. It has been verified. */
ilp_status ilpi_rsa_signer_sign(struct ilpi_rsa_signer *signer, uint8_t *signature,
                                struct ilp_error *error);

/* NULL is allowed. */
void ilpi_rsa_signer_close(struct ilpi_rsa_signer *signer);

#endif
