/* src/inspect/file_emitter.c: rows that are there are found, others are added once. */
#include "tests/unit/inspect_image.h"

struct bench {
    struct ilp_image *image;
    struct ilp_edit *edit;
    struct ilp_file_emitter *emitter;
    const struct ilp_emitter *interface;
};

static void bench_begin(struct bench *bench, struct ib_image *b)
{
    bench->image = built_root(b);
    bench->edit = open_edit(bench->image);
    assert_int_equal(ilp_file_emitter_open(&bench->emitter, bench->edit, NULL), ILP_OK);
    bench->interface = ilp_file_emitter_interface(bench->emitter);
}

static void bench_end(struct bench *bench)
{
    ilp_file_emitter_close(bench->emitter);
    ilp_edit_close(bench->edit);
    close_built(bench->image);
}

static ilp_token keyed_ref(struct bench *bench, const char *name, const char *key)
{
    struct ilp_assembly_name identity = {.name = name,
                                         .culture = "",
                                         .version = {1, 2, 3, 4},
                                         .flags = 1,
                                         .key = {(const uint8_t *)key, strlen(key)}};
    ilp_token token = 0;
    assert_int_equal(
        bench->interface->assembly_ref(bench->interface->user, &identity, &token, NULL), ILP_OK);
    return token;
}

static ilp_token assembly_ref(struct bench *bench, const char *name)
{
    return keyed_ref(bench, name, "");
}

static ilp_token type_ref(struct bench *bench, ilp_token scope, const char *name_space,
                          const char *name)
{
    ilp_token token = 0;
    assert_int_equal(
        bench->interface->type_ref(bench->interface->user, scope, name_space, name, &token, NULL),
        ILP_OK);
    return token;
}

static ilp_token member_ref(struct bench *bench, ilp_token parent, const char *name,
                            const char *signature)
{
    struct ii_hex blob = ii_hex(signature);
    ilp_token token = 0;
    assert_int_equal(bench->interface->member_ref(bench->interface->user, parent, name,
                                                  (struct ilp_bytes){blob.data, blob.size}, &token,
                                                  NULL),
                     ILP_OK);
    return token;
}

static ilp_token type_spec(struct bench *bench, const char *signature)
{
    struct ii_hex blob = ii_hex(signature);
    ilp_token token = 0;
    assert_int_equal(bench->interface->type_spec(bench->interface->user,
                                                 (struct ilp_bytes){blob.data, blob.size}, &token,
                                                 NULL),
                     ILP_OK);
    return token;
}

static ilp_token standalone_sig(struct bench *bench, const char *signature)
{
    struct ii_hex blob = ii_hex(signature);
    ilp_token token = 0;
    assert_int_equal(bench->interface->standalone_sig(bench->interface->user,
                                                      (struct ilp_bytes){blob.data, blob.size},
                                                      &token, NULL),
                     ILP_OK);
    return token;
}

static ilp_token method_spec(struct bench *bench, ilp_token method, const char *signature)
{
    struct ii_hex blob = ii_hex(signature);
    ilp_token token = 0;
    assert_int_equal(bench->interface->method_spec(bench->interface->user, method,
                                                   (struct ilp_bytes){blob.data, blob.size}, &token,
                                                   NULL),
                     ILP_OK);
    return token;
}

static ilp_token user_string(struct bench *bench, const char *text)
{
    ilp_token token = 0;
    assert_int_equal(bench->interface->user_string(
                         bench->interface->user,
                         (struct ilp_bytes){(const uint8_t *)text, strlen(text)}, &token, NULL),
                     ILP_OK);
    return token;
}

/* ---- rows that are there ---- */

