/* libcrypto, as it is loaded when something is hashed or signed. Included by digest.c and rsa.c alone. */
#ifndef ILPI_LIBCRYPTO_H
#define ILPI_LIBCRYPTO_H

#include <openssl/evp.h>

#include "base/digest.h"
#include "base/library.h"

#define LIBCRYPTO_FUNCTIONS(F)      \
    F(EVP_sha1) \
    F(EVP_sha256) \
    F(EVP_sha384) \
    F(EVP_sha512) \
    F(EVP_Digest) \
    F(EVP_MD_CTX_new) \
    F(EVP_MD_CTX_free) \
    F(EVP_DigestInit_ex) \
    F(EVP_DigestUpdate) \
    F(EVP_DigestFinal_ex) \
    F(d2i_PrivateKey) \
    F(EVP_PKEY_free) \
    F(EVP_PKEY_CTX_new) \
    F(EVP_PKEY_CTX_free) \
    F(EVP_PKEY_CTX_set_signature_md) \
    F(EVP_PKEY_sign_init) \
    F(EVP_PKEY_sign) \
    F(EVP_PKEY_verify_init) \
    F(EVP_PKEY_verify)

struct ilpi_libcrypto {
    LIBCRYPTO_FUNCTIONS(ILPI_LIBRARY_POINTER)
};

/* Its name, for messages. */
extern const char ilpi_libcrypto_name[];

/* False when it is not installed, or has not all of the functions. */
bool ilpi_libcrypto_load(struct ilpi_libcrypto *crypto);

/* NULL for ILPI_HASH_NONE. */
const EVP_MD *ilpi_libcrypto_hash(const struct ilpi_libcrypto *crypto, enum ilpi_hash hash);

#endif
