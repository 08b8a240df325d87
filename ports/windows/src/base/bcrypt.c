/* Hashes and RSASSA-PKCS1-v1_5 by CNG, which is a part of Windows. See crypto.h. */
#include <stddef.h> /* before bcrypt.h, which lacks it */
#include <string.h>
#include <windows.h>

#include <bcrypt.h>

#include "base/crypto.h"

/* NULL for ILPI_HASH_NONE. The names are those of bcrypt.h: BCRYPT_SHA256_ALGORITHM. */
static const wchar_t *algorithm(enum ilpi_hash hash)
{
    switch (hash) {
#define HASH(name, number, function) \
    case ILPI_HASH_##name:           \
        return L"" #name;
#include "base/digest.def"
#undef HASH
    case ILPI_HASH_NONE: break;
    }
    return NULL;
}

/* ---- hashes ---- */

struct hasher {
    BCRYPT_ALG_HANDLE provider;
    BCRYPT_HASH_HANDLE state;
};

static void close_hasher(struct hasher *hasher)
{
    if (hasher->state) {
        BCryptDestroyHash(hasher->state);
    }
    if (hasher->provider) {
        BCryptCloseAlgorithmProvider(hasher->provider, 0);
    }
    *hasher = (struct hasher){NULL, NULL};
}

static bool open_hasher(struct hasher *hasher, enum ilpi_hash hash)
{
    *hasher = (struct hasher){NULL, NULL};
    return hash != ILPI_HASH_NONE &&
           BCryptOpenAlgorithmProvider(&hasher->provider, algorithm(hash), NULL, 0) >= 0 &&
           BCryptCreateHash(hasher->provider, &hasher->state, NULL, 0, NULL, 0, 0) >= 0;
}

/* CNG counts in 32 bits: larger spans are given piece by piece. */
static bool add(struct hasher *hasher, struct ilp_bytes bytes)
{
    bool added = true;
    while (bytes.size != 0 && added) {
        ULONG piece = bytes.size < 1u << 30 ? (ULONG)bytes.size : 1u << 30;
        added = BCryptHashData(hasher->state, (PUCHAR)(uintptr_t)bytes.data, piece, 0) >= 0;
        bytes.data += piece;
        bytes.size -= piece;
    }
    return added;
}

/* 0: it failed. */
static ULONG finish(struct hasher *hasher, uint8_t digest[ILPI_DIGEST_MAX])
{
    ULONG size = 0, written;
    return BCryptGetProperty(hasher->provider, BCRYPT_HASH_LENGTH, (PUCHAR)&size, sizeof size,
                             &written, 0) >= 0 &&
                   BCryptFinishHash(hasher->state, digest, size, 0) >= 0
               ? size
               : 0;
}

/* CNG is a part of Windows: only lack of memory makes a hash fail. */
ilp_status ilpi_digest(enum ilpi_hash hash, struct ilp_bytes bytes, uint8_t digest[ILPI_DIGEST_MAX],
                       size_t *size)
{
    struct hasher hasher;
    *size = open_hasher(&hasher, hash) && add(&hasher, bytes) ? finish(&hasher, digest) : 0;
    close_hasher(&hasher);
    return *size != 0 || hash == ILPI_HASH_NONE ? ILP_OK : ILP_E_NO_MEMORY;
}

/* ---- the key: BCRYPT_RSAFULLPRIVATE_BLOB, its numbers big-endian ---- */

struct ilpi_rsa_signer {
    struct ilpi_alloc *alloc;
    struct hasher hasher;
    BCRYPT_ALG_HANDLE rsa;
    BCRYPT_KEY_HANDLE key;
    enum ilpi_hash hash;
    size_t size; /* of the modulus */
};

/* Two numbers have the length of the modulus, and five at most half of it. */
#define MAX_BLOB (sizeof(BCRYPT_RSAKEY_BLOB) + ILPI_RSA_MAX_BYTES * 6)

/* The bytes of a little-endian number without zeros at its end. */
static size_t length(struct ilp_bytes number)
{
    size_t size = number.size;
    while (size > 1 && number.data[size - 1] == 0) {
        size--;
    }
    return size;
}

/* `size` bytes of it; false: it is longer. */
static bool put_number(uint8_t **at, struct ilp_bytes number, size_t size)
{
    size_t used = length(number);
    if (used > size) {
        return false;
    }
    memset(*at, 0, size - used);
    for (size_t i = 0; i < used; i++) {
        (*at)[size - 1 - i] = number.data[i];
    }
    *at += size;
    return true;
}

