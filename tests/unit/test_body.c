/* Method headers and data sections: read, written, read again, and lied about. */
#include "il_test.h"

struct reading {
    struct test_alloc alloc;
    struct ilp_arena arena;
    struct ilp_bytes bytes;
    struct ilp_body body;
    struct ilp_error error;
    ilp_status status;
};

#define ORIGIN 0x1000u

static void read_body(struct reading *reading, const void *bytes, size_t size)
{
    *reading = (struct reading){.arena = {.alloc = &reading->alloc.alloc}};
    test_alloc_init(&reading->alloc, 0);
    reading->bytes = exact(bytes, size);
    reading->status = ilp_body_read(&reading->body, reading->bytes, ORIGIN, &reading->arena,
                                    &reading->error);
    if (reading->status != ILP_OK) {
        assert_int_equal(reading->error.status, reading->status);
        assert_in_range(reading->error.offset, ORIGIN, ORIGIN + size);
        assert_true(reading->error.message[0] != '\0');
    }
}

static void read_end(struct reading *reading)
{
    ilpi_arena_free(&reading->arena);
    assert_int_equal(reading->alloc.alloc.used, 0);
    free_bytes(reading->bytes);
}

/* What the writer makes of a body; free with ilpi_buf_free(). */
static struct ilpi_buf written(struct test_alloc *alloc, const struct ilp_body *body)
{
    struct ilp_error error;
    struct ilpi_buf measure = {0};
    test_alloc_init(alloc, 0);
    struct ilpi_buf buf = {.alloc = &alloc->alloc};
    assert_int_equal(ilpi_body_write(&buf, body, &error), ILP_OK);
    assert_int_equal(ilpi_body_write(&measure, body, &error), ILP_OK);
    assert_int_equal(measure.size, buf.size);
    return buf;
}

static void assert_same_body(const struct ilp_body *a, const struct ilp_body *b)
{
    assert_int_equal(a->fat, b->fat);
    assert_int_equal(a->init_locals, b->init_locals);
    assert_int_equal(a->max_stack, b->max_stack);
    assert_int_equal(a->locals, b->locals);
    assert_int_equal(a->code.size, b->code.size);
    assert_memory_equal(a->code.data, b->code.data, a->code.size);
    assert_int_equal(a->clause_count, b->clause_count);
    for (size_t i = 0; i < a->clause_count; i++) {
        assert_memory_equal(&a->clauses[i], &b->clauses[i], sizeof a->clauses[i]);
    }
    assert_int_equal(a->other.size, b->other.size);
    assert_memory_equal(a->other.data, b->other.data, a->other.size);
}

#define FAT(flags, stack, size) flags, 0x30, stack, 0, size, 0, 0, 0
#define NO_LOCALS               0, 0, 0, 0
#define LOCALS                  2, 0, 0, 0x11

/* Bodies in the form that the writer chooses, so that reading and writing gives them back. */
static const struct {
    const char *name;
    struct ilp_bytes bytes;
} good[] = {
    {"tiny: ret", CODE(0x06, 0x2A)},
    {"tiny: no code at all", CODE(0x02)},
    {"fat: maxstack 9", CODE(FAT(0x03, 9, 1), NO_LOCALS, 0x2A)},
    {"fat though it could be tiny", CODE(FAT(0x03, 8, 1), NO_LOCALS, 0x2A)},
    {"fat: locals, init", CODE(FAT(0x13, 1, 2), LOCALS, 0x00, 0x2A)},
    {"small EH: finally, after padding",
     CODE(FAT(0x0B, 8, 7), NO_LOCALS, 0xDE, 3, 0xDC, 0, 0, 0x2A, 0x2A, 0, /* code, padding */
          0x01, 16, 0, 0, 2, 0, 0, 0, 2, 2, 0, 1, 0, 0, 0, 0)},
    {"small EH: catch and filter",
     CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x01, 28, 0, 0, /* two clauses */
          0, 0, 0, 0, 1, 1, 0, 1, 5, 0, 0, 1,                        /* catch TypeRef 5 */
          1, 0, 0, 0, 1, 2, 0, 1, 1, 0, 0, 0)},                      /* filter at 1 */
    {"another section alone",
     CODE(FAT(0x0B, 8, 1), NO_LOCALS, 0x2A, 0, 0, 0, 0x02, 5, 'a', 'b', 'c')},
    {"EH, then two others",
     CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x81, 16, 0, 0, 4, 0, 0, 0, 1, 1, 0, 1, 0, 0,
          0, 0, 0x82, 3, 'x', 0, 0x42, 6, 0, 0, 'y', 'z')},
};
#define GOOD_COUNT (sizeof good / sizeof good[0])

