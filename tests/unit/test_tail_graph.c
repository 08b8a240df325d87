/* src/inspect/tail/graph.c: what becomes of the first tail call of a method, in small modules and
 * in long chains. */
#include "tests/unit/inspect_image.h"

#include "il/body.h"
#include "inspect/tail/graph.h"

/* Code of methods. Tokens are those of add_module(). */
#define RET             "2A"
#define TAIL(m)         "FE 14 28 0" #m " 00 00 06 2A "
#define TAIL_VIRTUAL(m) "FE 14 6F 0" #m " 00 00 06 2A "
#define TAIL_MEMBER(m)  "FE 14 28 0" #m " 00 00 0A 2A "
#define TAIL_SPEC(m)    "FE 14 28 0" #m " 00 00 2B 2A "
#define CALL(m)         "28 0" #m " 00 00 06 2A "
#define JMP(m)          "27 0" #m " 00 00 06 "
#define CALLI           "FE 14 29 01 00 00 11 2A "

#define STRIP   ILP_TAIL_STRIPPED
#define LOOP    ILP_TAIL_KEPT_LOOP
#define UNKNOWN ILP_TAIL_KEPT_UNKNOWN

enum { STATIC = 0x10, FINAL = 0x20, VIRTUAL = 0x40, SEALED = 0x100, RUNTIME = 3 };

