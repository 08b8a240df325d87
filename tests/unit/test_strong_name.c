/* Keys (snk.c, libcrypto.c), and signing what is written with them (strong_name.c, pe_sign.c). That
 * a signature is right is for tests/command/test_signed.sh, which uses an independent reader, and
 * tests/runtime/signed, which uses Mono's sn. */
#include "pe/snk.h"
#include "tests/unit/snk_key.h"
#include "write_test.h"

enum { SIGNATURE = 64, MODULUS_AT = 20, CLI_FLAGS = 16, CLI_SIGNATURE = 32 };

static const struct ilp_bytes key_file = {snk_private, sizeof snk_private};

/* The public half, in the form that Assembly.PublicKey has. */
struct public_key {
    uint8_t bytes[12 + MODULUS_AT + SIGNATURE];
};

static struct public_key public_half(uint32_t hash_id)
{
    struct public_key key = {{0}};
    ib_set32(key.bytes, 0, 0x2400);
    ib_set32(key.bytes, 4, hash_id);
    ib_set32(key.bytes, 8, MODULUS_AT + SIGNATURE);
    memcpy(key.bytes + 12, snk_private, MODULUS_AT + SIGNATURE);
    key.bytes[12] = 0x06;
    key.bytes[12 + 11] = '1';
    return key;
}

/* ---- key files ---- */

static void keys_are_read(void **state)
{
    (void)state;
    struct ilpi_snk whole;
    struct ilpi_snk half;
    struct public_key key = public_half(0x800C);
    bool is_private = false;
    assert_int_equal(ilp_strong_name_key(key_file, &is_private, NULL), ILP_OK);
    assert_true(is_private);
    assert_int_equal(ilpi_snk_read(&whole, key_file, "key", 0, NULL), ILP_OK);
    assert_int_equal(whole.hash_id, 0);
    assert_int_equal(whole.rsa.number[ILPI_RSA_PRIVATE_EXPONENT].size, SIGNATURE);
    assert_int_equal(whole.rsa.number[ILPI_RSA_COEFFICIENT].size, SIGNATURE / 2);
    for (unsigned bare = 0; bare < 2; bare++) {
        struct ilp_bytes bytes = {key.bytes + (bare ? 12 : 0), sizeof key.bytes - (bare ? 12 : 0)};
        assert_int_equal(ilpi_snk_read(&half, bytes, "key", 0, NULL), ILP_OK);
        assert_false(half.is_private);
        assert_int_equal(half.hash_id, bare ? 0 : 0x800C);
        assert_true(ilpi_snk_same(&whole, &half));
    }
    key.bytes[sizeof key.bytes - 1] ^= 1;
    assert_true(ilpi_snk_read(&half, (struct ilp_bytes){key.bytes, sizeof key.bytes}, "key", 0,
                              NULL) == ILP_OK &&
                !ilpi_snk_same(&whole, &half));
}

static void cut_keys_are_none(void **state)
{
    (void)state;
    struct public_key key = public_half(0x8004);
    struct ilp_bytes forms[] = {
        key_file, {key.bytes, sizeof key.bytes}, {key.bytes + 12, sizeof key.bytes - 12}};
    for (unsigned i = 0; i < COUNT(forms); i++) {
        for (size_t size = 0; size < forms[i].size; size++) {
            uint8_t *cut = malloc(size + 1); /* so that a byte too much is seen */
            memcpy(cut, forms[i].data, size);
            struct ilpi_snk read;
            struct ilp_error error;
            ilp_status status = ilpi_snk_read(&read, (struct ilp_bytes){cut, size}, "key", 0,
                                              &error);
            assert_int_equal(status, ILP_E_BAD_KEY);
            assert_int_equal(error.status, status);
            free(cut);
        }
    }
}

/* Whatever the head says, nothing is read that is not there, and the numbers fill the file. */
static void changed_keys_are_read_or_refused(void **state)
{
    (void)state;
    uint8_t bytes[sizeof snk_private];
    for (unsigned at = 0; at < MODULUS_AT; at++) {
        for (unsigned value = 0; value < 256; value++) {
            memcpy(bytes, snk_private, sizeof bytes);
            bytes[at] = (uint8_t)value;
            struct ilpi_snk read;
            if (ilpi_snk_read(&read, (struct ilp_bytes){bytes, sizeof bytes}, "key", 0, NULL) ==
                ILP_OK) {
                size_t sum = MODULUS_AT - 4;
                for (unsigned i = 0; i < ILPI_RSA_NUMBERS; i++) {
                    sum += read.rsa.number[i].size;
                }
                assert_int_equal(sum, sizeof bytes);
            }
        }
    }
}

