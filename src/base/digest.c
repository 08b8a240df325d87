/* Hashes by libcrypto. See digest.h. */
#include "base/digest.h"

#include <string.h>

#include "base/libcrypto.h"

static const struct {
    const char *name;
    uint32_t number;
} hashes[] = {
#define HASH(name, number, function) [ILPI_HASH_##name] = {#name, number},
#include "base/digest.def"
#undef HASH
};

enum ilpi_hash ilpi_hash_by_name(const char *name)
{
    enum ilpi_hash hash = 0;
    while (hash < ILPI_HASH_NONE && strcmp(hashes[hash].name, name) != 0) {
        hash++;
    }
    return hash;
}

enum ilpi_hash ilpi_hash_by_number(uint32_t number)
{
    enum ilpi_hash hash = 0;
    while (hash < ILPI_HASH_NONE && hashes[hash].number != number) {
        hash++;
    }
    return hash;
}

void ilpi_digest(enum ilpi_hash hash, struct ilp_bytes bytes, uint8_t digest[ILPI_DIGEST_MAX], size_t *size)
{
    struct ilpi_libcrypto crypto;
    unsigned int made = 0;
    *size = 0;
    if (hash != ILPI_HASH_NONE && ilpi_libcrypto_load(&crypto) &&
        crypto.EVP_Digest(bytes.data, bytes.size, digest, &made, ilpi_libcrypto_hash(&crypto, hash), NULL) == 1) {
        *size = made;
    }
}
