/* Hashes and RSASSA-PKCS1-v1_5 by libcrypto. See crypto.h.
 *
 * A key is passed as RSAPrivateKey in DER, which every version of libcrypto reads and which holds
 * exactly the numbers of a key file. */
#include <openssl/evp.h>
#include <string.h>

#include "base/crypto.h"
#include "base/library.h"

#define LIBCRYPTO_FUNCTIONS(F)       \
    F(EVP_sha1)                      \
    F(EVP_sha256)                    \
    F(EVP_sha384)                    \
    F(EVP_sha512)                    \
    F(EVP_Digest)                    \
    F(EVP_MD_CTX_new)                \
    F(EVP_MD_CTX_free)               \
    F(EVP_DigestInit_ex)             \
    F(EVP_DigestUpdate)              \
    F(EVP_DigestFinal_ex)            \
    F(d2i_PrivateKey)                \
    F(EVP_PKEY_free)                 \
    F(EVP_PKEY_CTX_new)              \
    F(EVP_PKEY_CTX_free)             \
    F(EVP_PKEY_CTX_set_signature_md) \
    F(EVP_PKEY_sign_init)            \
    F(EVP_PKEY_sign)                 \
    F(EVP_PKEY_verify_init)          \
    F(EVP_PKEY_verify)

struct libcrypto {
    LIBCRYPTO_FUNCTIONS(ILPI_LIBRARY_POINTER)
};

/* ILP_E_NO_LIBRARY when it is not installed or lacks one of the functions. */
static ilp_status load(struct libcrypto *crypto)
{
    static const struct ilpi_library_function names[] = {LIBCRYPTO_FUNCTIONS(ILPI_LIBRARY_NAME)};
    return ilpi_library_load(LIBCRYPTO_SONAME, names, sizeof names / sizeof names[0], crypto,
                             sizeof *crypto);
}

/* ---- hashes ---- */

/* NULL for ILPI_HASH_NONE. */
static const EVP_MD *algorithm(const struct libcrypto *crypto, enum ilpi_hash hash)
{
    switch (hash) {
#define HASH(name, number, function) \
    case ILPI_HASH_##name:           \
        return crypto->function();
#include "base/digest.def"
#undef HASH
    case ILPI_HASH_NONE: break;
    }
    return NULL;
}

ilp_status ilpi_digest(enum ilpi_hash hash, struct ilp_bytes bytes, uint8_t digest[ILPI_DIGEST_MAX],
                       size_t *size)
{
    struct libcrypto crypto;
    unsigned int made = 0;
    *size = 0;
    if (hash == ILPI_HASH_NONE) {
        return ILP_OK;
    }
    ILPI_TRY(load(&crypto));
    if (crypto.EVP_Digest(bytes.data, bytes.size, digest, &made, algorithm(&crypto, hash), NULL) !=
        1) {
        return ILP_E_NO_MEMORY; /* the only failure for bytes in memory */
    }
    *size = made;
    return ILP_OK;
}

/* ---- the key, as RSAPrivateKey in DER (RFC 8017, A.1.2; X.690) ---- */

enum { DER_INTEGER = 0x02, DER_SEQUENCE = 0x30 };

/* Two numbers are as long as the modulus, five are half as long, and each has a head of up to five
 * bytes.
 *
 *   30 len                      SEQUENCE
 *      02 01 00                 version 0
 *      02 len modulus           then both exponents, both primes, both CRT exponents, the
 *      02 len ...               coefficient: in the order of enum ilpi_rsa_number */
#define MAX_DER (ILPI_RSA_MAX_BYTES * 5 + 64)

/* A DER tag and length (X.690, 8.1.3): lengths below 128 in one byte, others after the number of
 * their bytes. Keys are shorter than 64 KB. */
