/* Shapes of rows and coded indexes: every tag there and back, and every column's width on both
 * sides of every threshold. */
#include "metadata_test.h"

static unsigned width_of(const struct ilpi_sizes *sizes, unsigned table, unsigned column)
{
    struct ilpi_row_shape shapes[ILP_TABLE_COUNT];
    ilpi_shapes_compute(sizes, shapes);
    return (unsigned)(shapes[table].at[column + 1] - shapes[table].at[column]);
}

/* ---- coded indexes ---- */

static void every_tag_goes_there_and_back(void **state)
{
    (void)state;
    static const ilp_rid rids[] = {1, 2, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x7FFFFF};
    for (unsigned coded = 0; coded < ILPI_CODED_COUNT; coded++) {
        const struct ilpi_coded_def *def = &ilpi_codeds[coded];
        unsigned known = 0;
        for (uint32_t tag = 0; tag < 1u << def->bits; tag++) {
            for (size_t i = 0; i < COUNT(rids); i++) {
                uint32_t raw = rids[i] << def->bits | tag;
                ilp_token token = ilpi_coded_to_token((enum ilpi_coded)coded, raw);
                if (def->tables[tag] == 0) {
                    assert_int_equal(token, 0);
                    continue;
                }
                assert_int_equal(token, ILP_TOKEN(def->tables[tag] - 1u, rids[i]));
                assert_int_equal(ilpi_token_to_coded((enum ilpi_coded)coded, token), raw);
            }
            known += def->tables[tag] != 0;
        }
        /* every tag needs its bits, and the bits are all needed */
        assert_in_range(known, 2, 1u << def->bits);
        for (uint32_t tag = 1u << def->bits; tag < ILPI_MAX_TAGS; tag++) {
            assert_int_equal(def->tables[tag], 0);
        }
    }
}

static void no_table_has_two_tags(void **state)
{
    (void)state;
    for (unsigned coded = 0; coded < ILPI_CODED_COUNT; coded++) {
        unsigned seen[ILP_TABLE_COUNT + 1] = {0};
        for (unsigned tag = 0; tag < ILPI_MAX_TAGS; tag++) {
            unsigned table = ilpi_codeds[coded].tables[tag];
            assert_true(table == 0 || ++seen[table] == 1);
            assert_true(table == 0 || ilp_table_name(table - 1) != NULL);
        }
    }
}

static void null_and_strangers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ILPI_CODED_COUNT; i++) {
        enum ilpi_coded coded = (enum ilpi_coded)i;
        const struct ilpi_coded_def *def = &ilpi_codeds[i];
        assert_int_equal(ilpi_token_to_coded(coded, 0), 0);
        for (uint32_t tag = 0; tag < 1u << def->bits; tag++) {
            assert_int_equal(ilpi_coded_to_token(coded, tag), 0); /* row 0 of any table */
        }
        for (unsigned table = 0; table < 256; table++) {
            bool known = false;
            for (unsigned tag = 0; tag < ILPI_MAX_TAGS; tag++) {
                known |= def->tables[tag] == table + 1;
            }
            uint32_t raw = ilpi_token_to_coded(coded, ILP_TOKEN(table, 1));
            assert_true(known == (raw != ILPI_NO_CODED));
            assert_int_equal(ilpi_token_to_coded(coded, ILP_TOKEN(table, 0)), 0);
        }
        if (def->bits < 8) {
            /* a row that no token can hold */
            assert_int_equal(ilpi_coded_to_token(coded, 0x1000000u << def->bits), 0);
        }
    }
}

/* ---- widths ---- */

static void heaps_widen_by_their_flags(void **state)
{
    (void)state;
    for (unsigned flags = 0; flags < 8; flags++) {
        struct ilpi_sizes sizes = {
            .large_strings = flags & 1, .large_guids = flags & 2, .large_blobs = flags & 4};
        for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
            for (unsigned i = 0; i < ilpi_tables[table].columns; i++) {
                unsigned kind = ilpi_tables[table].column[i].kind;
                bool heap = kind == ILPI_STR || kind == ILPI_GUID || kind == ILPI_BLOB;
                bool large = (kind == ILPI_STR && flags & 1) || (kind == ILPI_GUID && flags & 2) ||
                             (kind == ILPI_BLOB && flags & 4);
                if (heap) {
                    assert_int_equal(width_of(&sizes, table, i), large ? 4 : 2);
                }
            }
        }
    }
}

static void constants_do_not_widen(void **state)
{
    (void)state;
    struct ilpi_sizes sizes = {.large_strings = true, .large_guids = true, .large_blobs = true};
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        sizes.rows[table] = 0xFFFFFF;
    }
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        for (unsigned i = 0; i < ilpi_tables[table].columns; i++) {
            unsigned kind = ilpi_tables[table].column[i].kind;
            bool small = kind == ILPI_U8PAD || kind == ILPI_U16;
            assert_int_equal(width_of(&sizes, table, i), small ? 2 : 4);
        }
    }
}

/* `table` alone decides about a column of another: small at `rows` - 1, large at `rows`. */
static void crosses(unsigned table, unsigned column, unsigned target, uint32_t rows)
{
    struct ilpi_sizes sizes = {0};
    sizes.rows[target] = rows - 1;
    assert_int_equal(width_of(&sizes, table, column), 2);
    sizes.rows[target] = rows;
    assert_int_equal(width_of(&sizes, table, column), 4);
}

