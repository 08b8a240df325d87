/* src/verify/same_code.c: old and new code side by side; what is moved rightly, and each way in
 * which it is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "il/body_format.h"
#include "verify/same_code.h"

struct code {
    uint8_t bytes[64];
    size_t size;
};

static struct code code_of(const char *hex)
{
    struct code code = {.size = 0};
    unsigned byte;
    int length;
    for (; sscanf(hex, " %2x%n", &byte, &length) == 1; hex += length) {
        assert_true(code.size < sizeof code.bytes);
        code.bytes[code.size++] = (uint8_t)byte;
    }
    assert_true(hex[strspn(hex, " ")] == '\0');
    return code;
}

static struct ilp_body body_of(const struct code *code, struct ilp_eh_clause *clauses, size_t count)
{
    return (struct ilp_body){.max_stack = 8,
                             .code = {code->bytes, code->size},
                             .clauses = clauses,
                             .clause_count = count};
}

struct change {
    const char *old;
    const char *new;
    uint32_t insn; /* before which `size` bytes are inserted; size 0: nothing is */
    uint32_t size;
    uint32_t entry;
};

static bool is_same(const struct change *change, struct ilp_eh_clause *old_clauses,
                    size_t old_count, struct ilp_eh_clause *new_clauses, size_t new_count,
                    struct ilpi_inserted *inserted)
{
    struct ilpi_alloc alloc;
    struct ilpi_same_code same = {.alloc = &alloc};
    struct code old = code_of(change->old), new = code_of(change->new);
    struct ilp_body before = body_of(&old, old_clauses, old_count);
    struct ilp_body after = body_of(&new, new_clauses, new_count);
    const struct ilpi_insertion insertion = {change->insn, change->entry, {NULL, change->size}};
    ilpi_alloc_init(&alloc, NULL);
    bool is = ilpi_same_code(&same, &before, &after, &insertion, change->size != 0);
    if (is && inserted) {
        *inserted = same.inserted.items[0];
    }
    ilpi_same_code_free(&same);
    assert_int_equal(alloc.used, 0);
    return is;
}

static bool is_same_code(const struct change *change)
{
    return is_same(change, NULL, 0, NULL, 0, NULL);
}