static void test_existing_rows(void **state)
{
    (void)state;
    struct bench bench;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token lib = ii_assembly_ref(&b, "Lib");
    ilp_token type = ii_type_ref(&b, lib, "L", "Type");
    ilp_token same_name = ii_type_ref(&b, II_MSCORLIB, "L", "Type");
    ilp_token no_space = ii_type_ref(&b, lib, "", "Type");
    ilp_token member = ILP_TOKEN(
        ILP_MemberRef, IB_ROW(&b, MemberRef, type, ib_string(&b, "M"), ii_blob(&b, "00 00 01")));
    ilp_token overload = ILP_TOKEN(
        ILP_MemberRef, IB_ROW(&b, MemberRef, type, ib_string(&b, "M"), ii_blob(&b, "00 00 08")));
    ilp_token spec = ILP_TOKEN(ILP_TypeSpec, IB_ROW(&b, TypeSpec, ii_blob(&b, "13 00")));
    IB_ROW(&b, TypeSpec, ii_blob(&b, "13 00")); /* of equal rows the first is taken */
    ilp_token locals = ILP_TOKEN(ILP_StandAloneSig,
                                 IB_ROW(&b, StandAloneSig, ii_blob(&b, "07 01 08")));
    ilp_token method = ILP_TOKEN(ILP_MethodSpec,
                                 IB_ROW(&b, MethodSpec, member, ii_blob(&b, "0A 01 08")));
    ilp_token other = ILP_TOKEN(ILP_MethodSpec,
                                IB_ROW(&b, MethodSpec, overload, ii_blob(&b, "0A 01 08")));
    bench_begin(&bench, &b);
    assert_int_equal(assembly_ref(&bench, "Lib"), lib);
    assert_int_equal(assembly_ref(&bench, "mscorlib"), II_MSCORLIB);
    assert_int_equal(type_ref(&bench, lib, "L", "Type"), type);
    assert_int_equal(type_ref(&bench, II_MSCORLIB, "L", "Type"), same_name);
    assert_int_equal(type_ref(&bench, lib, "", "Type"), no_space);
    assert_int_equal(member_ref(&bench, type, "M", "00 00 01"), member);
    assert_int_equal(member_ref(&bench, type, "M", "00 00 08"), overload);
    assert_int_equal(type_spec(&bench, "13 00"), spec);
    assert_int_equal(standalone_sig(&bench, "07 01 08"), locals);
    assert_int_equal(method_spec(&bench, member, "0A 01 08"), method);
    assert_int_equal(method_spec(&bench, overload, "0A 01 08"), other);
    assert_true(ilp_edit_is_empty(bench.edit));
    bench_end(&bench);
}

/* ---- rows that are not ---- */

static void test_new_rows(void **state)
{
    (void)state;
    struct bench bench;
    struct ib_image b;
    ii_begin(&b, "App");
    bench_begin(&bench, &b);
    ilp_token lib = keyed_ref(&bench, "Lib", "key");
    ilp_token type = type_ref(&bench, lib, "L", "Type");
    ilp_token member = member_ref(&bench, type, "M", "00 00 01");
    ilp_token spec = type_spec(&bench, "13 00");
    ilp_token locals = standalone_sig(&bench, "07 01 08");
    ilp_token method = method_spec(&bench, member, "0A 01 08");
    ilp_token text = user_string(&bench, "N.C::M");
    assert_int_equal(lib, ILP_TOKEN(ILP_AssemblyRef, 2));
    assert_int_equal(type, ILP_TOKEN(ILP_TypeRef, 4));
    assert_int_equal(member, ILP_TOKEN(ILP_MemberRef, 1));
    assert_int_equal(spec, ILP_TOKEN(ILP_TypeSpec, 1));
    assert_int_equal(locals, ILP_TOKEN(ILP_StandAloneSig, 1));
    assert_int_equal(method, ILP_TOKEN(ILP_MethodSpec, 1));
    assert_int_equal(ILP_TOKEN_TABLE(text), ILP_TOKEN_USER_STRING);
    /* what differs a little is another row */
    assert_int_equal(type_ref(&bench, lib, "L", "type"), ILP_TOKEN(ILP_TypeRef, 5));
    assert_int_equal(type_ref(&bench, lib, "", "Type"), ILP_TOKEN(ILP_TypeRef, 6));
    assert_int_equal(member_ref(&bench, type, "M", "00 00 08"), ILP_TOKEN(ILP_MemberRef, 2));
    assert_int_equal(member_ref(&bench, type, "N", "00 00 01"), ILP_TOKEN(ILP_MemberRef, 3));
    assert_int_equal(method_spec(&bench, member, "0A 01 0E"), ILP_TOKEN(ILP_MethodSpec, 2));
    assert_int_equal(method_spec(&bench, member + 1, "0A 01 08"), ILP_TOKEN(ILP_MethodSpec, 3));
    assert_int_not_equal(user_string(&bench, "N.C::m"), text);
    /* requested again, nothing is added */
    assert_int_equal(keyed_ref(&bench, "Lib", "key"), lib);
    /* another assembly of that name */
    assert_int_not_equal(keyed_ref(&bench, "Lib", "other"), lib);
    assert_int_equal(type_ref(&bench, lib, "L", "Type"), type);
    assert_int_equal(member_ref(&bench, type, "M", "00 00 01"), member);
    assert_int_equal(type_spec(&bench, "13 00"), spec);
    assert_int_equal(standalone_sig(&bench, "07 01 08"), locals);
    assert_int_equal(method_spec(&bench, member, "0A 01 08"), method);
    assert_int_equal(user_string(&bench, "N.C::M"), text);

    struct ilp_image *written = rewritten(bench.edit, NULL);
    struct ilp_assembly_name identity;
    ilpi_assembly_ref_name(written, 2, &identity);
    assert_string_equal(identity.name, "Lib");
    assert_int_equal(identity.version[3], 4);
    assert_int_equal(identity.flags, 1);
    same_bytes(identity.key, (struct ilp_bytes){(const uint8_t *)"key", 3});
    assert_string_equal(name_at(written, ILP_TypeRef, 4, ILP_TypeRef_TypeName), "Type");
    assert_int_equal(ilp_cell(written, ILP_TypeRef, 4, ILP_TypeRef_ResolutionScope), lib);
    assert_int_equal(ilp_cell(written, ILP_MemberRef, 1, ILP_MemberRef_Class), type);
    assert_int_equal(ilp_cell(written, ILP_MethodSpec, 1, ILP_MethodSpec_Method), member);
    assert_int_equal(ilp_user_string(written, text).size, 2 * strlen("N.C::M"));
    close_built(written);
    bench_end(&bench);
}