/* ---- signatures ---- */

static ilp_status sign_abc(const struct ilpi_rsa_key *key, enum ilpi_hash hash, uint8_t *signature)
{
    struct ilpi_alloc alloc;
    struct ilpi_rsa_signer *signer;
    struct ilp_error error;
    ilpi_alloc_init(&alloc, NULL);
    assert_int_equal(ilpi_rsa_signer_open(&signer, &alloc, key, hash, &error), ILP_OK);
    assert_int_equal(ilpi_rsa_signer_add(signer, "a", 1, &error), ILP_OK);
    assert_int_equal(ilpi_rsa_signer_add(signer, "bc", 2, &error), ILP_OK);
    ilp_status status = ilpi_rsa_signer_sign(signer, signature, &error);
    ilpi_rsa_signer_close(signer);
    assert_int_equal(alloc.used, 0);
    return status;
}

static void signatures_are_those_of_openssl(void **state)
{
    (void)state;
    struct ilpi_snk key;
    uint8_t signature[SIGNATURE];
    assert_int_equal(ilpi_snk_read(&key, key_file, "key", 0, NULL), ILP_OK);
    assert_int_equal(sign_abc(&key.rsa, ILPI_HASH_SHA1, signature), ILP_OK);
    assert_memory_equal(signature, abc_sha1, sizeof signature);
    assert_int_equal(sign_abc(&key.rsa, ILPI_HASH_SHA256, signature), ILP_OK);
    assert_memory_equal(signature, abc_sha256, sizeof signature);
    assert_int_equal(sign_abc(&key.rsa, ILPI_HASH_SHA512, signature),
                     ILP_E_CANNOT_SIGN); /* 512 bits are too few */
}

/* The private exponent is there twice, once in parts; where both are wrong, there is no
 * signature, or the right one, where a library gets along without them. */
static void damaged_keys_do_not_sign_wrongly(void **state)
{
    (void)state;
    uint8_t bytes[sizeof snk_private];
    for (unsigned at = MODULUS_AT + SIGNATURE; at < sizeof bytes - SIGNATURE; at += 3) {
        memcpy(bytes, snk_private, sizeof bytes);
        bytes[at] ^= 0x10;
        bytes[sizeof bytes - 10] ^= 0x10;
        struct ilpi_snk key;
        struct ilpi_alloc alloc;
        struct ilpi_rsa_signer *signer;
        uint8_t signature[SIGNATURE];
        ilpi_alloc_init(&alloc, NULL);
        assert_int_equal(
            ilpi_snk_read(&key, (struct ilp_bytes){bytes, sizeof bytes}, "key", 0, NULL), ILP_OK);
        ilp_status status = ilpi_rsa_signer_open(&signer, &alloc, &key.rsa, ILPI_HASH_SHA1, NULL);
        if (status == ILP_OK) {
            assert_int_equal(ilpi_rsa_signer_add(signer, "abc", 3, NULL), ILP_OK);
            status = ilpi_rsa_signer_sign(signer, signature, NULL);
        }
        if (status == ILP_OK) {
            assert_memory_equal(signature, abc_sha1, sizeof signature);
        } else {
            assert_int_equal(status, ILP_E_CANNOT_SIGN);
        }
        ilpi_rsa_signer_close(signer);
    }
}

/* ---- files ---- */

/* The last section has room for a signature, and the CLI header says so. */
static struct ib_file signable(struct ib_pe pe)
{
    pe.extra_sections = 2;
    pe.extra_size = pe.extra_virtual_size = 0x180;
    struct ib_file file = sample(pe);
    uint32_t last = file.section_table + 2 * SECTION_BYTES;
    ib_set32(file.data, file.cli + CLI_SIGNATURE, ib_get32(file.data, last + 12) + 0x40);
    ib_set32(file.data, file.cli + CLI_SIGNATURE + 4, SIGNATURE);
    return file;
}