/* 0: the numbers are not those of a key. */
static size_t put_key(uint8_t *blob, const struct ilpi_rsa_key *key)
{
    const struct ilp_bytes *number = key->number;
    size_t modulus = length(number[ILPI_RSA_MODULUS]);
    size_t primes[2] = {length(number[ILPI_RSA_PRIME_1]), length(number[ILPI_RSA_PRIME_2])};
    size_t exponent = length(number[ILPI_RSA_PUBLIC_EXPONENT]);
    if (exponent > modulus || primes[0] + primes[1] > modulus + 1) {
        return 0;
    }
    const BCRYPT_RSAKEY_BLOB head = {.Magic = BCRYPT_RSAFULLPRIVATE_MAGIC,
                                     .BitLength = (ULONG)modulus * 8,
                                     .cbPublicExp = (ULONG)exponent,
                                     .cbModulus = (ULONG)modulus,
                                     .cbPrime1 = (ULONG)primes[0],
                                     .cbPrime2 = (ULONG)primes[1]};
    uint8_t *at = blob + sizeof head;
    memcpy(blob, &head, sizeof head);
    bool whole = put_number(&at, number[ILPI_RSA_PUBLIC_EXPONENT], exponent) &&
                 put_number(&at, number[ILPI_RSA_MODULUS], modulus) &&
                 put_number(&at, number[ILPI_RSA_PRIME_1], primes[0]) &&
                 put_number(&at, number[ILPI_RSA_PRIME_2], primes[1]) &&
                 put_number(&at, number[ILPI_RSA_EXPONENT_1], primes[0]) &&
                 put_number(&at, number[ILPI_RSA_EXPONENT_2], primes[1]) &&
                 put_number(&at, number[ILPI_RSA_COEFFICIENT], primes[0]) &&
                 put_number(&at, number[ILPI_RSA_PRIVATE_EXPONENT], modulus);
    return whole ? (size_t)(at - blob) : 0;
}

static bool import_key(struct ilpi_rsa_signer *signer, const struct ilpi_rsa_key *key)
{
    uint8_t blob[MAX_BLOB];
    size_t size = put_key(blob, key);
    bool imported = size != 0 &&
                    BCryptOpenAlgorithmProvider(&signer->rsa, BCRYPT_RSA_ALGORITHM, NULL, 0) >= 0 &&
                    BCryptImportKeyPair(signer->rsa, NULL, BCRYPT_RSAFULLPRIVATE_BLOB, &signer->key,
                                        blob, (ULONG)size, 0) >= 0;
    explicit_bzero(blob, sizeof blob);
    return imported;
}

/* ---- the signer ---- */

static ilp_status fail(struct ilp_error *error, const char *message)
{
    return ilpi_fail(error, ILP_E_CANNOT_SIGN, ILPI_NO_OFFSET, 0, "%s", message);
}

ilp_status ilpi_rsa_signer_open(struct ilpi_rsa_signer **out, struct ilpi_alloc *alloc,
                                const struct ilpi_rsa_key *key, enum ilpi_hash hash,
                                struct ilp_error *error)
{
    *out = NULL;
    struct ilpi_rsa_signer *signer = ilpi_resize(alloc, NULL, 0, sizeof *signer);
    if (!signer) {
        return ilpi_fail_memory(error, sizeof *signer);
    }
    *signer = (struct ilpi_rsa_signer){
        .alloc = alloc, .hash = hash, .size = key->number[ILPI_RSA_MODULUS].size};
    const char *wrong = NULL;
    if (!import_key(signer, key)) {
        wrong = "CNG does not take the key";
    } else if (!open_hasher(&signer->hasher, hash)) {
        wrong = "CNG does not have the hash algorithm that the public key names";
    }
    if (wrong) {
        ilpi_rsa_signer_close(signer);
        return fail(error, wrong);
    }
    *out = signer;
    return ILP_OK;
}

void ilpi_rsa_signer_close(struct ilpi_rsa_signer *signer)
{
    if (!signer) {
        return;
    }
    close_hasher(&signer->hasher);
    if (signer->key) {
        BCryptDestroyKey(signer->key);
    }
    if (signer->rsa) {
        BCryptCloseAlgorithmProvider(signer->rsa, 0);
    }
    ilpi_resize(signer->alloc, signer, sizeof *signer, 0);
}

ilp_status ilpi_rsa_signer_add(struct ilpi_rsa_signer *signer, const void *bytes, size_t size,
                               struct ilp_error *error)
{
    return add(&signer->hasher, (struct ilp_bytes){bytes, size})
               ? ILP_OK
               : fail(error, "CNG could not hash");
}

ilp_status ilpi_rsa_signer_sign(struct ilpi_rsa_signer *signer, uint8_t *signature,
                                struct ilp_error *error)
{
    uint8_t hash[ILPI_DIGEST_MAX];
    BCRYPT_PKCS1_PADDING_INFO padding = {algorithm(signer->hash)};
    ULONG hash_size = finish(&signer->hasher, hash), size = 0;
    /* A key file may be damaged in its private half alone: then its signature does not match the
     * public half. */
    bool good = hash_size != 0 &&
                BCryptSignHash(signer->key, &padding, hash, hash_size, signature,
                               (ULONG)signer->size, &size, BCRYPT_PAD_PKCS1) >= 0 &&
                size == signer->size &&
                BCryptVerifySignature(signer->key, &padding, hash, hash_size, signature, size,
                                      BCRYPT_PAD_PKCS1) >= 0;
    return good ? ILP_OK
                : fail(error,
                       "CNG could not sign with the key, or the signature does not fit the public "
                       "half of it: is the key file damaged?");
}