static void code_is_paired(void **state)
{
    static const struct change same[] = {
        {"16 2A", "16 2A", 0, 0, 0},
        {"16 2A", "16 25 26 2A", 1, 2, 0},
        {"16 2A", "25 26 16 2A", 0, 2, 2},
        /* br.s over a nop, to the insertion and to what is after it */
        {"2B 01 00 16 2A", "2B 01 00 25 26 16 2A", 2, 2, 0},
        {"2B 01 00 16 2A", "2B 03 00 25 26 16 2A", 2, 2, 2},
        {"2B 01 00 2A", "2B 02 00 2A 26 2A", 2, 2, 1},
        /* back */
        {"00 2B FD", "00 00 26 2B FB", 1, 2, 0},
        {"00 2B FD", "00 26 00 2B FD", 0, 2, 2},
        /* longer than it was */
        {"2B 01 00 16 2A", "38 01 00 00 00 00 25 26 16 2A", 2, 2, 0},
        {"38 00 00 00 00 2A", "38 00 00 00 00 26 2A", 1, 1, 0},
        /* switch with two arms */
        {"45 02 00 00 00 00 00 00 00 01 00 00 00 00 2A",
         "45 02 00 00 00 00 00 00 00 01 00 00 00 00 26 2A", 2, 1, 0},
        /* leave.s, ldstr, ldc.i8 */
        {"DE 00 2A", "DE 01 26 2A", 1, 1, 1},
        {"72 01 00 00 70 2A", "72 01 00 00 70 26 2A", 1, 1, 0},
        /* tail. is gone; and is not */
        {"FE 14 28 01 00 00 06 2A", "00 00 28 01 00 00 06 26 2A", 2, 1, 0},
        {"FE 14 28 01 00 00 06 2A", "FE 14 28 01 00 00 06 2A 26 2A", 2, 2, 1},
    };
    static const struct change others[] = {
        {"16 2A", "17 2A", 0, 0, 0},
        {"16 2A", "16", 0, 0, 0},
        {"16 2A", "16 2A 2A", 0, 0, 0},
        {"16 2A", "16 25 26", 1, 2, 0},    /* no ret */
        {"16 2A", "16 25 26 00", 1, 2, 0}, /* another instruction in its place */
        {"16 2A", "16 25 26 2A", 1, 1, 0},
        {"16 2A", "16 25 26 2A", 5, 2, 0}, /* no such instruction */
        {"16 2A", "16 25 26 2A", 1, 2, 3},
        {"16 2A", "16 2A", 0, 200, 0},
        /* to another instruction, into one, out of the code */
        {"2B 01 00 16 2A", "2B 00 00 25 26 16 2A", 2, 2, 0},
        {"2B 01 00 16 2A", "2B 02 00 25 26 16 2A", 2, 2, 0},
        {"2B 01 00 16 2A", "2B 03 00 25 26 16 2A", 2, 2, 0},
        {"2B 01 00 16 2A", "2B 70 00 25 26 16 2A", 2, 2, 0},
        {"2B 01 00 2A", "2B 01 00 2A 26 2A", 2, 2, 1},
        {"00 2B FD", "00 00 26 2B FC", 1, 2, 0},
        {"2B 01 00 16 2A", "38 02 00 00 00 00 25 26 16 2A", 2, 2, 0},
        {"38 00 00 00 00 2A", "2B 00 26 2A", 1, 1, 0},                      /* never shorter */
        {"2B 03 72 01 00 00 70 2A", "2B 03 72 01 00 00 70 26 2A", 2, 1, 0}, /* old one: into it */
        {"2B 00", "2B 00", 0, 0, 0},                                        /* to the end */
        {"2B 00 2A", "2C 00 2A", 0, 0, 0},
        {"2B 00 2A", "39 00 00 00 00 2A", 0, 0, 0},
        /* arms */
        {"45 02 00 00 00 00 00 00 00 01 00 00 00 00 2A",
         "45 02 00 00 00 01 00 00 00 01 00 00 00 00 26 2A", 2, 1, 0},
        {"45 02 00 00 00 00 00 00 00 01 00 00 00 00 2A",
         "45 02 00 00 00 00 00 00 00 02 00 00 00 00 26 2A", 2, 1, 0},
        {"45 01 00 00 00 00 00 00 00 2A", "45 00 00 00 00 00 00 00 00 2A", 0, 0, 0},
        /* operands */
        {"06 2A", "07 2A", 0, 0, 0},
        {"11 04 2A", "11 05 2A", 0, 0, 0},
        {"72 01 00 00 70 2A", "72 02 00 00 70 26 2A", 1, 1, 0},
        /* after a prefix; tail. half gone */
        {"FE 13 46 2A", "FE 13 26 46 2A", 1, 1, 0},
        {"FE 14 28 01 00 00 06 2A", "00 26 28 01 00 00 06 26 2A", 2, 1, 0},
        {"FE 14 28 01 00 00 06 2A", "00 28 01 00 00 06 26 2A", 2, 1, 0},
        {"00 00 28 01 00 00 06 2A", "FE 14 28 01 00 00 06 26 2A", 3, 1, 0},
        {"FF 2A", "FF 2A", 0, 0, 0}, /* no instruction */
        {"16 FE", "16 FE", 0, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        if (!is_same_code(&same[i])) {
            fail_msg("%s became %s", same[i].old, same[i].new);
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (is_same_code(&others[i])) {
            fail_msg("%s did not become %s", others[i].old, others[i].new);
        }
    }
}

/* nop; leave.s; endfinally; ret with a finally, and something before each of them. */
static void clauses_are_moved(void **state)
{
    const struct change change = {"00 DE 01 DC 2A", "00 DE 01 DC 26 2A", 3, 1, 0};
    const struct ilp_eh_clause old = {ILPI_EH_FINALLY, 0, 3, 3, 1, 0};
    const struct ilp_eh_clause inner = {ILPI_EH_CATCH, 4, 0, 4, 1, 0x01000001};
    const uint32_t numbers = sizeof old / sizeof(uint32_t);
    (void)state;
    struct ilp_eh_clause before[] = {old}, after[] = {old, old};
    assert_true(is_same(&change, before, 1, after, 1, NULL));
    assert_false(is_same(&change, before, 1, NULL, 0, NULL));
    assert_false(is_same(&change, before, 1, after, 2, NULL)); /* the first one is no new one */
    for (uint32_t i = 0; i < numbers; i++) {
        memcpy(after, before, sizeof before);
        uint32_t number;
        memcpy(&number, (uint8_t *)after + i * sizeof number, sizeof number);
        number++;
        memcpy((uint8_t *)after + i * sizeof number, &number, sizeof number);
        assert_false(is_same(&change, before, 1, after, 1, NULL));
    }
    struct ilp_eh_clause with_new[] = {inner, old}, turned[] = {old, inner};
    assert_true(is_same(&change, before, 1, with_new, 2, NULL));
    assert_false(is_same(&change, before, 1, turned, 2, NULL));
    with_new[0].handler_length = 2;
    assert_false(is_same(&change, before, 1, with_new, 2, NULL));
    with_new[0] = inner;
    with_new[0].try_offset = 3;
    assert_false(is_same(&change, before, 1, with_new, 2, NULL));
}

static void filters_are_moved(void **state)
{
    /* nop; leave.s; pop; ldc.i4.0; endfilter; pop; leave.s; ret */
    const struct change change = {"00 DE 07 26 16 FE 11 26 DE 00 2A",
                                  "00 DE 07 26 16 FE 11 26 DE 00 26 2A", 7, 1, 0};
    struct ilp_eh_clause before[] = {{ILPI_EH_FILTER, 0, 3, 7, 3, 3}};
    struct ilp_eh_clause after[] = {{ILPI_EH_FILTER, 0, 3, 7, 3, 3}};
    (void)state;
    assert_true(is_same(&change, before, 1, after, 1, NULL));
    after[0].token_or_filter = 4;
    assert_false(is_same(&change, before, 1, after, 1, NULL));
}

static void places_are_said(void **state)
{
    const struct change kept = {"FE 14 28 01 00 00 06 2A", "FE 14 28 01 00 00 06 2A 26 2A", 2, 2,
                                1};
    const struct change gone = {"FE 14 28 01 00 00 06 2A", "00 00 28 01 00 00 06 26 2A", 2, 1, 0};
    const struct change later = {"FE 14 28 01 00 00 06 2A 00 2A",
                                 "FE 14 28 01 00 00 06 2A 00 26 2A", 4, 1, 0};
    struct ilpi_inserted inserted;
    (void)state;
    assert_true(is_same(&kept, NULL, 0, NULL, 0, &inserted));
    assert_int_equal(inserted.at, 7);
    assert_int_equal(inserted.size, 2);
    assert_int_equal(inserted.entry, 1);
    assert_int_equal(inserted.before, 7);
    assert_int_equal(inserted.op, ILPI_OP_RET);
    assert_true(inserted.after_tail);
    assert_true(is_same(&gone, NULL, 0, NULL, 0, &inserted));
    assert_false(inserted.after_tail);
    assert_true(is_same(&later, NULL, 0, NULL, 0, &inserted));
    assert_false(inserted.after_tail);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_is_paired),
        cmocka_unit_test(clauses_are_moved),
        cmocka_unit_test(filters_are_moved),
        cmocka_unit_test(places_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