static void what_is_read_is_written_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOOD_COUNT; i++) {
        struct reading reading;
        struct test_alloc alloc;
        read_body(&reading, good[i].bytes.data, good[i].bytes.size);
        assert_int_equal(reading.status, ILP_OK);
        assert_int_equal(reading.body.size, good[i].bytes.size);
        struct ilpi_buf buf = written(&alloc, &reading.body);
        assert_int_equal(buf.size, good[i].bytes.size);
        assert_memory_equal(buf.data, good[i].bytes.data, buf.size);
        ilpi_buf_free(&buf);
        read_end(&reading);
    }
}

static void bytes_after_the_body_are_not_its_own(void **state)
{
    (void)state;
    uint8_t bytes[256];
    for (size_t i = 0; i < GOOD_COUNT; i++) {
        struct reading reading;
        memset(bytes, 0xFF, sizeof bytes);
        memcpy(bytes, good[i].bytes.data, good[i].bytes.size);
        read_body(&reading, bytes, sizeof bytes);
        assert_int_equal(reading.status, ILP_OK);
        assert_int_equal(reading.body.size, good[i].bytes.size);
        read_end(&reading);
    }
}

static void every_shorter_input_is_truncated(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOOD_COUNT; i++) {
        for (size_t size = 0; size < good[i].bytes.size; size++) {
            struct reading reading;
            read_body(&reading, good[i].bytes.data, size);
            assert_int_equal(reading.status, ILP_E_TRUNCATED);
            read_end(&reading);
        }
    }
}

/* Whatever one byte is changed to: no crash, and what is accepted survives writing and reading. */
static void every_byte_can_be_anything(void **state)
{
    (void)state;
    uint8_t bytes[256];
    size_t accepted = 0;
    for (size_t i = 0; i < GOOD_COUNT; i++) {
        memcpy(bytes, good[i].bytes.data, good[i].bytes.size);
        for (size_t at = 0; at < good[i].bytes.size; at++) {
            for (unsigned value = 0; value < 0x100; value++) {
                struct reading reading;
                bytes[at] = (uint8_t)value;
                read_body(&reading, bytes, good[i].bytes.size);
                if (reading.status == ILP_OK) {
                    struct test_alloc alloc;
                    struct reading again;
                    struct ilpi_buf buf = written(&alloc, &reading.body);
                    read_body(&again, buf.data, buf.size);
                    assert_int_equal(again.status, ILP_OK);
                    assert_same_body(&again.body, &reading.body);
                    read_end(&again);
                    ilpi_buf_free(&buf);
                    accepted++;
                }
                read_end(&reading);
            }
            bytes[at] = good[i].bytes.data[at];
        }
    }
    assert_true(accepted > 10000);
}

#define FAT_ONE 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1

/* What runtimes take though the specification does not, and what it allows but no compiler
 * writes. */
