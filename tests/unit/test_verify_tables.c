/* The rules about tables and signatures: each cell of a good file that is made wrong gives the
 * finding that is meant for it; and what ilp_verify() promises its caller. Rules about code are in
 * test_verify_code.c and tests/verify. */
#include "metadata_test.h"

#define IL     "good-il.dll"
#define CSHARP "good-csharp.dll"

struct seen {
    const char *code; /* looked for */
    bool found;
    unsigned count;
    unsigned errors;
    unsigned stop_at; /* the finding whose taker fails, from 1; 0: none */
};

static ilp_status take(void *user, const struct ilp_verify_finding *finding,
                       struct ilp_error *error)
{
    struct seen *seen = user;
    (void)error;
    assert_non_null(finding->code);
    assert_non_null(finding->text);
    assert_true(finding->message[0] != '\0');
    seen->found = seen->found || (seen->code && strcmp(finding->code, seen->code) == 0);
    seen->errors += finding->kind == ILP_FINDING_ERROR;
    return ++seen->count == seen->stop_at ? ILP_E_CALLBACK : ILP_OK;
}

static ilp_status verify(struct ilp_image *image, struct seen *seen,
                         const struct ilp_allocator *allocator)
{
    struct ilp_error error = {0};
    struct ilp_findings_sink sink = {seen, NULL, take};
    ilp_status status = ilp_verify(image, NULL, &sink, allocator, &error);
    assert_true(status == ILP_OK || status == ILP_E_CALLBACK || error.status == status);
    return status;
}

static void good_files_have_no_errors(void **state)
{
    (void)state;
    static const char *const names[] = {
        "good-small.dll", "good-no-us.dll",    "good-pe32plus.dll",    "good-security.dll", IL,
        CSHARP,           "good-portable.pdb", "good-uncompressed.dll"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ilp_image *image = open_image(load(names[i]), ILP_LAYOUT_FILE);
        struct seen seen = {.code = ""};
        assert_int_equal(verify(image, &seen, NULL), ILP_OK);
        assert_int_equal(seen.errors, 0);
        close_built(image);
    }
}

struct wrong {
    const char *file;
    uint8_t table;
    uint8_t column;
    uint16_t rid;
    uint16_t value; /* as it is in the file: in both files every column but U32 has 2 bytes */
    const char *code;
};

#define CELL(file, table, rid, column, value, code)                 \
    {                                                               \
        file, ILP_##table, ILP_##table##_##column, rid, value, code \
    }