static const struct {
    const char *name;
    uint32_t type_flags, flags, impl; /* of the type and of method 2; 0: static, IL */
    const char *code[4];
    enum ilp_tail_decision expected;
    ilp_rid built;
} cases[] = {
    {"to an end", 0, 0, 0, {TAIL(2), RET}, STRIP, 1},
    {"chain", 0, 0, 0, {TAIL(2), TAIL(3), TAIL(4), RET}, STRIP, 1},
    {"self", 0, 0, 0, {TAIL(1)}, LOOP, 1},
    {"mutual", 0, 0, 0, {TAIL(2), TAIL(1)}, LOOP, 1},
    {"round of four", 0, 0, 0, {TAIL(2), TAIL(3), TAIL(4), TAIL(1)}, LOOP, 1},
    {"into a loop", 0, 0, 0, {TAIL(2), TAIL(3), TAIL(2)}, STRIP, 1},
    {"into itself alone", 0, 0, 0, {TAIL(2), TAIL(2)}, STRIP, 1},
    {"out of a loop", 0, 0, 0, {TAIL(3) TAIL(2), TAIL(1), RET}, STRIP, 1},
    {"two ways, one back", 0, 0, 0, {TAIL(2), TAIL(3) TAIL(4), RET, TAIL(1)}, LOOP, 1},
    {"back by a plain call", 0, 0, 0, {TAIL(2), CALL(1)}, STRIP, 1},
    {"other prefixes between",
     0,
     0,
     0,
     {"FE 14 FE 16 01 00 00 01 6F 02 00 00 06 2A", TAIL(1)},
     LOOP,
     1},
    {"other prefixes in front",
     0,
     0,
     0,
     {"FE 16 01 00 00 01 FE 14 6F 02 00 00 06 2A", TAIL(1)},
     LOOP,
     1},
    /* jmp */
    {"back by jmp", 0, 0, 0, {TAIL(2), JMP(1)}, LOOP, 1},
    {"on by jmp", 0, 0, 0, {TAIL(2), JMP(3), RET}, STRIP, 1},
    {"away by jmp", 0, 0, 0, {TAIL(2), "27 01 00 00 0A"}, UNKNOWN, 1},
    /* what is called */
    {"calli", 0, 0, 0, {CALLI}, UNKNOWN, 1},
    {"to calli", 0, 0, 0, {TAIL(2), TAIL(3), CALLI}, UNKNOWN, 1},
    {"a loop that leads away", 0, 0, 0, {TAIL(2), TAIL(3), TAIL(2) CALLI}, UNKNOWN, 1},
    {"all of a loop lead away", 0, 0, 0, {TAIL(2) CALLI, TAIL(1), TAIL(2), RET}, UNKNOWN, 3},
    {"what comes after a loop", 0, 0, 0, {TAIL(2), TAIL(1), TAIL(4) TAIL(1), RET}, STRIP, 3},
    {"a loop with calli in it", 0, 0, 0, {TAIL(2), TAIL(1) CALLI}, LOOP, 1},
    {"virtual", 0, VIRTUAL, 0, {TAIL_VIRTUAL(2), RET}, UNKNOWN, 1},
    {"virtual, final", 0, VIRTUAL | FINAL, 0, {TAIL_VIRTUAL(2), RET}, STRIP, 1},
    {"virtual, sealed", SEALED, VIRTUAL, 0, {TAIL_VIRTUAL(2), RET}, STRIP, 1},
    {"virtual, sealed, back", SEALED, VIRTUAL, 0, {TAIL_VIRTUAL(2), TAIL(1)}, LOOP, 1},
    {"virtual, by call", 0, VIRTUAL, 0, {TAIL(2), RET}, STRIP, 1},
    {"not virtual, by callvirt", 0, 1, 0, {TAIL_VIRTUAL(2), RET}, STRIP, 1},
    {"static virtual", 0, VIRTUAL | STATIC, 0, {"FE 16 01 00 00 1B " TAIL(2), RET}, UNKNOWN, 1},
    {"a delegate's Invoke", SEALED, VIRTUAL, RUNTIME, {TAIL_VIRTUAL(2), NULL}, UNKNOWN, 1},
    {"no body", 0, 0, 0, {TAIL(2), NULL}, UNKNOWN, 1},
    {"another assembly", 0, 0, 0, {TAIL_MEMBER(1)}, UNKNOWN, 1},
    {"to another assembly", 0, 0, 0, {TAIL(2), TAIL_MEMBER(1)}, UNKNOWN, 1},
    {"own generic instance", 0, 0, 0, {TAIL_MEMBER(2), RET}, STRIP, 1},
    {"own generic instance, back", 0, 0, 0, {TAIL_MEMBER(2), TAIL(1)}, LOOP, 1},
    {"own type by MemberRef", 0, 0, 0, {TAIL_MEMBER(3), TAIL(1)}, LOOP, 1},
    {"not in that type", 0, 0, 0, {TAIL_MEMBER(4), RET}, UNKNOWN, 1},
    {"another signature", 0, 0, 0, {TAIL_MEMBER(5), RET}, UNKNOWN, 1},
    {"another assembly's instance", 0, 0, 0, {TAIL_MEMBER(6), RET}, UNKNOWN, 1},
    {"MethodSpec", 0, 0, 0, {TAIL_SPEC(1), RET}, STRIP, 1},
    {"MethodSpec, back", 0, 0, 0, {TAIL_SPEC(1), TAIL(1)}, LOOP, 1},
    {"MethodSpec of a MemberRef", 0, 0, 0, {TAIL_SPEC(2), TAIL(1)}, LOOP, 1},
    {"no such method", 0, 0, 0, {TAIL(9)}, UNKNOWN, 1},
    {"no such row", 0, 0, 0, {TAIL_MEMBER(9)}, UNKNOWN, 1},
    {"no such instance", 0, 0, 0, {TAIL_SPEC(9)}, UNKNOWN, 1},
    /* what cannot be read: bytes that may be a prefix, and no IL */
    {"to a body that cannot be read", 0, 0, 0, {TAIL(2), "24 FE 14"}, UNKNOWN, 1},
    {"bytes that are no prefix", 0, 0, 0, {TAIL(2), "20 FE 14 27 00 26 2A"}, STRIP, 1},
};

static void add_rows(struct ib_image *b)
{
    uint32_t plain = ii_blob(b, "00 00 01");
    uint32_t own = ii_blob(b, "15 12 08 01 1C");   /* class TypeDef 2<object> */
    uint32_t other = ii_blob(b, "15 12 11 01 1C"); /* class TypeRef 4<object> */
    ilp_token far = ii_type_ref(b, II_MSCORLIB, "N", "Far");
    ilp_token specs[2] = {ILP_TOKEN(ILP_TypeSpec, IB_ROW(b, TypeSpec, own)),
                          ILP_TOKEN(ILP_TypeSpec, IB_ROW(b, TypeSpec, other))};
    ilp_token second = ILP_TOKEN(ILP_TypeDef, 2);
    IB_ROW(b, MemberRef, far, ib_string(b, "M2"), plain);
    IB_ROW(b, MemberRef, specs[0], ib_string(b, "M2"), plain);
    IB_ROW(b, MemberRef, second, ib_string(b, "M2"), plain);
    IB_ROW(b, MemberRef, second, ib_string(b, "M9"), plain);
    IB_ROW(b, MemberRef, second, ib_string(b, "M2"), ii_blob(b, "00 00 08"));
    IB_ROW(b, MemberRef, specs[1], ib_string(b, "M2"), plain);
    uint32_t arguments = ii_blob(b, "0A 01 1C");
    IB_ROW(b, MethodSpec, ILP_TOKEN(ILP_MethodDef, 2), arguments);
    IB_ROW(b, MethodSpec, ILP_TOKEN(ILP_MemberRef, 2), arguments);
    IB_ROW(b, StandAloneSig, plain);
}