/* make_changes() and the public key, signed. */
static ilp_status write_signed(const struct ib_file *file, struct ilp_bytes public_key,
                               struct ilp_bytes snk, struct ilp_bytes *written,
                               struct ilp_error *error)
{
    struct ilp_image *image = open_image((struct ilp_bytes){file->data, file->size},
                                         ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    struct collector collector = {0};
    struct ilp_sink sink = {&collector, collect};
    struct ilp_write_options options = {.strong_name = ILP_STRONG_NAME_SIGN, .key = snk};
    struct ilp_write_info info;
    uint32_t blob;
    make_changes(edit);
    assert_int_equal(ilp_edit_add_blob(edit, public_key, &blob, NULL), ILP_OK);
    assert_int_equal(ilp_edit_set_cell(edit, ILP_Assembly, 1, ILP_Assembly_PublicKey, blob, NULL),
                     ILP_OK);
    *error = (struct ilp_error){0};
    ilp_status status = ilp_edit_write(edit, &options, &sink, &info, error);
    assert_int_equal(error->status, status);
    *written = taken(collector.bytes);
    if (status == ILP_OK) {
        assert_int_equal(info.size, written->size);
        assert_int_equal(info.strong_name, snk.size == sizeof snk_private ? ILP_STRONG_NAME_SIGNED
                                                                          : ILP_STRONG_NAME_PUBLIC);
    } else {
        assert_int_equal(written->size, 0);
    }
    ilp_edit_close(edit);
    ilp_image_close(image);
    return status;
}

/* What has to be signed, by the book: zeros for what comes later, and all sections but for the
 * signature. */
static void sign_by_the_book(struct ilp_bytes written, uint32_t rva, enum ilpi_hash hash,
                             uint8_t *signature)
{
    struct ib_file file = ib_look(written.data, written.size);
    struct ib_bytes text = {0};
    struct ilpi_snk key;
    struct ilpi_alloc alloc;
    struct ilpi_rsa_signer *signer;
    ib_put(&text, written.data, file.table_end);
    ib_set32(text.data, file.optional + OPT_CHECKSUM, 0);
    memset(text.data + file.directories + DIR_SECURITY * 8, 0, 8);
    for (uint32_t at = file.section_table; at < file.table_end; at += SECTION_BYTES) {
        uint32_t start = ib_get32(written.data, at + 12);
        uint32_t size = ib_get32(written.data, at + 16);
        const uint8_t *data = written.data + ib_get32(written.data, at + 20);
        bool here = rva >= start && rva < start + size;
        uint32_t before = here ? rva - start : size;
        ib_put(&text, data, before);
        if (here) {
            ib_put(&text, data + before + SIGNATURE, size - before - SIGNATURE);
        }
    }
    ilpi_alloc_init(&alloc, NULL);
    assert_int_equal(ilpi_snk_read(&key, key_file, "key", 0, NULL), ILP_OK);
    assert_int_equal(ilpi_rsa_signer_open(&signer, &alloc, &key.rsa, hash, NULL), ILP_OK);
    assert_int_equal(ilpi_rsa_signer_add(signer, text.data, text.size, NULL), ILP_OK);
    assert_int_equal(ilpi_rsa_signer_sign(signer, signature, NULL), ILP_OK);
    ilpi_rsa_signer_close(signer);
    ib_free(&text);
}

static void files_are_signed(void **state)
{
    (void)state;
    for (unsigned what = 0; what < 16; what++) {
        struct ib_file file = signable((struct ib_pe){.plus = what & 1});
        bool certificate = what & 4;
        enum ilpi_hash hash = what & 8 ? ILPI_HASH_SHA256 : ILPI_HASH_SHA1;
        struct public_key key = public_half(what & 8 ? 0x800C : 0x8004);
        struct ilp_bytes written;
        struct ilp_error error;
        uint8_t expected[SIGNATURE];
        if (certificate) {
            ib_directory(&file, DIR_SECURITY, (uint32_t)file.size, 16);
            ib_append(&file, "certificate.....", 16);
        }
        if (what & 2) {
            ib_set32(file.data, file.optional + OPT_CHECKSUM, 1);
        }
        assert_int_equal(write_signed(&file, (struct ilp_bytes){key.bytes, sizeof key.bytes},
                                      key_file, &written, &error),
                         ILP_OK);
        struct ilp_image *after = open_image(written, ILP_LAYOUT_FILE);
        const uint8_t *signature =
            ilp_image_rva(after, after->pe.strong_name_signature.rva, NULL).data;
        sign_by_the_book(written, after->pe.strong_name_signature.rva, hash, expected);
        for (unsigned i = 0; i < SIGNATURE; i++) {
            assert_int_equal(signature[i], expected[SIGNATURE - 1 - i]);
        }
        assert_int_equal(after->pe.cli_flags, 0x9);
        assert_int_equal(after->pe.checksum,
                         what & 2 ? ib_checksum(written.data, written.size) : 0);
        close_built(after);
        free(file.data);
    }
}

static void the_public_half_leaves_zeros(void **state)
{
    (void)state;
    struct ib_file file = signable((struct ib_pe){0});
    struct public_key key = public_half(0x8004);
    struct ilp_bytes bytes = {key.bytes, sizeof key.bytes};
    struct ilp_bytes written;
    struct ilp_error error;
    static const uint8_t zeros[SIGNATURE];
    assert_int_equal(write_signed(&file, bytes, bytes, &written, &error), ILP_OK);
    struct ilp_image *after = open_image(written, ILP_LAYOUT_FILE);
    assert_int_equal(after->pe.cli_flags, 0x9);
    assert_memory_equal(ilp_image_rva(after, after->pe.strong_name_signature.rva, NULL).data, zeros,
                        SIGNATURE);
    close_built(after);
    free(file.data);
}

/* Which change to the file makes it one that cannot be signed. */
enum spoiled {
    NOT_SPOILED,
    NO_PLACE,
    OTHER_SIZE,
    OUTSIDE,
    ON_THE_CLI_HEADER,
    SECTIONS_SWAPPED,
    OPTIONAL_SIZE,
    NO_KEY,
    NEUTRAL_KEY,
    BROKEN_KEY,
    OTHER_KEY,
    MD5_KEY,
    SPOILED_COUNT
};

static void swap_sections(struct ib_file *file)
{
    uint8_t *first = file->data + file->section_table + SECTION_BYTES;
    uint32_t size = ib_get32(first, 16);
    uint32_t offset = ib_get32(first, 20);
    ib_set32(first, 16, ib_get32(first + SECTION_BYTES, 16));
    ib_set32(first, 20, ib_get32(first + SECTION_BYTES, 20));
    ib_set32(first + SECTION_BYTES, 16, size);
    ib_set32(first + SECTION_BYTES, 20, offset);
}

static void spoil(struct ib_file *file, struct public_key *key, size_t *key_size, enum spoiled how)
{
    uint32_t place = file->cli + CLI_SIGNATURE;
    switch (how) {
    case NO_PLACE: ib_set32(file->data, place + 4, 0); break;
    case OTHER_SIZE: ib_set32(file->data, place + 4, SIGNATURE + 1); break;
    case OUTSIDE: ib_set32(file->data, place, 0x7FFF0000); break;
    case ON_THE_CLI_HEADER:
        ib_set32(file->data, place, file->text_rva + (file->cli - file->text_offset) + 60);
        break;
    case SECTIONS_SWAPPED:
        swap_sections(file);
        ib_set32(file->data, place,
                 ib_get32(file->data, file->section_table + SECTION_BYTES + 12) + 0x40);
        break;
    case OPTIONAL_SIZE:
        memmove(file->data + file->section_table + 8, file->data + file->section_table,
                3 * SECTION_BYTES);
        ib_set16(file->data, file->coff + 16, 224 + 8);
        break;
    case NO_KEY: *key_size = 0; break;
    case NEUTRAL_KEY:
        *key = (struct public_key){{[8] = 4}};
        *key_size = 16;
        break;
    case BROKEN_KEY: *key_size -= 1; break;
    case OTHER_KEY: key->bytes[*key_size - 1] ^= 1; break;
    case MD5_KEY: ib_set32(key->bytes, 4, 0x8003); break;
    case NOT_SPOILED:
    case SPOILED_COUNT: break;
    }
}

static ilp_status status_of(enum spoiled how)
{
    switch (how) {
    case NOT_SPOILED: return ILP_OK;
    case ON_THE_CLI_HEADER: return ILP_E_BAD_PE;
    case BROKEN_KEY: return ILP_E_BAD_KEY;
    default: return ILP_E_CANNOT_SIGN;
    }
}

static void what_cannot_be_signed_is_refused(void **state)
{
    (void)state;
    for (enum spoiled how = NOT_SPOILED; how < SPOILED_COUNT; how++) {
        struct ib_file file = signable((struct ib_pe){.lfanew = 0x40});
        struct public_key key = public_half(0x8004);
        size_t key_size = sizeof key.bytes;
        struct ilp_bytes written;
        struct ilp_error error;
        spoil(&file, &key, &key_size, how);
        ilp_status status = write_signed(&file, (struct ilp_bytes){key.bytes, key_size}, key_file,
                                         &written, &error);
        if (status != status_of(how)) {
            fail_msg("case %d: %s: %s", how, ilp_status_name(status), error.message);
        }
        drop(written);
        free(file.data);
    }
}

/* ---- AssemblySignatureKeyAttribute ---- */

/* A sample with the attribute, whose first argument is `key` in hexadecimal. */
static struct ib_file with_signature_key(struct ilp_bytes key, bool upper)
{
    char value[3 + 2 * sizeof(struct public_key) + 4] = "\1";
    size_t size = 2;
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    uint32_t string_blob = ib_blob(&b, "\x20\x02\x01\x0E\x0E", 5);
    IB_ROW(&b, TypeRef, ILP_TOKEN(ILP_AssemblyRef, 1),
           ib_string(&b, "AssemblySignatureKeyAttribute"), ib_string(&b, "System.Reflection"));
    ilp_rid type = b.tables[ILP_TypeRef].count;
    IB_ROW(&b, MemberRef, ILP_TOKEN(ILP_TypeRef, type), ib_string(&b, ".ctor"), string_blob);
    value[size++] = (char)(0x80 | key.size * 2 >> 8);
    value[size++] = (char)(key.size * 2 & 0xFF);
    for (size_t i = 0; i < key.size; i++) {
        size += (size_t)sprintf(value + size, upper ? "%02X" : "%02x", key.data[i]);
    }
    value[size++] = '\0'; /* an empty countersignature, and no named arguments */
    value[size++] = '\0';
    value[size++] = '\0';
    IB_ROW(&b, CustomAttribute, ILP_TOKEN(ILP_Assembly, 1),
           ILP_TOKEN(ILP_MemberRef, b.tables[ILP_MemberRef].count), ib_blob(&b, value, size));
    struct ib_file file = ib_pe_file(
        &b, (struct ib_pe){.extra_sections = 2, .extra_size = 0x180, .extra_virtual_size = 0x180});
    ib_end(&b);
    uint32_t last = file.section_table + 2 * SECTION_BYTES;
    ib_set32(file.data, file.cli + CLI_SIGNATURE, ib_get32(file.data, last + 12) + 0x40);
    ib_set32(file.data, file.cli + CLI_SIGNATURE + 4, SIGNATURE);
    return file;
}

/* The identity has one key, the signature another. */
static void the_signature_key_signs(void **state)
{
    (void)state;
    struct public_key identity = public_half(0x8004);
    identity.bytes[40] ^= 0xFF;
    for (unsigned upper = 0; upper < 2; upper++) {
        struct public_key key = public_half(0x800C);
        struct ib_file file = with_signature_key((struct ilp_bytes){key.bytes, sizeof key.bytes},
                                                 upper);
        struct ilp_bytes written;
        struct ilp_error error;
        uint8_t expected[SIGNATURE];
        assert_int_equal(write_signed(&file,
                                      (struct ilp_bytes){identity.bytes, sizeof identity.bytes},
                                      key_file, &written, &error),
                         ILP_OK);
        struct ilp_image *after = open_image(written, ILP_LAYOUT_FILE);
        sign_by_the_book(written, after->pe.strong_name_signature.rva, ILPI_HASH_SHA256, expected);
        const uint8_t *signature =
            ilp_image_rva(after, after->pe.strong_name_signature.rva, NULL).data;
        assert_int_equal(signature[0], expected[SIGNATURE - 1]);
        assert_int_equal(signature[SIGNATURE - 1], expected[0]);
        close_built(after);
        free(file.data);
    }
}

static void another_signature_key_does_not(void **state)
{
    (void)state;
    struct public_key identity = public_half(0x8004);
    struct public_key key = public_half(0x800C);
    struct ilp_bytes bytes = {key.bytes, sizeof key.bytes};
    for (unsigned cut = 0; cut < 2; cut++) {
        key.bytes[40] ^= 0xFF;
        bytes.size -= cut;
        struct ib_file file = with_signature_key(bytes, false);
        struct ilp_bytes written;
        struct ilp_error error;
        assert_int_equal(write_signed(&file,
                                      (struct ilp_bytes){identity.bytes, sizeof identity.bytes},
                                      key_file, &written, &error),
                         cut ? ILP_E_BAD_KEY : ILP_E_CANNOT_SIGN);
        assert_non_null(strstr(error.message, "AssemblySignatureKeyAttribute"));
        drop(written);
        free(file.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_read),
        cmocka_unit_test(cut_keys_are_none),
        cmocka_unit_test(changed_keys_are_read_or_refused),
        cmocka_unit_test(signatures_are_those_of_openssl),
        cmocka_unit_test(damaged_keys_do_not_sign_wrongly),
        cmocka_unit_test(files_are_signed),
        cmocka_unit_test(the_public_half_leaves_zeros),
        cmocka_unit_test(what_cannot_be_signed_is_refused),
        cmocka_unit_test(the_signature_key_signs),
        cmocka_unit_test(another_signature_key_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
