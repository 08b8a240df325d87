/* src/types/field_layout.c: the rules of the three layouts, on 8 and 4 byte pointers. The sizes
 * with 8 byte pointers are what .NET 10 says (tests/facts compares many more); those with 4 follow
 * from the rules. */
#include "tests/unit/metadata_test.h"

#include "metadata/flags.h"
#include "types/field_layout.h"

#define MAX_FIELDS 6

#define AUTO       0
#define SEQUENTIAL ILPI_TYPE_SEQUENTIAL
#define EXPLICIT   ILPI_TYPE_EXPLICIT

/* Fields: of 1, 2, 4 and 8 bytes; P a pointer, R an object reference; and structs: T {1,1,1}, L
 * {8,1}, O {R,1}, W of 16 bytes at multiples of 16, X with an alignment of 3, U unknown. `offsets`
 * goes with them. */
static const struct {
    uint32_t kind;
    uint32_t packing;
    uint32_t class_size;
    uint32_t repeat;
    const char *fields;
    uint32_t offsets[MAX_FIELDS];
    uint32_t size[2]; /* with 8, with 4 */
    uint32_t alignment[2];
} cases[] = {
    /* sequential */
    {SEQUENTIAL, 0, 0, 1, "", {0}, {1, 1}, {1, 1}},
    {SEQUENTIAL, 0, 0, 1, "1", {0}, {1, 1}, {1, 1}},
    {SEQUENTIAL, 0, 0, 1, "111", {0}, {3, 3}, {1, 1}},
    {SEQUENTIAL, 0, 0, 1, "121", {0}, {6, 6}, {2, 2}},
    {SEQUENTIAL, 0, 0, 1, "18", {0}, {16, 16}, {8, 8}},
    {SEQUENTIAL, 0, 0, 1, "81", {0}, {16, 16}, {8, 8}},
    {SEQUENTIAL, 0, 0, 1, "1P1", {0}, {24, 12}, {8, 4}},
    {SEQUENTIAL, 0, 0, 1, "1T2", {0}, {6, 6}, {2, 2}},
    {SEQUENTIAL, 0, 0, 1, "1L1", {0}, {32, 32}, {8, 8}},
    {SEQUENTIAL, 0, 0, 1, "1W", {0}, {32, 32}, {16, 16}},
    {SEQUENTIAL, 1, 0, 1, "182", {0}, {11, 11}, {1, 1}},
    {SEQUENTIAL, 2, 0, 1, "181", {0}, {12, 12}, {2, 2}},
    {SEQUENTIAL, 4, 0, 1, "1W1", {0}, {24, 24}, {4, 4}},
    {SEQUENTIAL, 128, 0, 1, "18", {0}, {16, 16}, {8, 8}},
    {SEQUENTIAL, 0, 5, 1, "4", {0}, {5, 5}, {4, 4}},
    {SEQUENTIAL, 0, 3, 1, "", {0}, {3, 3}, {1, 1}},
    {SEQUENTIAL, 0, 1, 1, "841", {0}, {13, 13}, {8, 8}},
    {SEQUENTIAL, 0, 100, 1, "1", {0}, {100, 100}, {1, 1}},
    /* with object references it is automatic: packing and size do not count */
    {SEQUENTIAL, 0, 0, 1, "1R1", {0}, {16, 8}, {8, 4}},
    {SEQUENTIAL, 1, 50, 1, "1R2", {0}, {16, 8}, {8, 4}},
    {SEQUENTIAL, 0, 0, 1, "1O1", {0}, {24, 12}, {8, 4}},
    {SEQUENTIAL, 0, 0, 1, "RW", {0}, {32, 32}, {8, 4}},
    /* explicit */
    {EXPLICIT, 0, 0, 1, "48", {0, 0}, {8, 8}, {8, 8}},
    {EXPLICIT, 0, 0, 1, "4", {1}, {8, 8}, {4, 4}},
    {EXPLICIT, 1, 0, 1, "4", {1}, {5, 5}, {1, 1}},
    {EXPLICIT, 0, 0, 1, "", {0}, {1, 1}, {1, 1}},
    {EXPLICIT, 0, 3, 1, "", {0}, {3, 3}, {1, 1}},
    {EXPLICIT, 0, 2, 1, "81", {0, 8}, {9, 9}, {8, 8}},
    {EXPLICIT, 0, 0, 1, "81", {8, 0}, {16, 16}, {8, 8}},
    {EXPLICIT, 0, 9, 1, "R", {0}, {16, 12}, {8, 4}},
    {EXPLICIT, 1, 0, 1, "R1", {0, 8}, {16, 12}, {8, 4}},
    {EXPLICIT, 0, 0, 1, "1", {INT32_MAX}, {0, 0}, {0, 0}}, /* too large */
    {EXPLICIT, 0, 0, 1, "1", {INT32_MAX + 1u}, {0, 0}, {0, 0}},
    {EXPLICIT, 0, 0, 1, "11", {0, UINT32_MAX}, {0, 0}, {0, 0}}, /* a field without an offset */
    /* automatic */
    {AUTO, 0, 0, 1, "", {0}, {1, 1}, {1, 1}},
    {AUTO, 0, 0, 1, "111", {0}, {4, 4}, {4, 4}},
    {AUTO, 0, 0, 1, "122", {0}, {8, 8}, {8, 4}},
    {AUTO, 0, 0, 1, "1224", {0}, {16, 12}, {8, 4}},
    {AUTO, 0, 0, 1, "14", {0}, {8, 8}, {8, 4}},
    {AUTO, 0, 0, 1, "81", {0}, {16, 12}, {8, 4}},
    {AUTO, 0, 0, 1, "18124R", {0}, {24, 20}, {8, 4}},
    {AUTO, 0, 50, 1, "81", {0}, {16, 12}, {8, 4}},
    {AUTO, 3, 0, 1, "81", {0}, {16, 12}, {8, 4}},   /* packing is not looked at */
    {AUTO, 0, 0, 1, "TTTT", {0}, {12, 12}, {1, 1}}, /* no scalar aligns to pointers */
    {AUTO, 0, 0, 1, "T1T", {0}, {8, 8}, {8, 4}},
    {AUTO, 0, 0, 1, "T1OLT", {0}, {48, 36}, {8, 4}},
    {AUTO, 0, 0, 1, "1W", {0}, {32, 32}, {16, 16}},
    /* inline arrays */
    {SEQUENTIAL, 0, 0, 3, "1", {0}, {3, 3}, {1, 1}},
    {SEQUENTIAL, 0, 0, 3, "R", {0}, {24, 12}, {8, 4}},
    {SEQUENTIAL, 0, 0, 3, "O", {0}, {48, 24}, {8, 4}},
    {AUTO, 0, 0, 3, "1", {0}, {3, 3}, {3, 3}},
    {AUTO, 0, 0, 8, "1", {0}, {8, 8}, {8, 4}},
    {AUTO, 0, 0, 2, "R", {0}, {16, 8}, {8, 4}},
    {SEQUENTIAL, 0, 0, 1u << 27, "1", {0}, {1u << 27, 1u << 27}, {1, 1}},
    {SEQUENTIAL, 0, 0, (1u << 27) + 1, "1", {0}, {0, 0}, {0, 0}},
    {SEQUENTIAL, 0, 0, INT32_MAX, "8", {0}, {0, 0}, {0, 0}},
    {SEQUENTIAL, 0, 0, 0, "1", {0}, {0, 0}, {0, 0}},
    {SEQUENTIAL, 0, 0, 2, "11", {0}, {0, 0}, {0, 0}},
    {SEQUENTIAL, 0, 0, 2, "", {0}, {0, 0}, {0, 0}},
    {SEQUENTIAL, 0, 8, 2, "1", {0}, {0, 0}, {0, 0}},
    {EXPLICIT, 0, 0, 2, "1", {0}, {0, 0}, {0, 0}},
    /* what no runtime loads */
    {SEQUENTIAL, 3, 0, 1, "1", {0}, {0, 0}, {0, 0}},
    {SEQUENTIAL, 256, 0, 1, "1", {0}, {0, 0}, {0, 0}},
    {ILPI_TYPE_LAYOUT_MASK, 0, 0, 1, "1", {0}, {0, 0}, {0, 0}},
    {SEQUENTIAL, 0, UINT32_MAX, 1, "1", {0}, {0, 0}, {0, 0}},
    {SEQUENTIAL, 0, (1u << 27) + 1, 1, "", {0}, {0, 0}, {0, 0}},
    {SEQUENTIAL, 0, 0, 1, "1X", {0}, {0, 0}, {0, 0}},
    {AUTO, 0, 0, 1, "1X", {0}, {0, 0}, {0, 0}},
    {SEQUENTIAL, 0, 0, 1, "1U", {0}, {0, 0}, {0, 0}},
};