static const struct wrong wrongs[] = {
    CELL(CSHARP, TypeDef, 3, Extends, 0xFFF1, "table-index"),
    CELL(CSHARP, InterfaceImpl, 1, Class, 0xFFF0, "table-index"),
    CELL(CSHARP, MemberRef, 1, Class, 0x000F, "table-tag"),
    CELL(CSHARP, CustomAttribute, 1, Type, 0x0008, "table-tag"),
    CELL(CSHARP, MethodImpl, 1, MethodBody, 0, "table-null"),
    CELL(CSHARP, GenericParam, 1, Owner, 0, "table-null"),
    CELL(CSHARP, TypeDef, 3, FieldList, 0xFFF0, "table-list"),
    CELL(CSHARP, TypeDef, 1, MethodList, 5, "table-list"),
    CELL(CSHARP, MethodDef, 5, ParamList, 0x7000, "table-list"),
    CELL(CSHARP, NestedClass, 1, NestedClass, 0x0009, "table-order"),
    CELL(CSHARP, CustomAttribute, 2, Parent, 0x0000, "table-order"),
    CELL(CSHARP, TypeDef, 3, TypeName, 0xFFFF, "string-index"),
    CELL(CSHARP, TypeDef, 3, TypeName, 0, "name-empty"),
    CELL(CSHARP, MethodDef, 3, Name, 0, "name-empty"),
    CELL(CSHARP, Field, 3, Name, 0, "name-empty"),
    CELL(CSHARP, TypeRef, 3, TypeName, 0, "name-empty"),
    CELL(CSHARP, Module, 1, Mvid, 99, "guid-index"),
    CELL(CSHARP, Field, 1, Signature, 0xFFFF, "blob-index"),
    CELL(CSHARP, Field, 1, Signature, 0, "signature"),
    CELL(CSHARP, MethodDef, 1, Signature, 0, "signature"),
    CELL(CSHARP, TypeSpec, 1, Signature, 0, "signature"),
    CELL(CSHARP, MethodSpec, 1, Instantiation, 0, "signature"),
    CELL(CSHARP, Property, 1, Type, 0, "signature"),
    CELL(IL, Constant, 2, Parent, 0x0000, "table-null"),
    CELL(IL, Constant, 1, Type, 0x0001, "constant"),
    CELL(IL, Constant, 1, Type, 0x000A, "constant"),
    CELL(IL, ClassLayout, 1, PackingSize, 3, "layout"),
    CELL(IL, FieldLayout, 1, Field, 1, "layout"),
    CELL(IL, GenericParam, 1, Number, 7, "generic-number"),
    CELL(IL, GenericParam, 1, Flags, 0x000C, "flags"),
    CELL(IL, NestedClass, 1, EnclosingClass, 0, "table-null"),
    CELL(CSHARP, MethodSemantics, 1, Semantics, 3, "semantics"),
    CELL(CSHARP, MethodSemantics, 1, Semantics, 8, "semantics"),
    CELL(CSHARP, MethodSemantics, 1, Method, 1, "semantics"),
    CELL(CSHARP, CustomAttribute, 1, Type, 0x0012, "attribute"),
    CELL(CSHARP, MethodDef, 2, Flags, 0x0426, "flags"),
    CELL(CSHARP, MethodDef, 2, Flags, 0x0007, "flags"),
    CELL(CSHARP, MethodDef, 2, ImplFlags, 0x1000, "method-body"),
    CELL(CSHARP, Field, 2, Flags, 0x0067, "flags"),
    CELL(CSHARP, Field, 2, Flags, 0x8006, "flag-row"),
    CELL(CSHARP, Param, 1, Sequence, 0x0077, "param-sequence"),
    CELL(CSHARP, Param, 1, Flags, 0x2000, "flag-row"),
    CELL(CSHARP, MethodImpl, 1, Class, 2, "member-owner"),
    CELL(IL, MethodDef, 9, Flags, 0x0006, "signature-this"),
    CELL(IL, MethodDef, 9, RVA, 0xFFF0, "data-rva"),
    CELL(IL, FieldLayout, 2, Field, 4, "row-duplicate"),
};

/* Where a cell is in the file's bytes. */
static size_t place_of(const struct ilp_image *image, const struct wrong *wrong)
{
    const struct ilpi_table *table = &image->tables[wrong->table];
    assert_in_range(wrong->rid, 1, table->count);
    return (size_t)(table->rows - image->pe.bytes.data) +
           (size_t)(wrong->rid - 1) * table->shape.size + table->shape.at[wrong->column];
}

static void a_wrong_cell_is_found(void **state)
{
    (void)state;
    unsigned missed = 0;
    for (size_t i = 0; i < COUNT(wrongs); i++) {
        const struct wrong *wrong = &wrongs[i];
        struct ilp_bytes bytes = load(wrong->file);
        struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
        uint8_t *cell = (uint8_t *)(uintptr_t)bytes.data + place_of(image, wrong);
        cell[0] = (uint8_t)wrong->value;
        cell[1] = (uint8_t)(wrong->value >> 8);
        ilp_image_close(image);
        image = open_image(bytes, ILP_LAYOUT_FILE);
        struct seen seen = {.code = wrong->code};
        assert_int_equal(verify(image, &seen, NULL), ILP_OK);
        if (!seen.found) {
            print_error("%s, %s row %u, column %u: %s is not found\n", wrong->file,
                        ilp_table_name(wrong->table), wrong->rid, wrong->column, wrong->code);
            missed++;
        }
        close_built(image);
    }
    assert_int_equal(missed, 0);
}

/* Types that enclose each other: NestedClass rows 1 and 2 of this file say 8 in 7 and 9 in 7, or
 * the like. */
static void circles_are_found(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load(IL);
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    struct wrong wrong = {IL, ILP_NestedClass, ILP_NestedClass_EnclosingClass, 1, 0, NULL};
    ilp_rid nested = ilp_cell(image, ILP_NestedClass, 1, ILP_NestedClass_NestedClass);
    uint8_t *cell = (uint8_t *)(uintptr_t)bytes.data + place_of(image, &wrong);
    cell[0] = (uint8_t)nested;
    ilp_image_close(image);
    image = open_image(bytes, ILP_LAYOUT_FILE);
    struct seen seen = {.code = "type-circle"};
    assert_int_equal(verify(image, &seen, NULL), ILP_OK);
    assert_true(seen.found);
    close_built(image);
}

