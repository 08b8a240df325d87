/* Look-ups, compared with a walk over all rows: owners, enclosing types, generic parameters,
 * attributes, types by name; in tables that are sorted, that are not, and after *Ptr tables. */
#include "metadata_test.h"

static const char *type_name(const struct ilp_image *image, ilp_rid type)
{
    return name_at(image, ILP_TypeDef, type, ILP_TypeDef_TypeName);
}

/* ---- owners ---- */

/* Types with 0, 1 or many methods and fields, some with none at the end. */
static void owners_of_plain_runs(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 3, 0, 0, 1, 70, 1, 0, 2, 0, 0};
    struct ib_image b;
    ib_begin(&b);
    uint32_t at = 1;
    for (size_t i = 0; i < COUNT(counts); i++) {
        IB_ROW(&b, TypeDef, 0, 0, 0, 0, at, at);
        at += counts[i];
    }
    ib_rows(&b, ILP_Field, at - 1);
    ib_rows(&b, ILP_MethodDef, at - 1);
    struct ilp_image *image = built_root(&b);
    ilp_rid member = 1;
    for (size_t i = 0; i < COUNT(counts); i++) {
        for (uint32_t k = 0; k < counts[i]; k++, member++) {
            assert_int_equal(ilp_owner_of_method(image, member), i + 1);
            assert_int_equal(ilp_owner_of_field(image, member), i + 1);
        }
    }
    assert_int_equal(ilp_owner_of_method(image, 0), 0);
    assert_int_equal(ilp_owner_of_method(image, member), 0);
    assert_int_equal(ilp_owner_of_field(image, 0), 0);
    assert_int_equal(ilp_owner_of_field(image, UINT32_MAX), 0);
    close_built(image);
}

static void members_before_the_first_type_have_no_owner(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    IB_ROW(&b, TypeDef, 0, 0, 0, 0, 3, 2);
    ib_rows(&b, ILP_Field, 3);
    ib_rows(&b, ILP_MethodDef, 3);
    struct ilp_image *image = built_root(&b);
    assert_int_equal(ilp_owner_of_method(image, 1), 0);
    assert_int_equal(ilp_owner_of_method(image, 2), 1);
    assert_int_equal(ilp_owner_of_field(image, 2), 0);
    assert_int_equal(ilp_owner_of_field(image, 3), 1);
    close_built(image);
    ib_begin(&b); /* no types at all */
    ib_rows(&b, ILP_MethodDef, 3);
    image = built_root(&b);
    assert_int_equal(ilp_owner_of_method(image, 1), 0);
    close_built(image);
}

/* Runs that do not rise, as no compiler makes them: an owner that is found has the member in its
 * run. */
static void runs_that_do_not_rise(void **state)
{
    (void)state;
    uint32_t random = 1;
    for (unsigned round = 0; round < 200; round++) {
        struct ib_image b;
        ib_begin(&b);
        for (unsigned i = 0; i < 6; i++) {
            random = random * 1103515245 + 12345;
            IB_ROW(&b, TypeDef, 0, 0, 0, 0, random >> 16 & 7, random >> 20 & 15);
        }
        ib_rows(&b, ILP_MethodDef, 9);
        ib_rows(&b, ILP_Field, 4);
        struct ilp_image *image = built_root(&b);
        for (ilp_rid member = 0; member <= 10; member++) {
            ilp_rid first;
            ilp_rid end;
            ilp_rid owner = ilp_owner_of_method(image, member);
            ilpi_list(image, ILP_TypeDef, owner, ILP_TypeDef_MethodList, &first, &end);
            assert_true(owner == 0 || (first <= member && member < end));
            owner = ilp_owner_of_field(image, member);
            ilpi_list(image, ILP_TypeDef, owner, ILP_TypeDef_FieldList, &first, &end);
            assert_true(owner == 0 || (first <= member && member < end));
        }
        close_built(image);
    }
}