static struct ilp_image *module_of(size_t i)
{
    static const char *const names[] = {"M1", "M2", "M3", "M4"};
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token type = ii_type(&b, "N", "C", II_OBJECT);
    ib_set(&b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, cases[i].type_flags);
    for (size_t m = 0; m < COUNT(names); m++) {
        ilp_token method = ii_method(&b, names[m], "00 00 01");
        if (m == 1 && cases[i].flags != 0) {
            ib_set(&b, ILP_MethodDef, 2, ILP_MethodDef_Flags, cases[i].flags);
        }
        if (m == 1) {
            ib_set(&b, ILP_MethodDef, 2, ILP_MethodDef_ImplFlags, cases[i].impl);
        }
        if (cases[i].code[m]) {
            struct ii_hex code = ii_hex(cases[i].code[m]);
            assert_true(code.size < 64);
            memmove(code.data + 1, code.data, code.size);
            code.data[0] = (uint8_t)(code.size << 2 | ILPI_BODY_TINY);
            ib_data(&b, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_RVA, code.data,
                    code.size + 1);
        }
    }
    add_rows(&b);
    return built_pe(&b, (struct ib_pe){0});
}

/* ---- asking ---- */

struct built {
    struct ilpi_alloc alloc;
    struct ilp_arena arena;
    struct ilpi_tail_graph graph;
};

static ilp_status build(struct built *built, const struct ilp_image *image, uint64_t budget,
                        const struct ilp_allocator *allocator)
{
    struct ilpi_budget left = {budget};
    struct ilp_error error;
    *built = (struct built){.graph = {.image = NULL}};
    ilpi_alloc_init(&built->alloc, allocator);
    built->arena.alloc = &built->alloc;
    return ilpi_tail_graph_build(&built->graph, image, &built->alloc, &built->arena, &left, &error);
}

static void end(struct built *built)
{
    ilpi_arena_free(&built->arena);
    assert_int_equal(built->alloc.used, 0);
}

/* The decision for the first call of a method. */
static enum ilp_tail_decision decide(struct built *built, ilp_rid method)
{
    const struct ilp_image *image = built->graph.image;
    struct ilpi_code code = {.alloc = &built->alloc};
    struct ilp_arena scratch = {.alloc = &built->alloc};
    struct ilp_body body;
    uint64_t offset;
    uint32_t i = 0;
    struct ilp_bytes bytes =
        ilp_image_rva(image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_RVA), &offset);
    assert_int_equal(ilp_body_read(&body, bytes, offset, &scratch, NULL), ILP_OK);
    assert_int_equal(ilpi_code_decode(&code, &body, NULL), ILP_OK);
    while (ilpi_opcodes[code.insns[i].op].flow != ILPI_FLOW_CALL) {
        i++;
    }
    enum ilp_tail_decision decision = ilpi_tail_decide(&built->graph, method, &code,
                                                       &code.insns[i]);
    ilpi_code_free(&code);
    ilpi_arena_free(&scratch);
    return decision;
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        struct ilp_image *image = module_of(i);
        assert_int_equal(build(&built, image, UINT64_MAX, NULL), ILP_OK);
        enum ilp_tail_decision decision = decide(&built, cases[i].built);
        if (decision != cases[i].expected) {
            fail_msg("%s: %s", cases[i].name, ilp_tail_word(decision));
        }
        end(&built);
        close_built(image);
    }
}