static void simple_indexes_cross_at_2_16(void **state)
{
    (void)state;
    unsigned crossed = 0;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        for (unsigned i = 0; i < ilpi_tables[table].columns; i++) {
            const struct ilpi_column_def *column = &ilpi_tables[table].column[i];
            if (column->kind == ILPI_ROW || column->kind == ILPI_LIST) {
                crosses(table, i, column->target, 0x10000);
                crossed++;
            }
        }
    }
    assert_int_equal(crossed, 32);
}

static void coded_indexes_cross_for_each_of_their_tables(void **state)
{
    (void)state;
    unsigned crossed = 0;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        for (unsigned i = 0; i < ilpi_tables[table].columns; i++) {
            const struct ilpi_column_def *column = &ilpi_tables[table].column[i];
            if (column->kind != ILPI_CODED) {
                continue;
            }
            const struct ilpi_coded_def *coded = &ilpi_codeds[column->target];
            for (unsigned tag = 0; tag < ILPI_MAX_TAGS; tag++) {
                if (coded->tables[tag] != 0) {
                    crosses(table, i, coded->tables[tag] - 1u, 1u << (16 - coded->bits));
                    crossed++;
                }
            }
        }
    }
    assert_int_equal(crossed, 98);
}

/* The numbers that the specification and the runtimes' headers give, not computed. */
static void known_thresholds(void **state)
{
    (void)state;
    crosses(ILP_CustomAttribute, ILP_CustomAttribute_Parent, ILP_TypeDef, 2048);
    crosses(ILP_CustomAttribute, ILP_CustomAttribute_Type, ILP_MemberRef, 8192);
    crosses(ILP_MemberRef, ILP_MemberRef_Class, ILP_TypeSpec, 8192);
    crosses(ILP_TypeRef, ILP_TypeRef_ResolutionScope, ILP_TypeRef, 16384);
    crosses(ILP_TypeDef, ILP_TypeDef_Extends, ILP_TypeSpec, 16384);
    crosses(ILP_Constant, ILP_Constant_Parent, ILP_Property, 16384);
    crosses(ILP_MethodSpec, ILP_MethodSpec_Method, ILP_MemberRef, 32768);
    crosses(ILP_CustomDebugInformation, ILP_CustomDebugInformation_Parent, ILP_ImportScope, 2048);
}

static void other_tables_do_not_matter(void **state)
{
    (void)state;
    struct ilpi_sizes sizes = {0};
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        sizes.rows[table] = table == ILP_TypeDef || table == ILP_MethodDef || table == ILP_Assembly
                                ? 0x3FFF
                                : 0xFFFFFF;
    }
    assert_int_equal(width_of(&sizes, ILP_DeclSecurity, ILP_DeclSecurity_Parent), 2);
    assert_int_equal(width_of(&sizes, ILP_NestedClass, ILP_NestedClass_EnclosingClass), 2);
    assert_int_equal(width_of(&sizes, ILP_TypeDef, ILP_TypeDef_MethodList), 2);
    assert_int_equal(width_of(&sizes, ILP_TypeDef, ILP_TypeDef_FieldList), 4);
}

static void columns_follow_each_other(void **state)
{
    (void)state;
    struct ilpi_sizes sizes = {.large_strings = true};
    struct ilpi_row_shape shapes[ILP_TABLE_COUNT];
    ilpi_shapes_compute(&sizes, shapes);
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        const struct ilpi_row_shape *shape = &shapes[table];
        unsigned columns = ilpi_tables[table].columns;
        assert_int_equal(shape->at[0], 0);
        assert_int_equal(shape->at[columns], shape->size);
        for (unsigned i = 0; i < columns; i++) {
            assert_in_range(shape->at[i + 1] - shape->at[i], 2, 4);
        }
        assert_int_equal(columns != 0, shape->size != 0);
    }
    assert_int_equal(shapes[ILP_TypeDef].size, 4 + 4 + 4 + 2 + 2 + 2);
    assert_int_equal(shapes[ILP_AssemblyRef].size, 8 + 4 + 2 + 4 + 4 + 2);
}

static void names_and_keys(void **state)
{
    (void)state;
    assert_string_equal(ilp_table_name(0x00), "Module");
    assert_string_equal(ilp_table_name(0x2C), "GenericParamConstraint");
    assert_string_equal(ilp_table_name(0x37), "CustomDebugInformation");
    assert_null(ilp_table_name(0x2D));
    assert_null(ilp_table_name(0x38));
    assert_null(ilp_table_name(0x40));
    assert_null(ilp_table_name(UINT32_MAX));
    /* II.22: the tables that are sorted; two of the Portable PDB format are as well */
    uint64_t sorted = 0;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        sorted |= (uint64_t)(ilpi_tables[table].name && ilpi_tables[table].key >= 0) << table;
        assert_true(ilpi_tables[table].key < ilpi_tables[table].columns ||
                    !ilpi_tables[table].name);
    }
    assert_true(sorted == (0x16003301FA00 | (uint64_t)1 << ILP_LocalScope |
                           (uint64_t)1 << ILP_StateMachineMethod |
                           (uint64_t)1 << ILP_CustomDebugInformation));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tag_goes_there_and_back),
        cmocka_unit_test(no_table_has_two_tags),
        cmocka_unit_test(null_and_strangers),
        cmocka_unit_test(heaps_widen_by_their_flags),
        cmocka_unit_test(constants_do_not_widen),
        cmocka_unit_test(simple_indexes_cross_at_2_16),
        cmocka_unit_test(coded_indexes_cross_for_each_of_their_tables),
        cmocka_unit_test(known_thresholds),
        cmocka_unit_test(other_tables_do_not_matter),
        cmocka_unit_test(columns_follow_each_other),
        cmocka_unit_test(names_and_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