/* Names in good-uncompressed.dll say who owns whom: f1a is a field of the first type. */
static void owners_through_ptr_tables(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load("good-uncompressed.dll");
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    assert_string_equal(image->table_stream->name, "#-");
    for (ilp_rid rid = 1; rid <= 3; rid++) {
        const char *method = name_at(image, ILP_MethodDef, rid, ILP_MethodDef_Name);
        const char *owner = type_name(image, ilp_owner_of_method(image, rid));
        assert_string_equal(owner, method[1] == '1' ? "First" : "Second");
        const char *field = name_at(image, ILP_Field, rid, ILP_Field_Name);
        owner = type_name(image, ilp_owner_of_field(image, rid));
        assert_string_equal(owner, field[1] == '1' ? "First" : "Second");
    }
    assert_int_equal(ilp_owner_of_method(image, 0), 0);
    assert_int_equal(ilp_owner_of_method(image, 4), 0);
    assert_int_equal(ilp_owner_of_field(image, 0), 0);
    assert_int_equal(ilp_owner_of_field(image, 4), 0);
    ilp_image_close(image);
    drop(bytes);
}

/* A cell of 0 in a *Ptr table makes no method 0. */
static void ptr_tables_may_hold_anything(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    b.streams[0].name = "#-";
    IB_ROW(&b, TypeDef, 0, 0, 0, 0, 1, 1);
    ib_rows(&b, ILP_MethodDef, 3);
    ib_rows(&b, ILP_Field, 2);
    static const uint32_t methods[] = {0, 7, 2, 0xFFFF, 0};
    for (size_t i = 0; i < COUNT(methods); i++) {
        IB_ROW(&b, MethodPtr, methods[i]);
        IB_ROW(&b, FieldPtr, methods[i]);
    }
    struct ilp_image *image = built_root(&b);
    assert_int_equal(ilp_owner_of_method(image, 0), 0);
    assert_int_equal(ilp_owner_of_method(image, 1), 0); /* no position means it */
    assert_int_equal(ilp_owner_of_method(image, 2), 1);
    assert_int_equal(ilp_owner_of_method(image, 7), 0);
    assert_int_equal(ilp_owner_of_field(image, 0), 0);
    assert_int_equal(ilp_owner_of_field(image, 2), 1);
    close_built(image);
}

/* ---- lists ---- */

static void lists_are_clipped(void **state)
{
    (void)state;
    static const struct {
        uint32_t from;
        uint32_t to;
        ilp_rid first;
        ilp_rid end;
    } runs[] = {
        {1, 4, 1, 4}, {4, 4, 4, 4}, {2, 6, 2, 6}, {2, 7, 2, 6}, {2, 0xFFFF, 2, 6}, {6, 6, 6, 6},
        {7, 7, 6, 6}, {5, 3, 3, 3}, {0, 4, 4, 4}, {0, 0, 0, 0}, {0xFFFF, 2, 2, 2},
    };
    for (size_t i = 0; i < COUNT(runs); i++) {
        struct ib_image b;
        ib_begin(&b);
        IB_ROW(&b, TypeDef, 0, 0, 0, 0, 1, runs[i].from);
        IB_ROW(&b, TypeDef, 0, 0, 0, 0, 1, runs[i].to);
        ib_rows(&b, ILP_MethodDef, 5);
        struct ilp_image *image = built_root(&b);
        ilp_rid first;
        ilp_rid end;
        ilpi_list(image, ILP_TypeDef, 1, ILP_TypeDef_MethodList, &first, &end);
        assert_int_equal(end - first, runs[i].end - runs[i].first);
        assert_true(first == end || (first == runs[i].first && end == runs[i].end));
        ilpi_list(image, ILP_TypeDef, 2, ILP_TypeDef_MethodList, &first, &end);
        assert_true(first == end ||
                    (first == runs[i].to && end == 6)); /* the last run ends the table */
        close_built(image);
    }
}

/* Collects the names of a run. */
static void names_of(const struct ilp_image *image, unsigned table, ilp_rid rid, unsigned column,
                     unsigned name, char *text)
{
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, table, rid, column, &first, &end);
    unsigned target = ilpi_tables[table].column[column].target;
    for (*text = '\0'; first < end; first++) {
        strcat(text, name_at(image, target, ilpi_list_row(image, target, first), name));
        strcat(text, " ");
    }
}