/* Where the budget is spent, bodies are not read: where they lead is unknown. */
static void test_budget(void **state)
{
    (void)state;
    struct built built;
    struct ilp_image *image = module_of(1); /* a chain to an end */
    assert_int_equal(build(&built, image, 9, NULL), ILP_OK);
    assert_int_equal(decide(&built, 1), UNKNOWN);
    end(&built);
    close_built(image);
}

/* Whatever allocation fails, the build fails, and nothing is left over. */
static void test_memory(void **state)
{
    (void)state;
    struct ilp_image *image = module_of(4);
    bool done = false;
    for (size_t limit = 1; !done; limit += 16) {
        struct memory memory = {0};
        struct ilp_allocator allocator = memory_allocator(&memory);
        allocator.limit = limit;
        struct built built;
        ilp_status status = build(&built, image, UINT64_MAX, &allocator);
        done = status == ILP_OK;
        assert_true(done || status == ILP_E_NO_MEMORY);
        assert_true(done || !built.graph.image);
        end(&built);
    }
    close_built(image);
}

/* ---- long chains ---- */

enum { LONG = 1000000, BODY = 9 };

/* LONG methods, each of which tail calls the next; the last one holds `last`. They are put one
 * after the other in the data of the first. */
static struct ilp_image *chain(const char *last)
{
    struct ib_image b;
    struct ii_hex end_code = ii_hex(last);
    uint8_t *bodies = test_malloc((size_t)LONG * BODY);
    for (uint32_t i = 0; i < LONG; i++) {
        uint8_t body[BODY] = {8 << 2 | ILPI_BODY_TINY, 0xFE, 0x14, 0x28, 0, 0, 0, 0, 0x2A};
        ilpi_store_u32(body + 4, ILP_TOKEN(ILP_MethodDef, i + 2));
        memcpy(bodies + (size_t)i * BODY, body, BODY);
    }
    uint8_t *at = bodies + (size_t)(LONG - 1) * BODY;
    at[0] = (uint8_t)(end_code.size << 2 | ILPI_BODY_TINY);
    memcpy(at + 1, end_code.data, end_code.size);
    ii_begin(&b, "App");
    ii_type(&b, "N", "C", II_OBJECT);
    ib_rows(&b, ILP_MethodDef, LONG);
    ib_data(&b, ILP_MethodDef, 1, ILP_MethodDef_RVA, bodies, (size_t)LONG * BODY);
    test_free(bodies);
    struct ilp_image *image = built_pe(&b, (struct ib_pe){0});
    uint32_t rva = ilp_cell(image, ILP_MethodDef, 1, ILP_MethodDef_RVA);
    const struct ilpi_table *table = &image->tables[ILP_MethodDef];
    for (uint32_t i = 1; i < LONG; i++) { /* the image is the test's own memory */
        ilpi_store_u32((uint8_t *)(uintptr_t)table->rows + (size_t)i * table->shape.size,
                       rva + i * BODY);
    }
    return image;
}

static void test_long(void **state)
{
    (void)state;
    static const struct {
        const char *last;
        enum ilp_tail_decision first, middle;
    } ends[] = {
        {"00 00 00 00 00 00 00 2A", STRIP, STRIP},
        {TAIL(1), LOOP, LOOP},
        {CALLI, UNKNOWN, UNKNOWN},
        {"FE 14 28 00 00 08 06 2A", STRIP, LOOP}, /* back to the middle: 0x80000 */
    };
    for (size_t i = 0; i < COUNT(ends); i++) {
        struct built built;
        struct ilp_image *image = chain(ends[i].last);
        assert_int_equal(build(&built, image, UINT64_MAX, NULL), ILP_OK);
        assert_int_equal(decide(&built, 1), ends[i].first);
        assert_int_equal(decide(&built, 0x80001), ends[i].middle);
        end(&built);
        close_built(image);
    }
}

static void test_words(void **state)
{
    (void)state;
    assert_string_equal(ilp_tail_word(ILP_TAIL_KEPT), "kept");
    assert_string_equal(ilp_tail_word(LOOP), "kept-loop");
    assert_string_equal(ilp_tail_word(UNKNOWN), "kept-unknown");
    assert_string_equal(ilp_tail_word(STRIP), "stripped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases), cmocka_unit_test(test_budget), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_long),  cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