static struct ilpi_value_layout field_of(char what, uint32_t pointer)
{
    uint32_t number = (uint32_t)(what - '0');
    switch (what) {
    case 'P': return (struct ilpi_value_layout){pointer, pointer, false, false};
    case 'R': return (struct ilpi_value_layout){pointer, pointer, false, true};
    case 'T': return (struct ilpi_value_layout){3, 1, true, false};
    case 'L': return (struct ilpi_value_layout){16, 8, true, false};
    case 'O': return (struct ilpi_value_layout){2 * pointer, pointer, true, true};
    case 'W': return (struct ilpi_value_layout){16, 16, true, false};
    case 'X': return (struct ilpi_value_layout){3, 3, true, false};
    case 'U': return (struct ilpi_value_layout){0, 0, true, false};
    default: return (struct ilpi_value_layout){number, number, false, false};
    }
}

static void test_rules(void **state)
{
    (void)state;
    for (size_t round = 0; round < 2 * COUNT(cases); round++) {
        size_t i = round / 2;
        unsigned which = round % 2;
        struct ilpi_layout_rules rules = {which == 0 ? 8 : 4, cases[i].kind, cases[i].packing,
                                          cases[i].class_size, cases[i].repeat};
        struct ilpi_field fields[MAX_FIELDS];
        uint32_t count = (uint32_t)strlen(cases[i].fields);
        bool references = strpbrk(cases[i].fields, "RO") != NULL;
        assert_true(count <= MAX_FIELDS);
        for (uint32_t at = 0; at < count; at++) {
            fields[at] = (struct ilpi_field){field_of(cases[i].fields[at], rules.pointer),
                                             cases[i].offsets[at], 0};
        }
        struct ilpi_value_layout layout = ilpi_lay_out(&rules, fields, count);
        if (layout.size != cases[i].size[which] ||
            (layout.size != 0 && layout.alignment != cases[i].alignment[which])) {
            fail_msg("case %zu, \"%s\" with %u byte pointers: %u bytes at %u", i, cases[i].fields,
                     rules.pointer, layout.size, layout.alignment);
        }
        assert_true(layout.is_struct);
        assert_true(layout.size == 0 || layout.references == references);
    }
}

/* No sum wraps. */
static void test_many_fields(void **state)
{
    (void)state;
    static struct ilpi_field fields[4096];
    for (size_t i = 0; i < COUNT(fields); i++) {
        fields[i].layout = (struct ilpi_value_layout){1u << 27, 8, true, false};
    }
    for (uint32_t kind = AUTO; kind <= EXPLICIT; kind += SEQUENTIAL) {
        struct ilpi_layout_rules rules = {8, kind, 0, 0, 1};
        assert_int_equal(ilpi_lay_out(&rules, fields, COUNT(fields)).size,
                         kind == EXPLICIT ? 1u << 27 : 0);
        assert_int_equal(ilpi_lay_out(&rules, fields, 32).size, kind == EXPLICIT ? 1u << 27 : 0);
        assert_int_equal(ilpi_lay_out(&rules, fields, 1).size, 1u << 27);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_many_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