static void lists_go_through_ptr_tables(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load("good-uncompressed.dll");
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    char text[100];
    names_of(image, ILP_TypeDef, 2, ILP_TypeDef_FieldList, ILP_Field_Name, text);
    assert_string_equal(text, "f1a f1b ");
    names_of(image, ILP_TypeDef, 3, ILP_TypeDef_MethodList, ILP_MethodDef_Name, text);
    assert_string_equal(text, "m2a ");
    names_of(image, ILP_PropertyMap, 1, ILP_PropertyMap_PropertyList, ILP_Property_Name, text);
    assert_string_equal(text, "p1a p1b ");
    names_of(image, ILP_EventMap, 2, ILP_EventMap_EventList, ILP_Event_Name, text);
    assert_string_equal(text, "e2a ");
    for (ilp_rid method = 1; method <= 3; method++) {
        const char *name = name_at(image, ILP_MethodDef, method, ILP_MethodDef_Name);
        char expected[100];
        snprintf(expected, sizeof expected, "a%s1 a%s2 ", name + 1, name + 1);
        names_of(image, ILP_MethodDef, method, ILP_MethodDef_ParamList, ILP_Param_Name, text);
        assert_string_equal(text, expected);
    }
    assert_int_equal(ilpi_list_row(image, ILP_Field, 99), 0);          /* after the *Ptr table */
    assert_int_equal(ilpi_list_row(image, ILP_LocalVariable, 99), 99); /* has none */
    ilp_image_close(image);
    drop(bytes);
}

/* ---- rows by key ---- */

/* GenericParams of owners in this order, sorted or not, with and without the Sorted bit. */
static struct ilp_image *params_of(const uint8_t *owners, size_t count, bool says_sorted)
{
    struct ib_image b;
    ib_begin(&b);
    b.sorted = says_sorted ? b.sorted : 0;
    ib_rows(&b, ILP_TypeDef, 9);
    for (size_t i = 0; i < count; i++) {
        IB_ROW(&b, GenericParam, (uint32_t)i, 0, ILP_TOKEN(ILP_TypeDef, owners[i]), 0);
    }
    return built_root(&b);
}

/* All rows of each owner, in the order of the table, and the parameter by its number. */
static void finds_all(const struct ilp_image *image, const uint8_t *owners, size_t count)
{
    for (ilp_rid owner = 0; owner <= 10; owner++) {
        uint32_t key = ilpi_token_to_coded(ILPI_CODED_TypeOrMethodDef,
                                           ILP_TOKEN(ILP_TypeDef, owner));
        uint32_t position = 0;
        for (size_t i = 0; i < count; i++) {
            if (owners[i] == owner) {
                assert_int_equal(ilpi_next_with_key(image, ILP_GenericParam, key, &position),
                                 i + 1);
                assert_int_equal(
                    ilpi_find_generic_param(image, ILP_TOKEN(ILP_TypeDef, owner), (uint32_t)i),
                    i + 1);
            } else if (owner != 0) {
                assert_int_equal(
                    ilpi_find_generic_param(image, ILP_TOKEN(ILP_TypeDef, owner), (uint32_t)i), 0);
            }
        }
        assert_int_equal(ilpi_next_with_key(image, ILP_GenericParam, key, &position), 0);
    }
    assert_int_equal(ilpi_find_generic_param(image, ILP_TOKEN(ILP_MethodDef, 1), 0), 0);
    assert_int_equal(ilpi_find_generic_param(image, ILP_TOKEN(ILP_Field, 1), 0),
                     0); /* no owner at all */
}

static void rows_by_key(void **state)
{
    (void)state;
    static const uint8_t sorted[] = {1, 1, 2, 4, 4, 4, 7, 9};
    static const uint8_t mixed[] = {4, 1, 9, 4, 2, 1, 7, 4};
    static const uint8_t falling[] = {9, 7, 4, 4, 4, 2, 1, 1};
    for (size_t count = 0; count <= COUNT(sorted); count++) {
        struct ilp_image *image = params_of(sorted, count, true);
        assert_null(image->order[ILP_GenericParam]);
        finds_all(image, sorted, count);
        close_built(image);
        image = params_of(sorted, count, false); /* in order without saying so */
        assert_null(image->order[ILP_GenericParam]);
        finds_all(image, sorted, count);
        close_built(image);
        image = params_of(mixed, count, false);
        finds_all(image, mixed, count);
        close_built(image);
        image = params_of(falling, count, false);
        finds_all(image, falling, count);
        close_built(image);
    }
}