static const struct {
    const char *name;
    struct ilp_bytes bytes;
    size_t clauses;
    size_t other;
} odd[] = {
    {"tiny with the third bit set (an odd size)", CODE(0x0E, 0, 0, 0x2A), 0, 0},
    {"a header of 4 dwords", CODE(0x03, 0x40, 8, 0, 1, 0, 0, 0, NO_LOCALS, 9, 9, 9, 9, 0x2A), 0, 0},
    {"a header of 15 dwords",
     CODE(0x03, 0xF0, 8, 0, 1, 0, 0, 0, NO_LOCALS, NO_LOCALS, NO_LOCALS, NO_LOCALS, NO_LOCALS,
          NO_LOCALS, NO_LOCALS, NO_LOCALS, NO_LOCALS, NO_LOCALS, NO_LOCALS, NO_LOCALS, NO_LOCALS,
          0x2A),
     0, 0},
    {"small DataSize without its header (Visual Basic)",
     CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x01, 12, 0, 0, 2, 0, 0, 0, 1, 1, 0, 1, 0, 0,
          0, 0),
     1, 0},
    {"fat DataSize without its header",
     CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x41, 24, 0, 0, FAT_ONE), 1, 0},
    {"small DataSize with a remainder",
     CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x01, 23, 0, 0, 2, 0, 0, 0, 1, 1, 0, 1, 0, 0,
          0, 0),
     1, 0},
    {"an EH section of no clauses", CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x01, 4, 0, 0),
     0, 0},
    {"DataSize 0", CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x01, 0, 0, 0), 0, 0},
    {"two EH sections, another between",
     CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A,          /* code */
          0x81, 16, 0, 0, 2, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, /* small */
          0x82, 5, 'a', 'b', 'c', 0xEE, 0xEE, 0xEE,           /* padded */
          0xC1, 28, 0, 0, FAT_ONE,                            /* fat */
          0x02, 4, 'd', 'e'),
     2, 12},
};
static void odd_but_readable(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct reading reading;
        struct reading again;
        struct test_alloc alloc;
        read_body(&reading, odd[i].bytes.data, odd[i].bytes.size);
        assert_int_equal(reading.status, ILP_OK);
        assert_int_equal(reading.body.size, odd[i].bytes.size);
        assert_int_equal(reading.body.clause_count, odd[i].clauses);
        assert_int_equal(reading.body.other.size, odd[i].other);
        const uint8_t *code = reading.body.code.data;
        assert_int_equal(code[reading.body.code.size - 1], 0x2A);
        assert_int_equal(reading.body.code_offset, ORIGIN + (size_t)(code - reading.bytes.data));
        struct ilpi_buf buf = written(&alloc, &reading.body);
        read_body(&again, buf.data, buf.size);
        assert_int_equal(again.status, ILP_OK);
        assert_same_body(&again.body, &reading.body);
        read_end(&again);
        ilpi_buf_free(&buf);
        read_end(&reading);
    }
}

/* The sections that are no EH tables, out of their places between others: aligned, and chained
 * again. */
static void other_sections_are_chained_again(void **state)
{
    (void)state;
    struct reading reading;
    const size_t last = sizeof odd / sizeof odd[0] - 1;
    read_body(&reading, odd[last].bytes.data, odd[last].bytes.size);
    const uint8_t expected[] = {0x82, 5, 'a', 'b', 'c', 0, 0, 0, 0x02, 4, 'd', 'e'};
    assert_int_equal(reading.body.other.size, sizeof expected);
    assert_memory_equal(reading.body.other.data, expected, sizeof expected);
    assert_int_equal(reading.body.clauses[0].flags, ILPI_EH_FINALLY);
    assert_int_equal(reading.body.clauses[1].flags, ILPI_EH_CATCH);
    assert_int_equal(reading.body.clauses[1].token_or_filter, 0x01000001);
    read_end(&reading);
}

