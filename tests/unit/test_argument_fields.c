/* src/inspect/async/argument_fields.c: which fields of an enumerator hold the arguments that are in
 * fields of its sequence. What compilers make is for tests/runtime/async_arguments. */
#include "tests/unit/inspect_image.h"

#include "inspect/async/argument_fields.h"

#define MACHINE   2u /* its TypeDef row */
#define MOVE_NEXT 3u

/* Fields 1 and 2 of the machine are the sequence's a and b, 3 and 4 the enumerator's; 5 is of
 * another type. */
#define FIELD(n)       "0" #n " 00 00 04 "
#define LOAD(n)        "7B " FIELD(n)
#define ADDRESS(n)     "7C " FIELD(n)
#define STORE(n)       "7D " FIELD(n)
#define COPY(from, to) "06 02 " LOAD(from) STORE(to)
#define COPIES         COPY(1, 3) COPY(2, 4) "06 2A"
#define NOTHING        "2A"

static const struct {
    const char *name, *makes, *code, *other;
    ilp_rid first, second;
} cases[] = {
    {"both", "GetEnumerator", COPIES, NOTHING, 3, 4},
    {"async", "GetAsyncEnumerator", COPIES, NOTHING, 3, 4},
    {"of an interface", "I<int>.GetEnumerator", COPIES, NOTHING, 3, 4},
    {"the other order", "GetEnumerator", COPY(1, 4) COPY(2, 3) "06 2A", NOTHING, 4, 3},
    {"one", "GetEnumerator", COPY(2, 4) "06 2A", NOTHING, 0, 4},
    {"into itself", "GetEnumerator", COPY(1, 1) COPY(2, 4) "06 2A", NOTHING, 1, 4},
    {"into itself, in a branch", "GetEnumerator", "16 2D 0C " COPY(1, 1) COPY(2, 4) "06 2A",
     NOTHING, 1, 4},
    {"after branches that meet", "GetEnumerator", "16 2D 01 00 " COPIES, NOTHING, 3, 4},
    {"a branch leads past it", "GetEnumerator", "16 2D 0C " COPIES, NOTHING, 0, 4},
    {"a long branch does", "GetEnumerator", "16 3A 0C 00 00 00 " COPIES, NOTHING, 0, 4},
    {"a switch may", "GetEnumerator", "16 45 01 00 00 00 00 00 00 00 " COPIES, NOTHING, 0, 0},
    {"a branch after it", "GetEnumerator", COPY(1, 3) "2B 0C " COPY(2, 4) "06 2A", NOTHING, 3, 0},
    {"twice", "GetEnumerator", COPY(1, 3) COPIES, NOTHING, 0, 4},
    {"in two", "GetEnumerator", COPY(1, 3) COPY(1, 4) "06 2A", NOTHING, 0, 0},
    {"both in one", "GetEnumerator", COPY(1, 3) COPY(2, 3) "06 2A", NOTHING, 0, 0},
    {"of another object", "GetEnumerator", "06 06 " LOAD(1) STORE(3) COPY(2, 4) "06 2A", NOTHING, 0,
     4},
    {"what was made of it", "GetEnumerator", "06 02 " LOAD(1) "65 " STORE(3) COPY(2, 4) "06 2A",
     NOTHING, 0, 4},
    {"to another type", "GetEnumerator", COPY(1, 5) COPY(2, 4) "06 2A", NOTHING, 0, 4},
    {"of another type", "GetEnumerator", COPY(5, 3) COPY(2, 4) "06 2A", NOTHING, 0, 4},
    {"then a constant", "GetEnumerator", COPY(1, 3) "06 16 " STORE(3) COPY(2, 4) "06 2A", NOTHING,
     0, 4},
    {"a constant before", "GetEnumerator", "06 16 " STORE(3) COPIES, NOTHING, 0, 4},
    {"no enumerator", "Reset", NOTHING, NOTHING, 1, 2},
    {"no enumerator, a copy", "Reset", COPY(1, 3) "2A", NOTHING, 1, 2},
    {"no enumerator, stored", "Reset", "02 16 " STORE(1) "2A", NOTHING, 0, 2},
    {"stored elsewhere", "GetEnumerator", COPIES, "02 16 " STORE(3) "2A", 0, 4},
    {"its source is", "GetEnumerator", COPIES, "02 16 " STORE(2) "2A", 3, 0},
    {"its address is taken", "GetEnumerator", COPIES, "02 " ADDRESS(4) "26 2A", 3, 0},
    {"it is read", "GetEnumerator", COPIES, "02 " LOAD(3) "26 2A", 3, 4},
    {"copied elsewhere", "GetEnumerator", COPIES, "02 02 " LOAD(1) STORE(3) "2A", 0, 4},
    {"another type's is stored", "GetEnumerator", COPIES, "02 16 " STORE(5) "2A", 3, 4},
};

static void add_method(struct ib_image *b, const char *name, const char *hex)
{
    uint8_t body[128] = {0x03, 0x30, 8, 0};
    struct ii_hex code = ii_hex(hex);
    assert_true(code.size <= sizeof body - 12);
    body[4] = (uint8_t)code.size;
    memcpy(body + 12, code.data, code.size);
    ilp_token method = ii_method(b, name, "20 00 01");
    ib_data(b, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_RVA, body, code.size + 12);
}

static struct ilp_image *machine_with(size_t number)
{
    static const char *const fields[] = {"<>3__a", "<>3__b", "a", "b"};
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "", "Machine", II_OBJECT);
    for (size_t i = 0; i < COUNT(fields); i++) {
        IB_ROW(&b, Field, 1, ib_string(&b, fields[i]), ii_blob(&b, "06 08"));
    }
    add_method(&b, cases[number].makes, cases[number].code);
    add_method(&b, "Finally", cases[number].other);
    add_method(&b, "MoveNext", "02 16 " STORE(1) "02 16 " STORE(3) "2A"); /* is for others */
    ii_type(&b, "", "Other", II_OBJECT);
    IB_ROW(&b, Field, 1, ib_string(&b, "a"), ii_blob(&b, "06 08"));
    return built_pe(&b, (struct ib_pe){0});
}

static ilp_status follow(const struct ilp_image *image, uint64_t left, ilp_rid *kept)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilp_arena arena = {.alloc = &alloc};
    struct ilpi_budget budget = {left};
    const struct ilpi_machine_type machine = {image, MACHINE, &arena, &budget};
    uint32_t holds[] = {1, 2, 0, 0};
    struct ilpi_argument_fields fields = {&machine, 1, 4, holds, kept, 2};
    kept[0] = 1;
    kept[1] = 2;
    ilp_status status = ilpi_argument_fields_follow(&fields, MOVE_NEXT, NULL);
    ilpi_arena_free(&arena);
    return status;
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        ilp_rid kept[2];
        struct ilp_image *image = machine_with(i);
        assert_int_equal(follow(image, 1000, kept), ILP_OK);
        if (kept[0] != cases[i].first || kept[1] != cases[i].second) {
            fail_msg("%s: fields %u and %u", cases[i].name, kept[0], kept[1]);
        }
        close_built(image);
    }
}

/* Reading costs what there is to read. */
static void test_budget(void **state)
{
    (void)state;
    ilp_rid kept[2];
    struct ilp_image *image = machine_with(0);
    assert_int_equal(follow(image, 3, kept), ILP_E_TOO_LARGE);
    assert_int_equal(follow(image, 60, kept), ILP_E_TOO_LARGE);
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