/* Parameters in the order of their numbers are found by counting, however many there are; others
 * are looked through up to a limit, so that no file makes each look-up a walk. */
static void many_generic_params(void **state)
{
    (void)state;
    enum { PARAMS = 400, LIMIT = 256 };
    for (unsigned reverse = 0; reverse < 2; reverse++) {
        struct ib_image b;
        ib_begin(&b);
        ib_rows(&b, ILP_TypeDef, 3);
        IB_ROW(&b, GenericParam, 0, 0, ILP_TOKEN(ILP_TypeDef, 1), 0);
        for (uint32_t i = 0; i < PARAMS; i++) {
            IB_ROW(&b, GenericParam, reverse ? PARAMS - 1 - i : i, 0, ILP_TOKEN(ILP_TypeDef, 2), 0);
        }
        IB_ROW(&b, GenericParam, PARAMS, 0, ILP_TOKEN(ILP_TypeDef, 3), 0);
        struct ilp_image *image = built_root(&b);
        for (uint32_t i = 0; i <= PARAMS; i++) {
            uint32_t place = reverse ? PARAMS - 1 - i : i;
            bool found = i < PARAMS && (!reverse || place < LIMIT);
            ilp_rid rid = ilpi_find_generic_param(image, ILP_TOKEN(ILP_TypeDef, 2), i);
            if (reverse && i * 2 == PARAMS - 1) {
                continue;
            }
            assert_int_equal(rid, found ? place + 2 : 0);
        }
        assert_int_equal(ilpi_find_generic_param(image, ILP_TOKEN(ILP_TypeDef, 2), UINT32_MAX), 0);
        close_built(image);
    }
}

static void enclosing_types(void **state)
{
    (void)state;
    for (unsigned sorted = 0; sorted < 2; sorted++) {
        struct ib_image b;
        ib_begin(&b);
        ib_rows(&b, ILP_TypeDef, 5);
        b.sorted = sorted ? b.sorted : 0;
        IB_ROW(&b, NestedClass, sorted ? 3 : 5, sorted ? 2 : 3);
        IB_ROW(&b, NestedClass, sorted ? 5 : 3, sorted ? 3 : 2);
        struct ilp_image *image = built_root(&b);
        assert_int_equal(ilp_enclosing_type(image, 1), 0);
        assert_int_equal(ilp_enclosing_type(image, 3), 2);
        assert_int_equal(ilp_enclosing_type(image, 4), 0);
        assert_int_equal(ilp_enclosing_type(image, 5), 3);
        assert_int_equal(ilp_enclosing_type(image, 6), 0);
        assert_int_equal(ilp_enclosing_type(image, 0), 0);
        close_built(image);
    }
}

/* ---- attributes ---- */