/* One name and another key is another assembly; a token cannot be distinguished from the key it is
 * for. */
static void test_keys(void **state)
{
    (void)state;
    static const char whole[] = "a whole public key is longer than eight bytes";
    struct bench bench;
    struct ib_image b;
    ii_begin(&b, "App");
    bench_begin(&bench, &b);
    ilp_token none = keyed_ref(&bench, "None", "");
    ilp_token token = keyed_ref(&bench, "Token", "8 bytes.");
    ilp_token key = keyed_ref(&bench, "Key", whole);
    assert_int_equal(keyed_ref(&bench, "None", ""), none);
    assert_int_not_equal(keyed_ref(&bench, "None", "8 bytes."), none);
    assert_int_equal(keyed_ref(&bench, "Token", "8 bytes."), token);
    assert_int_equal(keyed_ref(&bench, "Token", whole), token);
    assert_int_not_equal(keyed_ref(&bench, "Token", "8 others"), token);
    assert_int_not_equal(keyed_ref(&bench, "Token", ""), token);
    assert_int_equal(keyed_ref(&bench, "Key", whole), key);
    assert_int_equal(keyed_ref(&bench, "Key", "8 bytes."), key);
    assert_int_not_equal(keyed_ref(&bench, "Key", "another key that is whole"), key);
    bench_end(&bench);
}

/* An empty signature is nothing that a row should have, but no crash either. */
static void test_empty_blobs(void **state)
{
    (void)state;
    struct bench bench;
    struct ib_image b;
    ii_begin(&b, "App");
    IB_ROW(&b, TypeSpec, 0);
    IB_ROW(&b, TypeSpec, 0xFFFF);
    bench_begin(&bench, &b);
    assert_int_equal(type_spec(&bench, ""), ILP_TOKEN(ILP_TypeSpec, 1));
    assert_int_equal(type_spec(&bench, "08"), ILP_TOKEN(ILP_TypeSpec, 3));
    bench_end(&bench);
}

/* ---- the index grows ---- */

static ilp_token spec_number(struct bench *bench, uint32_t number)
{
    char signature[16];
    snprintf(signature, sizeof signature, "13 %02X %02X", 0x80 | number >> 8, number & 0xFF);
    return type_spec(bench, signature);
}

static void test_many(void **state)
{
    (void)state;
    enum { FIRST = 50, ALL = 5000 };
    struct bench bench;
    struct ib_image b;
    ii_begin(&b, "App");
    for (uint32_t i = 0; i < FIRST; i++) {
        IB_ROW(&b, TypeSpec, IB_BLOB(&b, 0x13, 0x80, (uint8_t)i));
    }
    bench_begin(&bench, &b);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < ALL; i++) {
            assert_int_equal(spec_number(&bench, i), ILP_TOKEN(ILP_TypeSpec, i + 1));
        }
        assert_int_equal(ilp_edit_row_count(bench.edit, ILP_TypeSpec), ALL);
    }
    for (uint32_t i = 0; i < ALL; i++) { /* one instantiation of many methods */
        assert_int_equal(method_spec(&bench, ILP_TOKEN(ILP_MethodDef, i + 1), "0A 01 08"),
                         ILP_TOKEN(ILP_MethodSpec, i + 1));
    }
    bench_end(&bench);
}

