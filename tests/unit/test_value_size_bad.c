/* src/types/value_size.c: definitions that lead nowhere, or that would take for ever, and memory
 * that runs out. */
#include "tests/unit/value_size_test.h"

static void test_endless(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token next = ILP_TOKEN(ILP_TypeDef, b.tables[ILP_TypeDef].count + 1);
    ilp_token self = struct_of(&b, "05", value(next));
    next = ILP_TOKEN(ILP_TypeDef, b.tables[ILP_TypeDef].count + 2);
    ilp_token first = struct_of(&b, "05", value(next));
    struct_of(&b, value(first), "05");
    next = ILP_TOKEN(ILP_TypeDef, b.tables[ILP_TypeDef].count + 1);
    ilp_token growing = struct_of(&b, "13 00", instance(next, 1, instance(next, 1, "13 00")));
    next = ILP_TOKEN(ILP_TypeDef, b.tables[ILP_TypeDef].count + 1);
    ilp_token own_enum = type_of(&b, "E", AUTO, II_ENUM);
    field(&b, value(own_enum));
    struct ilp_image *app = built_root(&b);
    check(app, NULL, value(self), 0, 0);
    check(app, NULL, value(first), 0, 0);
    check(app, NULL, instance(growing, 1, "05"), 0, 0);
    check(app, NULL, value(own_enum), 0, 0);
    close_built(app);
}

/* Structs in structs, each with `fields` fields of the one before; returns the last. */
static ilp_token chain(struct ib_image *b, unsigned length, unsigned fields, bool generic)
{
    ilp_token type = struct_of(b, generic ? "13 00" : "05", NULL);
    for (unsigned i = 1; i < length; i++) {
        const char *inner = generic ? instance(type, 1, "13 00") : value(type);
        type = add_struct(b, SEQUENTIAL);
        for (unsigned at = 0; at < fields; at++) {
            field(b, inner);
        }
    }
    return type;
}

/* Without a limit these would take 2^60 steps, or the stack. */
static void test_deep(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token doubled = chain(&b, 21, 2, false);
    ilp_token too_large = chain(&b, 60, 2, false);
    ilp_token doubled_generic = chain(&b, 11, 2, true);
    ilp_token exhausting = chain(&b, 60, 2, true);
    ilp_token deep = chain(&b, 60, 1, false);
    ilp_token too_deep = chain(&b, 70, 1, false);
    ilp_token endless = chain(&b, 5000, 1, true);
    struct ilp_image *app = built_root(&b);
    check(app, NULL, value(doubled), 1u << 20, 1u << 20);
    check(app, NULL, value(too_large), 0, 0);
    /* 2^10 of them: more than the steps */
    check(app, NULL, instance(doubled_generic, 1, "05"), 0, 0);
    check(app, NULL, instance(exhausting, 1, "05"), 0, 0);
    check(app, NULL, value(deep), 1, 1);
    check(app, NULL, value(too_deep), 0, 0);
    check(app, NULL, instance(endless, 1, "05"), 0, 0);
    close_built(app);
}

/* Arguments in arguments, in each of many structs in structs: both depths together are limited. */
static void test_deep_arguments(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token box = struct_of(&b, "13 00", NULL);
    ilp_token type = box;
    char nested[400];
    for (unsigned i = 0; i < 60; i++) {
        nested[0] = '\0';
        for (unsigned at = 0; at < 25; at++) {
            strcat(nested, text_of("15 11 %s 01 ", encoded(box)));
        }
        assert_true(strlen(nested) < sizeof nested);
        struct ii_hex head = ii_hex(nested);
        struct ii_hex tail = ii_hex(value(type));
        uint8_t blob[300] = {6};
        memcpy(blob + 1, head.data, head.size);
        memcpy(blob + 1 + head.size, tail.data, tail.size);
        type = add_struct(&b, SEQUENTIAL);
        IB_ROW(&b, Field, 6, ib_string(&b, "f"), ib_blob(&b, blob, 1 + head.size + tail.size));
    }
    struct ilp_image *app = built_root(&b);
    check(app, NULL, value(type), 0, 0);
    close_built(app);
}

static void test_many(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token wide = add_struct(&b, SEQUENTIAL); /* as large as real ones get */
    for (unsigned i = 0; i < 1000; i++) {
        field(&b, "05");
    }
    ilp_token too_wide = add_struct(&b, SEQUENTIAL);
    for (unsigned i = 0; i < 5000; i++) {
        field(&b, "05");
    }
    ilp_token constants = type_of(&b, "E", AUTO, II_ENUM);
    for (unsigned i = 0; i < 20000; i++) {
        flagged_field(&b, LITERAL, "05");
    }
    field(&b, "05");
    ilp_token attributes = struct_of(&b, "05", NULL);
    for (unsigned i = 0; i < 100000; i++) {
        IB_ROW(&b, CustomAttribute, attributes, ILP_TOKEN(ILP_MethodDef, 1), 0);
    }
    ilp_token long_blob = add_struct(&b, SEQUENTIAL);
    static uint8_t blob[200000];
    memset(blob, 0x0F, sizeof blob); /* pointers to pointers */
    blob[0] = 6;
    IB_ROW(&b, Field, 6, 0, ib_blob(&b, blob, sizeof blob));
    ilp_token beyond = add_struct(&b, SEQUENTIAL);
    ib_set(&b, ILP_TypeDef, ILP_TOKEN_RID(beyond), ILP_TypeDef_FieldList, 0xFFFFFF);
    struct ilp_image *app = built_root(&b);
    check(app, NULL, value(wide), 1000, 1000);
    check(app, NULL, value(too_wide), 0, 0);
    check(app, NULL, value(constants), 1, 1);
    check(app, NULL, value(attributes), 0, 0);
    check(app, NULL, value(long_blob), 0, 0);
    check(app, NULL, value(beyond), 1, 1);
    close_built(app);
}

/* Each allocation fails in its turn. */
static void test_memory(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token type = add_struct(&b, SEQUENTIAL); /* more than one chunk of an arena */
    for (unsigned i = 0; i < 1000; i++) {
        field(&b, "13 00");
    }
    struct ilp_image *app = built_root(&b);
    struct ii_hex hex = ii_hex(text_of("00 00 %s", instance(type, 1, "07")));
    struct ilp_bytes blob = {hex.data, hex.size};
    bool failed = false;
    bool succeeded = false;
    for (size_t at = 1; !succeeded; at++) {
        struct memory memory = {.fail_at = at};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilp_arena *arena;
        struct ilp_sig *sig;
        uint32_t size;
        struct ilp_error error = {0};
        if (ilp_arena_open(&arena, &allocator, NULL) != ILP_OK) {
            continue;
        }
        if (ilp_sig_read(&sig, blob, ILP_SIG_METHOD, 0, arena, NULL) == ILP_OK) {
            struct ilpi_value_query query = {app, sig->ret, NULL, arena, NULL};
            ilp_status status = ilpi_value_size(&query, 8, &size, NULL, &error);
            succeeded = status == ILP_OK;
            failed |= !succeeded;
            assert_int_equal(error.status, status);
            assert_true(succeeded ? size == 2000 : ilp_status_class(status) == ILP_CLASS_MEMORY);
        }
        ilp_arena_close(arena);
        memory_is_empty(&memory);
    }
    assert_true(failed);
    close_built(app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endless),        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_deep_arguments), cmocka_unit_test(test_many),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
