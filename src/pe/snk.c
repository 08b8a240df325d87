/* Reads RSA key blobs of Windows' CryptoAPI, and the header that strong names add before a public
 * one:
 *
 *   [SigAlgID HashAlgID size]   06 02 0000 alg "RSA1" bits  exponent modulus
 *                               07 02 0000 alg "RSA2" bits  exponent modulus p q dp dq 1/q d
 *
 * All numbers are little-endian, and their lengths follow from `bits`. */
#include "pe/snk.h"

#include "base/bytes.h"
#include "base/cursor.h"

enum { PUBLIC_KEY_BLOB = 0x06, PRIVATE_KEY_BLOB = 0x07, BLOB_VERSION = 2, BLOB_HEAD_BYTES = 12 };

/* Both are RSA keys; their purpose does not matter here. */
#define CALG_RSA_SIGN 0x2400u
#define CALG_RSA_KEYX 0xA400u

#define MAGIC_RSA1 0x31415352u
#define MAGIC_RSA2 0x32415352u

/* CryptoAPI's minimum. */
#define MIN_BITS 384u

static ilp_status fail(struct ilpi_cursor *at, const char *message)
{
    return ilpi_cursor_fail(at, ILP_E_BAD_KEY, message);
}

/* Other formats that are passed as a key file. */
static const char *other_form(struct ilp_bytes bytes)
{
    static const char pem[] = "-----BEGIN";
    if (bytes.size >= 2 && bytes.data[0] == 0x30 && (bytes.data[1] & 0x80) != 0) {
        return "a PFX or DER file, not a .snk. To convert a PFX: openssl pkcs12 -in KEY.pfx -nodes "
               "-nocerts -out "
               "KEY.pem; openssl rsa -in KEY.pem -outform MSBLOB -out KEY.snk";
    }
    if (bytes.size >= sizeof pem - 1 && memcmp(bytes.data, pem, sizeof pem - 1) == 0) {
        return "a PEM file, not a .snk. To convert it: openssl rsa -in KEY.pem -outform MSBLOB "
               "-out KEY.snk";
    }
    return NULL;
}

/* The header that metadata and `sn -p` put before a public key. */
static void read_head(struct ilpi_snk *key, struct ilpi_cursor *at)
{
    struct ilpi_cursor head = *at;
    head.error = NULL;
    uint32_t signature = ilpi_read_u32(&head);
    uint32_t hash = ilpi_read_u32(&head);
    uint32_t size = ilpi_read_u32(&head);
    if (head.status == ILP_OK && signature == CALG_RSA_SIGN && size == ilpi_cursor_left(&head)) {
        key->hash_id = hash;
        ilpi_skip(at, BLOB_HEAD_BYTES);
    }
}

static ilp_status read_numbers(struct ilpi_snk *key, struct ilpi_cursor *at, uint32_t bits)
{
    /* The order of the private numbers in the blob (PRIVATEKEYBLOB): p, q, d mod p-1, d mod q-1,
     * 1/q mod p, d. */
    static const enum ilpi_rsa_number halves[] = {ILPI_RSA_PRIME_1, ILPI_RSA_PRIME_2,
                                                  ILPI_RSA_EXPONENT_1, ILPI_RSA_EXPONENT_2,
                                                  ILPI_RSA_COEFFICIENT};
    struct ilp_bytes *number = key->rsa.number;
    number[ILPI_RSA_PUBLIC_EXPONENT] = ilpi_read_bytes(at, 4);
    number[ILPI_RSA_MODULUS] = ilpi_read_bytes(at, bits / 8);
    if (key->is_private) {
        for (unsigned i = 0; i < sizeof halves / sizeof halves[0]; i++) {
            number[halves[i]] = ilpi_read_bytes(at, bits / 16);
        }
        number[ILPI_RSA_PRIVATE_EXPONENT] = ilpi_read_bytes(at, bits / 8);
    }
    return at->status == ILP_OK && ilpi_cursor_left(at) != 0
               ? fail(at, "there is more than one RSA key")
               : at->status;
}

/* Either a PublicKeyBlob with its own head or a bare CryptoAPI blob: read_head() skips the first.
 * Then BLOBHEADER and RSAPUBKEY: type, version, 2 reserved bytes, algorithm; magic, bits. */
ilp_status ilpi_snk_read(struct ilpi_snk *key, struct ilp_bytes bytes, const char *place,
                         uint64_t offset, struct ilp_error *error)
{
    *key = (struct ilpi_snk){.is_private = false};
    struct ilpi_cursor at = ilpi_cursor_over(bytes, offset, place, error);
    at.failure = ILP_E_BAD_KEY;
    const char *other = other_form(bytes);
    if (other) {
        return fail(&at, other);
    }
    read_head(key, &at);
    uint8_t type = ilpi_read_u8(&at);
    uint8_t version = ilpi_read_u8(&at);
    ilpi_skip(&at, 2);
    uint32_t algorithm = ilpi_read_u32(&at);
    uint32_t magic = ilpi_read_u32(&at);
    uint32_t bits = ilpi_read_u32(&at);
    ILPI_TRY(at.status);
    key->is_private = type == PRIVATE_KEY_BLOB;
    if ((!key->is_private && type != PUBLIC_KEY_BLOB) || version != BLOB_VERSION ||
        (algorithm != CALG_RSA_SIGN && algorithm != CALG_RSA_KEYX) ||
        magic != (key->is_private ? MAGIC_RSA2 : MAGIC_RSA1)) {
        return fail(&at, "not an RSA key as sn makes one (.snk)");
    }
    if (bits < MIN_BITS || bits / 8 > ILPI_RSA_MAX_BYTES || bits % 16 != 0) {
        return fail(&at, "an RSA key of that many bits is not known");
    }
    return read_numbers(key, &at, bits);
}

/* Exponents of public blobs have 4 bytes and moduli the length of the key, so equal numbers have
 * equal bytes. */
bool ilpi_snk_same(const struct ilpi_snk *left, const struct ilpi_snk *right)
{
    return ilpi_bytes_equal(left->rsa.number[ILPI_RSA_MODULUS],
                            right->rsa.number[ILPI_RSA_MODULUS]) &&
           ilpi_bytes_equal(left->rsa.number[ILPI_RSA_PUBLIC_EXPONENT],
                            right->rsa.number[ILPI_RSA_PUBLIC_EXPONENT]);
}