/* ---- bytes of code, signatures, names and headers ---- */

enum where { IN_BODY, IN_FIELD_SIGNATURE, IN_TYPE_NAME, IN_CLI_HEADER };

struct wrong_bytes {
    enum where where;
    uint16_t rid;
    uint16_t at; /* in the body, its header included; in the blob, the name, or the CLI header */
    uint8_t count;
    uint8_t bytes[4];
    const char *code;
};

static const struct wrong_bytes wrong_bytes[] = {
    {IN_BODY, 15, 0, 1, {0x00}, "body"}, /* neither tiny nor fat */
    {IN_BODY, 15, 1, 1, {0x24}, "code"}, /* no instruction */
    /* call of a row that does not exist */
    {IN_BODY, 18, 8, 4, {0xFF, 0xFF, 0xFF, 0x0A}, "token"},
    /* callvirt of a static method */
    {IN_BODY, 16, 3, 4, {0x10, 0x00, 0x00, 0x06}, "call-kind"},
    /* a StandAloneSig that does not exist */
    {IN_BODY, 14, 8, 4, {0x77, 0x00, 0x00, 0x11}, "locals"},
    /* a handler inside of its try block */
    {IN_BODY, 14, 33, 1, {0x02}, "eh-form"},
    {IN_FIELD_SIGNATURE, 11, 2, 1, {0x7C}, "signature-token"}, /* TypeDef 31 */
    {IN_TYPE_NAME, 7, 0, 1, {0xFF}, "string-utf8"},
    /* a method without a body */
    {IN_CLI_HEADER, 0, 20, 4, {0x01, 0x00, 0x00, 0x06}, "entry-point"},
};

static const uint8_t *bytes_to_change(const struct ilp_image *image,
                                      const struct wrong_bytes *wrong)
{
    ilp_rid rid = wrong->rid;
    switch (wrong->where) {
    case IN_BODY:
        return ilp_image_rva(image, ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_RVA), NULL)
            .data;
    case IN_FIELD_SIGNATURE:
        return ilp_blob(image, ilp_cell(image, ILP_Field, rid, ILP_Field_Signature)).data;
    case IN_TYPE_NAME:
        return (const uint8_t *)ilp_string(image,
                                           ilp_cell(image, ILP_TypeDef, rid, ILP_TypeDef_TypeName));
    default: return image->pe.bytes.data + image->pe.cli_offset;
    }
}

static void wrong_bytes_are_found(void **state)
{
    (void)state;
    unsigned missed = 0;
    for (size_t i = 0; i < COUNT(wrong_bytes); i++) {
        const struct wrong_bytes *wrong = &wrong_bytes[i];
        struct ilp_bytes bytes = load(IL);
        struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
        memcpy((uint8_t *)(uintptr_t)bytes_to_change(image, wrong) + wrong->at, wrong->bytes,
               wrong->count);
        ilp_image_close(image);
        image = open_image(bytes, ILP_LAYOUT_FILE);
        struct seen seen = {.code = wrong->code};
        assert_int_equal(verify(image, &seen, NULL), ILP_OK);
        if (!seen.found) {
            print_error("bytes %zu: %s is not found\n", i, wrong->code);
            missed++;
        }
        close_built(image);
    }
    assert_int_equal(missed, 0);
}

static void rows_that_are_too_many_are_found(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    IB_ROW(&b, Module, 0, ib_string(&b, "M"), 0, 0, 0);
    IB_ROW(&b, Module, 0, ib_string(&b, "N"), 0, 0, 0);
    IB_ROW(&b, TypeDef, 0, ib_string(&b, "<Module>"), 0, 0, 1, 1);
    IB_ROW(&b, TypeDef, 1, ib_string(&b, "T"), 0, 0, 1, 1);
    IB_ROW(&b, TypeDef, 1, ib_string(&b, "T"), 0, 0, 1, 1);
    struct ilp_image *image = built_root(&b);
    struct seen seen = {.code = "row-count"};
    assert_int_equal(verify(image, &seen, NULL), ILP_OK);
    assert_true(seen.found);
    seen = (struct seen){.code = "name-duplicate"};
    assert_int_equal(verify(image, &seen, NULL), ILP_OK);
    assert_true(seen.found);
    close_built(image);
}

/* II.23.2.12 lets an instance be one of a TypeSpec. What its TypeDef is, is not looked up, and
 * nothing is guessed: row 1 of TypeDef has no parameters, but row 1 of TypeSpec is another type. */
