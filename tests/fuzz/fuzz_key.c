/* Fuzzes key files and public keys: read, with the head that metadata put before a public key and
 * without; and with those that have a private half something is signed, twice.
 *
 *   u8 hash (modulo the number of algorithms)   key
 *
 * What is promised: both readers say the same, the numbers of a key are within its bytes, an error
 * has a place and a message, and a signature is the same the second time. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "pe/snk.h"
#include "tests/fuzz/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define KEY_ORIGIN 0x400u

/* The time that a signature takes grows with the cube of the size. */
#define KEY_MOST_SIGNED 128u

static void key_check_numbers(const struct ilpi_snk *key, struct ilp_bytes bytes)
{
    for (unsigned i = 0; i < ILPI_RSA_NUMBERS; i++) {
        struct ilp_bytes number = key->rsa.number[i];
        FUZZ_CHECK(number.size <= ILPI_RSA_MAX_BYTES);
        FUZZ_CHECK(number.size == 0 || (number.data >= bytes.data &&
                                        number.data + number.size <= bytes.data + bytes.size));
        FUZZ_CHECK((number.size != 0) ==
                   (key->is_private || i == ILPI_RSA_MODULUS || i == ILPI_RSA_PUBLIC_EXPONENT));
    }
}

/* Of a public key without the head that metadata have: where its first number is. */
enum { KEY_BARE_NUMBERS = 16 };

/* The same public half after that head, of which no number says whether it is there: the hash that
 * it names may be 0, too. */
static void key_check_head(const struct ilpi_snk *key, struct ilp_bytes bytes)
{
    uint8_t with_head[12 + 20 + 4 + ILPI_RSA_MAX_BYTES] = {0, 0x24, 0, 0, 4, 0x80};
    struct ilpi_snk other;
    if (key->is_private || bytes.size + 12 > sizeof with_head ||
        key->rsa.number[ILPI_RSA_PUBLIC_EXPONENT].data != bytes.data + KEY_BARE_NUMBERS) {
        return;
    }
    with_head[8] = (uint8_t)bytes.size;
    with_head[9] = (uint8_t)(bytes.size >> 8);
    memcpy(with_head + 12, bytes.data, bytes.size);
    struct ilp_bytes whole = {with_head, bytes.size + 12};
    FUZZ_CHECK(ilpi_snk_read(&other, whole, "public key", 0, NULL) == ILP_OK);
    FUZZ_CHECK(ilpi_snk_same(key, &other) && other.hash_id == 0x8004);
}

static ilp_status key_sign(const struct ilpi_snk *key, enum ilpi_hash hash, uint8_t *signature)
{
    struct ilpi_rsa_signer *signer;
    struct ilpi_alloc alloc;
    struct ilp_error error = {.message = ""};
    ilpi_alloc_init(&alloc, NULL);
    ilp_status status = ilpi_rsa_signer_open(&signer, &alloc, &key->rsa, hash, &error);
    if (status == ILP_OK) {
        status = ilpi_rsa_signer_add(signer, "abc", 3, &error);
        status = status == ILP_OK ? ilpi_rsa_signer_sign(signer, signature, &error) : status;
        ilpi_rsa_signer_close(signer);
    }
    FUZZ_CHECK(status == ILP_OK || status == ILP_E_CANNOT_SIGN);
    FUZZ_CHECK(status == ILP_OK || error.message[0] != '\0');
    FUZZ_CHECK(alloc.used == 0);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum ilpi_hash hashes[] = {
#define HASH(name, number, function) ILPI_HASH_##name,
#include "base/digest.def"
#undef HASH
    };
    if (size == 0) {
        return 0;
    }
    struct ilp_bytes bytes = {data + 1, size - 1};
    struct ilpi_snk key;
    struct ilp_error error = {.message = ""};
    bool is_private = false;
    ilp_status status = ilpi_snk_read(&key, bytes, "key", KEY_ORIGIN, &error);
    FUZZ_CHECK(ilp_strong_name_key(bytes, &is_private, NULL) == status);
    if (status != ILP_OK) {
        FUZZ_CHECK(status == ILP_E_BAD_KEY && error.status == status && error.message[0] != '\0');
        FUZZ_CHECK(error.offset >= KEY_ORIGIN && error.offset <= KEY_ORIGIN + bytes.size);
        return 0;
    }
    FUZZ_CHECK(is_private == key.is_private && ilpi_snk_same(&key, &key));
    key_check_numbers(&key, bytes);
    key_check_head(&key, bytes);
    if (key.is_private && key.rsa.number[ILPI_RSA_MODULUS].size <= KEY_MOST_SIGNED) {
        enum ilpi_hash hash = hashes[data[0] % (sizeof hashes / sizeof hashes[0])];
        uint8_t first[KEY_MOST_SIGNED] = {0};
        uint8_t second[KEY_MOST_SIGNED] = {0};
        status = key_sign(&key, hash, first);
        FUZZ_CHECK(key_sign(&key, hash, second) == status);
        FUZZ_CHECK(status != ILP_OK || memcmp(first, second, sizeof first) == 0);
    }
    return 0;
}