static uint8_t *put_head(uint8_t *at, uint8_t tag, size_t size)
{
    *at++ = tag;
    if (size >= 0x100) {
        *at++ = 0x82;
        *at++ = (uint8_t)(size >> 8);
    } else if (size >= 0x80) {
        *at++ = 0x81;
    }
    *at++ = (uint8_t)size;
    return at;
}

/* A little-endian unsigned number as a big-endian signed one: with a leading zero if the first bit
 * is set. */
static uint8_t *put_integer(uint8_t *at, struct ilp_bytes number)
{
    size_t size = number.size;
    while (size > 1 && number.data[size - 1] == 0) {
        size--;
    }
    bool zero = size == 0 || (number.data[size - 1] & 0x80) != 0;
    at = put_head(at, DER_INTEGER, size + zero);
    if (zero) {
        *at++ = 0;
    }
    while (size != 0) {
        *at++ = number.data[--size];
    }
    return at;
}

/* RSAPrivateKey (RFC 8017, A.1.2): a SEQUENCE of the version and eight numbers. They are written
 * first, since their size precedes them; the copy on the stack is wiped, as private keys are. */
static size_t put_key(uint8_t *der, const struct ilpi_rsa_key *key)
{
    uint8_t numbers[MAX_DER];
    uint8_t *end = put_integer(numbers, (struct ilp_bytes){NULL, 0}); /* version 0: two primes */
    for (unsigned i = 0; i < ILPI_RSA_NUMBERS; i++) {
        end = put_integer(end, key->number[i]);
    }
    size_t size = (size_t)(end - numbers);
    uint8_t *at = put_head(der, DER_SEQUENCE, size);
    memcpy(at, numbers, size);
    explicit_bzero(numbers, sizeof numbers);
    return (size_t)(at - der) + size;
}

static EVP_PKEY *make_key(const struct libcrypto *crypto, const struct ilpi_rsa_key *key)
{
    uint8_t der[MAX_DER + 4]; /* the numbers, and the head of the SEQUENCE */
    const unsigned char *at = der;
    size_t size = put_key(der, key);
    EVP_PKEY *made = crypto->d2i_PrivateKey(EVP_PKEY_RSA, NULL, &at, (long)size);
    explicit_bzero(der, sizeof der);
    return made;
}

/* ---- the signer ---- */

struct ilpi_rsa_signer {
    struct libcrypto crypto;
    struct ilpi_alloc *alloc; /* borrowed */
    EVP_PKEY *key;            /* owned; libcrypto's memory, as is `digest` */
    const EVP_MD *hash;       /* static in libcrypto */
    EVP_MD_CTX *digest;       /* of the bytes added until now; owned */
    size_t size;              /* of the modulus */
};

static ilp_status fail(struct ilp_error *error, const char *message)
{
    return ilpi_fail(error, ILP_E_CANNOT_SIGN, ILPI_NO_OFFSET, 0, "%s", message);
}

static ilp_status begin(struct ilpi_rsa_signer *signer, const struct ilpi_rsa_key *key,
                        enum ilpi_hash hash, struct ilp_error *error)
{
    ilp_status status = load(&signer->crypto);
    if (status == ILP_E_NO_MEMORY) {
        return ilpi_fail_memory(error, 0);
    }
    if (status != ILP_OK) {
        return ilpi_fail(error, ILP_E_NO_LIBRARY, ILPI_NO_OFFSET, 0,
                         "assemblies are signed with libcrypto, but " LIBCRYPTO_SONAME
                         " is not installed (Debian: libssl3)");
    }
    signer->key = make_key(&signer->crypto, key);
    if (!signer->key) {
        return fail(error, "libcrypto does not take the key");
    }
    signer->hash = algorithm(&signer->crypto, hash);
    signer->digest = signer->crypto.EVP_MD_CTX_new();
    if (!signer->digest ||
        signer->crypto.EVP_DigestInit_ex(signer->digest, signer->hash, NULL) != 1) {
        return fail(error, "libcrypto does not have the hash algorithm that the public key names");
    }
    return ILP_OK;
}