static void attributes_by_name_in_any_scope(void **state)
{
    (void)state;
    for (unsigned sorted = 0; sorted < 2; sorted++) {
        struct ib_image b;
        ib_begin(&b);
        b.sorted = sorted ? b.sorted : 0;
        uint32_t ctor = ib_string(&b, ".ctor");
        IB_ROW(&b, TypeDef, 0, ib_string(&b, "<Module>"), 0, 0, 1, 1);
        IB_ROW(&b, TypeDef, 0, ib_string(&b, "Own"), ib_string(&b, "A"), 0, 1,
               1); /* has method 1 */
        IB_ROW(&b, MethodDef, 0, 0, 0, ctor, 0, 1);
        IB_ROW(&b, TypeRef, 0, ib_string(&b, "Other"), ib_string(&b, "B"));
        IB_ROW(&b, MemberRef, ILP_TOKEN(ILP_TypeRef, 1), ctor, 0);
        IB_ROW(&b, MemberRef, ILP_TOKEN(ILP_TypeSpec, 1), ctor,
               0); /* a generic attribute: no name */
        static const uint32_t types[] = {ILP_TOKEN(ILP_MethodDef, 1), ILP_TOKEN(ILP_MemberRef, 1),
                                         ILP_TOKEN(ILP_MemberRef, 2), ILP_TOKEN(ILP_MemberRef, 99),
                                         0};
        /* TypeDef 2 has all of them, TypeDef 1 only the last three */
        for (unsigned i = 0; i < 5; i++) {
            if (!sorted || i >= 2) {
                IB_ROW(&b, CustomAttribute, ILP_TOKEN(ILP_TypeDef, sorted ? 1 : 2), types[i], 0);
            }
        }
        for (unsigned i = 0; i < 5; i++) {
            if (sorted || i >= 2) {
                IB_ROW(&b, CustomAttribute, ILP_TOKEN(ILP_TypeDef, sorted ? 2 : 1), types[i], 0);
            }
        }
        struct ilp_image *image = built_root(&b);
        assert_true(ilpi_has_attribute(image, ILP_TOKEN(ILP_TypeDef, 2), "A", "Own"));
        assert_true(ilpi_has_attribute(image, ILP_TOKEN(ILP_TypeDef, 2), "B", "Other"));
        assert_false(ilpi_has_attribute(image, ILP_TOKEN(ILP_TypeDef, 2), "A", "Other"));
        assert_false(ilpi_has_attribute(image, ILP_TOKEN(ILP_TypeDef, 2), "", "Own"));
        assert_false(ilpi_has_attribute(image, ILP_TOKEN(ILP_TypeDef, 1), "A", "Own"));
        assert_false(ilpi_has_attribute(image, ILP_TOKEN(ILP_TypeDef, 1), "B", "Other"));
        assert_false(ilpi_has_attribute(image, ILP_TOKEN(ILP_TypeDef, 3), "A", "Own"));
        assert_false(ilpi_has_attribute(image, ILP_TOKEN(ILP_MethodDef, 2), "A", "Own"));
        assert_false(ilpi_has_attribute(image, ILP_TOKEN(ILP_LocalScope, 2), "A", "Own"));
        close_built(image);
    }
}

static void attributes_of_compiled_files(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load("good-il.dll");
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    ilp_rid members = ilpi_find_type(image, 0, "N", "Members");
    assert_int_not_equal(members, 0);
    ilp_token token = ILP_TOKEN(ILP_TypeDef, members);
    assert_true(ilpi_has_attribute(image, token, "System", "ObsoleteAttribute"));
    assert_true(
        ilpi_has_attribute(image, ILP_TOKEN(ILP_Property, 1), "System", "ObsoleteAttribute"));
    assert_false(ilpi_has_attribute(image, token, "System", "SerializableAttribute"));
    assert_false(
        ilpi_has_attribute(image, ILP_TOKEN(ILP_TypeDef, 1), "System", "ObsoleteAttribute"));
    ilp_image_close(image);
    drop(bytes);
}

/* ---- types by name ---- */

/* The same without the index and with it; a look-up makes none. */
static ilp_rid find_type_both(struct ilp_image *image, ilp_rid outer, const char *space,
                              const char *name)
{
    struct ilpi_type_index *index = image->types;
    image->types = NULL;
    ilp_rid walked = ilpi_find_type(image, outer, space, name);
    assert_null(image->types);
    image->types = index;
    assert_int_equal(ilp_image_index(image, NULL), ILP_OK);
    assert_int_equal(ilpi_find_type(image, outer, space, name), walked);
    return walked;
}