static const struct {
    const char *name;
    struct ilp_bytes bytes;
    ilp_status status;
} bad[] = {
    {"neither tiny nor fat: 0", CODE(0x00, 0x2A), ILP_E_BAD_BODY},
    {"neither tiny nor fat: 1", CODE(0x05, 0x2A), ILP_E_BAD_BODY},
    {"neither tiny nor fat: 7", CODE(FAT(0x07, 8, 1), NO_LOCALS, 0x2A), ILP_E_BAD_BODY},
    {"a header of 2 dwords", CODE(0x03, 0x20, 8, 0, 1, 0, 0, 0, NO_LOCALS, 0x2A), ILP_E_BAD_BODY},
    {"locals that are a TypeDef", CODE(FAT(0x03, 8, 1), 1, 0, 0, 2, 0x2A), ILP_E_BAD_BODY},
    {"locals that are row 0", CODE(FAT(0x03, 8, 1), 0, 0, 0, 0x11, 0x2A), ILP_E_BAD_BODY},
    {"code of 4 GB", CODE(0x03, 0x30, 8, 0, 255, 255, 255, 255, NO_LOCALS, 0x2A), ILP_E_TRUNCATED},
    {"a section that should follow", CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A),
     ILP_E_TRUNCATED},
    {"more clauses than bytes",
     CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x41, 255, 255, 255), ILP_E_TRUNCATED},
    {"a section of size 0, one more",
     CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x82, 0, 0, 0), ILP_E_BAD_BODY},
    {"a fat section of size 3", CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x42, 3, 0, 0),
     ILP_E_BAD_BODY},
    {"clause flags 3",
     CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x01, 16, 0, 0, 3, 0, 0, 0, 1, 1, 0, 1, 0, 0,
          0, 0),
     ILP_E_BAD_BODY},
    {"a try past the end",
     CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x01, 16, 0, 0, 2, 0, 0, 0, 5, 1, 0, 1, 0, 0,
          0, 0),
     ILP_E_BAD_BODY},
    {"a handler past the end",
     CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x01, 16, 0, 0, 2, 0, 0, 0, 1, 5, 0, 0, 0, 0,
          0, 0),
     ILP_E_BAD_BODY},
    {"a filter past the end",
     CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x01, 16, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 5, 0,
          0, 0),
     ILP_E_BAD_BODY},
    {"a try whose end wraps",
     CODE(FAT(0x0B, 8, 4), NO_LOCALS, 0, 0, 0, 0x2A, 0x41, 28, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0xFE,
          0xFF, 0xFF, 0xFF, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
     ILP_E_BAD_BODY},
};
static void bad_input_has_its_status(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct reading reading;
        read_body(&reading, bad[i].bytes.data, bad[i].bytes.size);
        if (reading.status != bad[i].status) {
            fail_msg("%s: %s", bad[i].name, ilp_status_name(reading.status));
        }
        read_end(&reading);
    }
}

/* ---- the writer's choices -------------------------------------------------------------------- */

static uint8_t zeros[0x100];

static struct ilp_body tiny_body(size_t code_size)
{
    return (struct ilp_body){.max_stack = 8, .code = {zeros, code_size}};
}

static void tiny_as_long_as_it_fits(void **state)
{
    (void)state;
    struct ilp_eh_clause clause = {0};
    uint8_t section[] = {2, 4, 0, 0};
    struct ilp_body bodies[9];
    for (size_t i = 0; i < 9; i++) {
        bodies[i] = tiny_body(63);
    }
    bodies[1].max_stack = 7;
    bodies[2].code.size = 64;
    bodies[3].max_stack = 9;
    bodies[4].locals = 0x11000001;
    bodies[5].init_locals = true;
    bodies[6].clauses = &clause;
    bodies[6].clause_count = 1;
    bodies[7].other = (struct ilp_bytes){section, sizeof section};
    bodies[8].fat = true;
    for (size_t i = 0; i < 9; i++) {
        struct test_alloc alloc;
        struct ilpi_buf buf = written(&alloc, &bodies[i]);
        assert_int_equal(ilpi_body_is_tiny(&bodies[i]), i < 2);
        assert_int_equal(buf.data[0] & 3, i < 2 ? 2 : 3);
        ilpi_buf_free(&buf);
    }
}

/* The first byte of the EH section that is written for `count` clauses like this one. */
static uint8_t section_kind(struct ilp_eh_clause clause, size_t count)
{
    struct ilp_eh_clause clauses[21];
    struct test_alloc alloc;
    static uint8_t code[0x20000];
    struct ilp_body body = {.fat = true, .code = {code, sizeof code}, .clauses = clauses};
    body.clause_count = count;
    for (size_t i = 0; i < count; i++) {
        clauses[i] = clause;
    }
    struct ilpi_buf buf = written(&alloc, &body);
    uint8_t kind = buf.data[12 + sizeof code];
    struct reading again;
    read_body(&again, buf.data, buf.size);
    assert_int_equal(again.status, ILP_OK);
    assert_same_body(&again.body, &body);
    read_end(&again);
    ilpi_buf_free(&buf);
    return kind;
}