static void an_instance_of_a_type_spec_is_not_one_of_a_type_def(void **state)
{
    (void)state;
    static const uint8_t plain[] = {ILP_ELEMENT_CLASS, 2 << 2 | 0}; /* TypeDef 2 */
    static const uint8_t instance[] = {ILP_ELEMENT_GENERICINST, ILP_ELEMENT_CLASS,
                                       1 << 2 | 2 /* TypeSpec 1 */, 1, ILP_ELEMENT_I4};
    struct ib_image b;
    ib_begin(&b);
    IB_ROW(&b, Module, 0, ib_string(&b, "M"), 0, 0, 0);
    IB_ROW(&b, TypeDef, 0, ib_string(&b, "<Module>"), 0, 0, 1, 1);
    IB_ROW(&b, TypeDef, 1, ib_string(&b, "T`1"), 0, 0, 1, 1);
    IB_ROW(&b, TypeSpec, ib_blob(&b, plain, sizeof plain));
    IB_ROW(&b, TypeSpec, ib_blob(&b, instance, sizeof instance));
    IB_ROW(&b, GenericParam, 0, 0, ILP_TOKEN(ILP_TypeDef, 2), ib_string(&b, "P"));
    struct ilp_image *image = built_root(&b);
    struct seen seen = {.code = "generic-count"};
    assert_int_equal(verify(image, &seen, NULL), ILP_OK);
    assert_false(seen.found);
    close_built(image);
}

static void unsorted_tables_are_found(void **state)
{
    (void)state;
    struct ilp_image *image = open_image(load("good-uncompressed.dll"), ILP_LAYOUT_FILE);
    struct seen seen = {.code = "table-unsorted"};
    assert_int_equal(verify(image, &seen, NULL), ILP_OK);
    assert_true(seen.found);
    close_built(image);
}

/* ---- promises ---- */

static void the_sink_can_end_it(void **state)
{
    (void)state;
    struct ilp_image *image = open_image(load("good-uncompressed.dll"), ILP_LAYOUT_FILE);
    struct seen all = {.code = ""};
    assert_int_equal(verify(image, &all, NULL), ILP_OK);
    assert_true(all.count > 1);
    for (unsigned i = 1; i <= all.count; i++) {
        struct seen seen = {.code = "", .stop_at = i};
        assert_int_equal(verify(image, &seen, NULL), ILP_E_CALLBACK);
        assert_int_equal(seen.count, i);
    }
    close_built(image);
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    struct ilp_image *image = open_image(load(CSHARP), ILP_LAYOUT_FILE);
    struct seen seen = {.code = ""};
    struct memory memory = {0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    assert_int_equal(verify(image, &seen, &allocator), ILP_OK);
    memory_is_empty(&memory);
    size_t calls = memory.calls;
    for (size_t i = 1; i <= calls; i++) {
        memory = (struct memory){.fail_at = i};
        ilp_status status = verify(image, &seen, &allocator);
        assert_int_equal(status, ILP_E_NO_MEMORY);
        memory_is_empty(&memory);
    }
    close_built(image);
}

static bool only_first(void *user, ilp_token method)
{
    unsigned *calls = user;
    ++*calls;
    return method == ILP_TOKEN(ILP_MethodDef, 1);
}

static ilp_status ignore(void *user, const struct ilp_verify_finding *finding,
                         struct ilp_error *error)
{
    (void)user;
    (void)finding;
    (void)error;
    return ILP_OK;
}

static void methods_can_be_chosen(void **state)
{
    (void)state;
    struct ilp_image *image = open_image(load(CSHARP), ILP_LAYOUT_FILE);
    unsigned calls = 0;
    struct ilp_findings_sink sink = {&calls, only_first, ignore};
    assert_int_equal(ilp_verify(image, NULL, &sink, NULL, NULL), ILP_OK);
    assert_in_range(calls, 1, ilp_row_count(image, ILP_MethodDef));
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files_have_no_errors),
        cmocka_unit_test(a_wrong_cell_is_found),
        cmocka_unit_test(circles_are_found),
        cmocka_unit_test(the_sink_can_end_it),
        cmocka_unit_test(memory_may_end_anywhere),
        cmocka_unit_test(methods_can_be_chosen),
        cmocka_unit_test(wrong_bytes_are_found),
        cmocka_unit_test(rows_that_are_too_many_are_found),
        cmocka_unit_test(an_instance_of_a_type_spec_is_not_one_of_a_type_def),
        cmocka_unit_test(unsorted_tables_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