/* What begin() has opened before it fails is closed as usual: all members are NULL before. */
ilp_status ilpi_rsa_signer_open(struct ilpi_rsa_signer **out, struct ilpi_alloc *alloc,
                                const struct ilpi_rsa_key *key, enum ilpi_hash hash,
                                struct ilp_error *error)
{
    *out = NULL;
    struct ilpi_rsa_signer *signer = ilpi_resize(alloc, NULL, 0, sizeof *signer);
    if (!signer) {
        return ilpi_fail_memory(error, sizeof *signer);
    }
    *signer = (struct ilpi_rsa_signer){.alloc = alloc, .size = key->number[ILPI_RSA_MODULUS].size};
    ilp_status status = begin(signer, key, hash, error);
    if (status != ILP_OK) {
        ilpi_rsa_signer_close(signer);
        return status;
    }
    *out = signer;
    return ILP_OK;
}

void ilpi_rsa_signer_close(struct ilpi_rsa_signer *signer)
{
    if (!signer) {
        return;
    }
    if (signer->digest) {
        signer->crypto.EVP_MD_CTX_free(signer->digest);
    }
    if (signer->key) {
        signer->crypto.EVP_PKEY_free(signer->key);
    }
    ilpi_resize(signer->alloc, signer, sizeof *signer, 0);
}

ilp_status ilpi_rsa_signer_add(struct ilpi_rsa_signer *signer, const void *bytes, size_t size,
                               struct ilp_error *error)
{
    return signer->crypto.EVP_DigestUpdate(signer->digest, bytes, size) == 1
               ? ILP_OK
               : fail(error, "libcrypto could not hash");
}

/* PKCS #1 v1.5 padding is libcrypto's default. */
static bool sign(const struct ilpi_rsa_signer *signer, EVP_PKEY_CTX *context, const uint8_t *hash,
                 size_t hash_size, uint8_t *signature)
{
    const struct libcrypto *crypto = &signer->crypto;
    size_t size = signer->size;
    return crypto->EVP_PKEY_sign_init(context) == 1 &&
           crypto->EVP_PKEY_CTX_set_signature_md(context, signer->hash) == 1 &&
           crypto->EVP_PKEY_sign(context, signature, &size, hash, hash_size) == 1 &&
           size == signer->size;
}

/* A key file may be damaged in its private half only: then the signature does not match the public
 * half. */
static bool verify(const struct ilpi_rsa_signer *signer, EVP_PKEY_CTX *context, const uint8_t *hash,
                   size_t hash_size, const uint8_t *signature)
{
    const struct libcrypto *crypto = &signer->crypto;
    return crypto->EVP_PKEY_verify_init(context) == 1 &&
           crypto->EVP_PKEY_CTX_set_signature_md(context, signer->hash) == 1 &&
           crypto->EVP_PKEY_verify(context, signature, signer->size, hash, hash_size) == 1;
}

/* The signature is verified with the public half at once: a damaged key would give a file that no
 * runtime loads as signed. */
ilp_status ilpi_rsa_signer_sign(struct ilpi_rsa_signer *signer, uint8_t *signature,
                                struct ilp_error *error)
{
    const struct libcrypto *crypto = &signer->crypto;
    uint8_t hash[EVP_MAX_MD_SIZE];
    unsigned hash_size = 0;
    EVP_PKEY_CTX *context = crypto->EVP_PKEY_CTX_new(signer->key, NULL);
    bool good = context && crypto->EVP_DigestFinal_ex(signer->digest, hash, &hash_size) == 1 &&
                sign(signer, context, hash, hash_size, signature) &&
                verify(signer, context, hash, hash_size, signature);
    if (context) {
        crypto->EVP_PKEY_CTX_free(context);
    }
    return good ? ILP_OK
                : fail(error,
                       "libcrypto could not sign with the key, or the signature does not fit the "
                       "public half of it: is the key file damaged?");
}