static void types_by_name(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    uint32_t n = ib_string(&b, "N");
    uint32_t c = ib_string(&b, "C");
    uint32_t inner = ib_string(&b, "Inner");
    IB_ROW(&b, TypeDef, 0, ib_string(&b, "<Module>"), 0, 0, 1, 1);
    IB_ROW(&b, TypeDef, 0, c, n, 0, 1, 1);
    IB_ROW(&b, TypeDef, 0, c, 0, 0, 1, 1);
    IB_ROW(&b, TypeDef, 0, inner, 0, 0, 1, 1); /* in N.C */
    IB_ROW(&b, TypeDef, 0, inner, 0, 0, 1, 1); /* in C */
    IB_ROW(&b, TypeDef, 0, inner, 0, 0, 1, 1); /* in the one before */
    IB_ROW(&b, TypeDef, 0, c, n, 0, 1, 1);     /* a second N.C */
    IB_ROW(&b, NestedClass, 4, 2);
    IB_ROW(&b, NestedClass, 5, 3);
    IB_ROW(&b, NestedClass, 6, 5);
    IB_ROW(&b, ExportedType, 0, 0, ib_string(&b, "E"), n, ILP_TOKEN(ILP_AssemblyRef, 1));
    IB_ROW(&b, ExportedType, 0, 0, inner, 0, ILP_TOKEN(ILP_ExportedType, 1));
    struct ilp_image *image = built_root(&b);
    assert_int_equal(find_type_both(image, 0, "N", "C"), 2); /* the first counts */
    assert_int_equal(find_type_both(image, 0, "", "C"), 3);
    assert_int_equal(find_type_both(image, 0, "", "<Module>"), 1);
    assert_int_equal(find_type_both(image, 2, "", "Inner"), 4);
    assert_int_equal(find_type_both(image, 3, "", "Inner"), 5);
    assert_int_equal(find_type_both(image, 5, "", "Inner"), 6);
    assert_int_equal(find_type_both(image, 0, "", "Inner"), 0);
    assert_int_equal(find_type_both(image, 6, "", "Inner"), 0);
    assert_int_equal(find_type_both(image, 0, "N", "E"), 0);
    assert_int_equal(find_type_both(image, 0, "", ""), 0);
    assert_int_equal(ilpi_find_exported(image, "N", "E"), 1);
    assert_int_equal(ilpi_find_exported(image, "", "Inner"), 0); /* not top-level */
    close_built(image);
}

/* As many types as an index has to grow for, and names that share their beginnings. */
static void many_types_by_name(void **state)
{
    (void)state;
    enum { TYPES = 5000 };
    struct ib_image b;
    ib_begin(&b);
    uint32_t space = ib_string(&b, "Space");
    for (unsigned i = 1; i <= TYPES; i++) {
        char name[20];
        snprintf(name, sizeof name, "Type%u", i);
        IB_ROW(&b, TypeDef, 0, ib_string(&b, name), i % 2 ? space : 0, 0, 1, 1);
    }
    struct ilp_image *image = built_root(&b);
    for (ilp_rid i = 1; i <= TYPES; i++) {
        assert_int_equal(find_type_both(image, 0, i % 2 ? "Space" : "", type_name(image, i)), i);
        assert_int_equal(find_type_both(image, 0, i % 2 ? "" : "Space", type_name(image, i)), 0);
    }
    close_built(image);
}

static void names_of_types(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ilp_image *image = built_root(&b);
    const char *space;
    const char *name;
    ilpi_type_name(image, ILP_TOKEN(ILP_TypeDef, SAMPLE_TYPE), &space, &name);
    assert_string_equal(space, "N");
    assert_string_equal(name, "C");
    ilpi_type_name(image, ILP_TOKEN(ILP_TypeRef, 1), &space, &name);
    assert_string_equal(space, "System");
    assert_string_equal(name, "Object");
    static const ilp_token others[] = {0, ILP_TOKEN(ILP_TypeSpec, 1), ILP_TOKEN(ILP_TypeDef, 9),
                                       ILP_TOKEN(ILP_TypeRef, 0), UINT32_MAX};
    for (size_t i = 0; i < COUNT(others); i++) {
        ilpi_type_name(image, others[i], &space, &name);
        assert_string_equal(space, "");
        assert_string_equal(name, "");
    }
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_of_plain_runs),
        cmocka_unit_test(members_before_the_first_type_have_no_owner),
        cmocka_unit_test(runs_that_do_not_rise),
        cmocka_unit_test(owners_through_ptr_tables),
        cmocka_unit_test(ptr_tables_may_hold_anything),
        cmocka_unit_test(lists_are_clipped),
        cmocka_unit_test(lists_go_through_ptr_tables),
        cmocka_unit_test(rows_by_key),
        cmocka_unit_test(many_generic_params),
        cmocka_unit_test(enclosing_types),
        cmocka_unit_test(attributes_by_name_in_any_scope),
        cmocka_unit_test(attributes_of_compiled_files),
        cmocka_unit_test(types_by_name),
        cmocka_unit_test(many_types_by_name),
        cmocka_unit_test(names_of_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
