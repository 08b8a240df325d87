/* Hashes by libcrypto. See digest.h. */
#include "digest.h"

#include <openssl/evp.h>
#include <string.h>

#include "library.h"

#define LIBCRYPTO_FUNCTIONS(F) \
    F(EVP_sha1)                \
    F(EVP_sha256)              \
    F(EVP_sha384)              \
    F(EVP_sha512)              \
    F(EVP_Digest)

struct libcrypto {
    LIBCRYPTO_FUNCTIONS(ILPI_LIBRARY_POINTER)
};

void ilpi_digest(const char *name, struct ilp_bytes bytes, uint8_t digest[ILPI_DIGEST_MAX], size_t *size)
{
    static const char *const names[] = {LIBCRYPTO_FUNCTIONS(ILPI_LIBRARY_NAME)};
    struct libcrypto crypto;
    *size = 0;
    if (!ilpi_library_load(LIBCRYPTO_SONAME, names, sizeof names / sizeof names[0], &crypto, sizeof crypto)) {
        return;
    }
    const EVP_MD *hash = strcmp(name, "SHA1") == 0     ? crypto.EVP_sha1()
                         : strcmp(name, "SHA256") == 0 ? crypto.EVP_sha256()
                         : strcmp(name, "SHA384") == 0 ? crypto.EVP_sha384()
                         : strcmp(name, "SHA512") == 0 ? crypto.EVP_sha512()
                                                       : NULL;
    unsigned int made = 0;
    if (hash && crypto.EVP_Digest(bytes.data, bytes.size, digest, &made, hash, NULL) == 1) {
        *size = made;
    }
}