enum { OWNERS = 3, NAMES = 5, SIGNATURES = 4, KINDS = OWNERS * NAMES * SIGNATURES };

/* Some of the MemberRefs there may be of a few types, names and signatures; of those that are there
 * twice the first is found, whether by the index or without it. */
static void test_members(void **state)
{
    static const char *const names[NAMES] = {"A", "B", "M", "N", ".ctor"};
    static const char *const signatures[SIGNATURES] = {"", "00 00 01", "00 00 08", "20 00 08"};
    enum { ROWS = 90, STEP = 7 };
    struct bench bench;
    struct ib_image b;
    ilp_token owners[OWNERS];
    ilp_rid first[KINDS] = {0};
    (void)state;
    ii_begin(&b, "App");
    for (unsigned i = 0; i < OWNERS; i++) {
        owners[i] = ii_type_ref(&b, II_MSCORLIB, "", i == 0 ? "X" : i == 1 ? "Y" : "Z");
    }
    for (ilp_rid rid = 1; rid <= ROWS; rid++) {
        unsigned kind = rid * STEP % (KINDS - 10);
        IB_ROW(&b, MemberRef, owners[kind % OWNERS], ib_string(&b, names[kind / OWNERS % NAMES]),
               ii_blob(&b, signatures[kind / OWNERS / NAMES]));
        first[kind] = first[kind] != 0 ? first[kind] : rid;
    }
    bench_begin(&bench, &b);
    ilp_rid rows = ROWS;
    for (unsigned i = 0; i < 2 * KINDS; i++) {
        unsigned kind = i % KINDS;
        first[kind] = first[kind] != 0 ? first[kind] : ++rows;
        assert_int_equal(member_ref(&bench, owners[kind % OWNERS], names[kind / OWNERS % NAMES],
                                    signatures[kind / OWNERS / NAMES]),
                         ILP_TOKEN(ILP_MemberRef, first[kind]));
    }
    assert_int_equal(ilp_edit_row_count(bench.edit, ILP_MemberRef), rows);
    assert_true(rows >= ROWS + 10);
    bench_end(&bench);
}

/* Rows that the caller adds to the edit meanwhile may be missed, but never be mistaken. */
static void test_other_edits(void **state)
{
    (void)state;
    struct bench bench;
    struct ib_image b;
    ii_begin(&b, "App");
    bench_begin(&bench, &b);
    assert_int_equal(type_spec(&bench, "13 00"), ILP_TOKEN(ILP_TypeSpec, 1));
    ADD_ROW(bench.edit, TypeSpec, add_blob(bench.edit, "\x13\x01", 2));
    assert_int_equal(type_spec(&bench, "13 02"), ILP_TOKEN(ILP_TypeSpec, 3));
    assert_int_equal(type_spec(&bench, "13 00"), ILP_TOKEN(ILP_TypeSpec, 1));
    bench_end(&bench);
}

/* ---- memory ---- */

static void test_memory(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    struct ilp_image *image = built_root(&b);
    for (size_t fail_at = 1;; fail_at++) {
        struct memory memory = {.fail_at = fail_at};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilp_edit *edit;
        struct ilp_file_emitter *emitter = NULL;
        ilp_token token;
        static const uint8_t signature[] = {0x13, 0x00};
        ilp_status status = ilp_edit_open(&edit, image, &allocator, NULL);
        if (status == ILP_OK) {
            status = ilp_file_emitter_open(&emitter, edit, NULL);
        }
        for (unsigned i = 0; i < 3 && status == ILP_OK; i++) {
            const struct ilp_emitter *interface = ilp_file_emitter_interface(emitter);
            struct ilp_bytes blob = {signature, sizeof signature};
            void *user = interface->user;
            switch (i) {
            case 0: status = interface->type_spec(user, blob, &token, NULL); break;
            case 1: status = interface->method_spec(user, 0x06000001, blob, &token, NULL); break;
            default: status = interface->user_string(user, blob, &token, NULL); break;
            }
        }
        ilp_file_emitter_close(emitter);
        ilp_edit_close(edit);
        memory_is_empty(&memory);
        if (status == ILP_OK) {
            assert_true(fail_at > 3);
            break;
        }
        assert_int_equal(status, ILP_E_NO_MEMORY);
    }
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_existing_rows), cmocka_unit_test(test_new_rows),
        cmocka_unit_test(test_keys),          cmocka_unit_test(test_empty_blobs),
        cmocka_unit_test(test_many),          cmocka_unit_test(test_members),
        cmocka_unit_test(test_other_edits),   cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