static void small_eh_as_long_as_it_fits(void **state)
{
    (void)state;
    const struct ilp_eh_clause most = {0, 0xFFFF, 0xFF, 0xFFFF, 0xFF, 0xFFFFFFFF};
    struct ilp_eh_clause clause = most;
    assert_int_equal(section_kind(most, 1), 0x01);
    assert_int_equal(section_kind(most, 20), 0x01);
    assert_int_equal(section_kind(most, 21), 0x41);
    clause.try_offset = 0x10000;
    assert_int_equal(section_kind(clause, 1), 0x41);
    clause = most;
    clause.try_length = 0x100;
    assert_int_equal(section_kind(clause, 1), 0x41);
    clause = most;
    clause.handler_offset = 0x10000;
    assert_int_equal(section_kind(clause, 1), 0x41);
    clause = most;
    clause.handler_length = 0x100;
    assert_int_equal(section_kind(clause, 1), 0x41);
    clause = most;
    clause.flags = ILPI_EH_FILTER;
    clause.token_or_filter = 0x1FFFF; /* 32 bits in the small form, too */
    assert_int_equal(section_kind(clause, 1), 0x01);
}

static void sections_are_aligned_from_the_body_not_the_buffer(void **state)
{
    (void)state;
    struct test_alloc alloc;
    test_alloc_init(&alloc, 0);
    struct ilpi_buf buf = {.alloc = &alloc.alloc};
    struct reading reading;
    read_body(&reading, good[5].bytes.data, good[5].bytes.size);
    ilpi_buf_u8(&buf, 0xEE);
    assert_int_equal(ilpi_body_write(&buf, &reading.body, NULL), ILP_OK);
    assert_memory_equal(buf.data + 1, good[5].bytes.data, good[5].bytes.size);
    ilpi_buf_free(&buf);
    read_end(&reading);
}

static void what_has_no_room_is_refused(void **state)
{
    (void)state;
    struct ilp_error error;
    struct ilpi_buf measure = {0};
    const size_t most = (0xFFFFFF - 4) / 24;
    struct ilp_body body = {.fat = true, .code = {zeros, 1}, .clause_count = most};
    body.clauses = calloc(most, sizeof *body.clauses);
    assert_non_null(body.clauses);
    assert_int_equal(ilpi_body_write(&measure, &body, &error), ILP_OK);
    body.clause_count++;
    assert_int_equal(ilpi_body_write(&measure, &body, &error), ILP_E_TOO_LARGE);
    free(body.clauses);
    body = (struct ilp_body){.fat = true, .code = {zeros, (size_t)INT32_MAX + 1}};
    assert_int_equal(ilpi_body_write(&measure, &body, &error), ILP_E_TOO_LARGE);
}

static void memory_that_ends_is_an_error(void **state)
{
    (void)state;
    const size_t last = GOOD_COUNT - 1;
    bool done = false;
    for (size_t n = 1; !done; n++) {
        struct test_alloc alloc;
        struct ilp_body body;
        struct ilp_error error;
        test_alloc_init(&alloc, n);
        struct ilp_arena arena = {.alloc = &alloc.alloc};
        struct ilpi_buf buf = {.alloc = &alloc.alloc};
        ilp_status status = ilp_body_read(&body, good[last].bytes, 0, &arena, &error);
        if (status == ILP_OK) {
            status = ilpi_body_write(&buf, &body, &error);
        }
        done = alloc.calls < n;
        assert_int_equal(status, done ? ILP_OK : ILP_E_NO_MEMORY);
        ilpi_buf_free(&buf);
        ilpi_arena_free(&arena);
        assert_int_equal(alloc.alloc.used, 0);
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_written_back),
        cmocka_unit_test(bytes_after_the_body_are_not_its_own),
        cmocka_unit_test(every_shorter_input_is_truncated),
        cmocka_unit_test(every_byte_can_be_anything),
        cmocka_unit_test(odd_but_readable),
        cmocka_unit_test(other_sections_are_chained_again),
        cmocka_unit_test(bad_input_has_its_status),
        cmocka_unit_test(tiny_as_long_as_it_fits),
        cmocka_unit_test(small_eh_as_long_as_it_fits),
        cmocka_unit_test(sections_are_aligned_from_the_body_not_the_buffer),
        cmocka_unit_test(what_has_no_room_is_refused),
        cmocka_unit_test(memory_that_ends_is_an_error),
    };
    return cmocka_run_group_tests_name("il/body_read, il/body_write", tests, NULL, NULL);
}
