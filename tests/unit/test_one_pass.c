/* src/il/one_pass.c: what it says of bodies, beside what the instructions and the walk along all
 * paths say (il/decode.c, il/stack.c): bodies of assemblies, and these with bytes changed.
 *
 *   test_one_pass [FILE...]     other assemblies than those of the tests */

#include "il/one_pass.h"
#include "tests/unit/test_inputs.h"
#include "tests/unit/inspect_image.h"
#include "types/call_shape.h"

static char **files;
static size_t file_count;

#define MAX_CODE 4096

static bool pass_of(const char *hex, const struct ilp_eh_clause *clauses, size_t count,
                    struct ilpi_one_pass *pass)
{
    struct ii_hex code = ii_hex(hex);
    struct ilp_eh_clause copies[2];
    uint16_t points[sizeof code.data + 1];
    if (count != 0) {
        memcpy(copies, clauses, count * sizeof *copies);
    }
    const struct ilp_body body = {
        .max_stack = 8, .code = {code.data, code.size}, .clauses = copies, .clause_count = count};
    return ilpi_one_pass(pass, &body, NULL, ILPI_RETURNS_ANY, points);
}

static void test_code(void **state)
{
    static const struct {
        const char *code;
        uint32_t depth, rets, last, before;
    } cases[] = {
        {"2A", 0, 1, 0, 0},
        {"16 2A", 1, 1, 1, 0},
        {"16 25 25 58 58 2A", 3, 1, 5, 4},
        {"16 2D 02 16 2A 16 25 26 2A", 2, 2, 8, 7},            /* brtrue.s past a ret */
        {"16 26 2B FC", 1, 0, 2, 1},                           /* back to what came before */
        {"16 45 01 00 00 00 01 00 00 00 2A 2A", 1, 2, 11, 10}, /* switch */
        {"16 DE 00 2A", 1, 1, 3, 1},                           /* leave.s empties the stack */
        {"14 7A", 1, 0, 1, 0},                                 /* throw */
        {"2B 03 17 26 00 16 2D FA 2A", 1, 1, 8, 6},            /* a loop */
        {"2B 06 2B 01 00 16 2D FC 16 2D F7 2A", 1, 1, 11, 9},  /* a loop in a loop */
        {"14 FE 13 50 2A", 1, 1, 4, 3},                        /* volatile. */
    };
    static const char *const others[] = {
        "",
        "26 2A",                      /* there is nothing */
        "16 2D 01 16 2A",             /* two depths meet */
        "2B 01 00 2A",                /* nothing leads to the nop, */
        "2B 02 2B FE 2A",             /* nothing but itself, */
        "2B 04 2B 00 2B FC 2A",       /* nothing but two that lead to each other, */
        "2B 05 16 2D FD 00 00 2A",    /* or a branch back from there */
        "16 2B 02 26 2A 16 2B FA",    /* the value is there when it leads back, */
        "2B 02 2A 00 16 2B FA",       /* or comes with it */
        "14 2B 02 FE 13 50 2A",       /* between a prefix and its instruction */
        "FE 13 2A",                   /* a prefix of ret, */
        "14 26 FE 13",                /* or of nothing */
        "16 2D 01 20 00 00 00 00 2A", /* into an operand */
        "16",                         /* the code ends */
        "16 2B 70",                   /* out of the code */
        "28 01 00 00 06 2A",          /* a call, and its shape is not known */
        "27 01 00 00 06",             /* jmp */
        "FF",
        "FE",
        "FE FF",
        "16 20",    /* no instruction, half of one */
        "2B F0 2A", /* before the code */
        "45 FF FF FF FF 2A",
    };
    struct ilpi_one_pass pass;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (!pass_of(cases[i].code, NULL, 0, &pass)) {
            fail_msg("%s", cases[i].code);
        }
        assert_int_equal(pass.max, cases[i].depth);
        assert_int_equal(pass.rets, cases[i].rets);
        assert_int_equal(pass.last, cases[i].last);
        assert_int_equal(pass.before, cases[i].before);
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        if (pass_of(others[i], NULL, 0, &pass)) {
            fail_msg("%s", others[i]);
        }
    }
}

/* nop; leave.s 1; pop; leave.s 2 (or endfinally); nop; ret */
static void test_clauses(void **state)
{
    struct ilp_eh_clause clause = {ILPI_EH_CATCH, 0, 3, 3, 3, 0};
    struct ilpi_one_pass pass;
    (void)state;
    static const char code[] = "00 DE 03 26 DE 00 00 2A";
    assert_true(pass_of(code, &clause, 1, &pass));
    assert_int_equal(pass.max, 1);
    assert_false(pass_of(code, &clause, 0, &pass)); /* nothing leads to the pop */
    clause.flags = ILPI_EH_FINALLY;
    assert_false(pass_of(code, &clause, 1, &pass)); /* there is nothing for it */
    assert_true(
        pass_of("00 DE 02 00 DC 00 2A", &(struct ilp_eh_clause){2, 0, 3, 3, 2, 0}, 1, &pass));
    clause = (struct ilp_eh_clause){ILPI_EH_CATCH, 0, 2, 3, 3, 0}; /* ends in an operand */
    assert_false(pass_of(code, &clause, 1, &pass));
    clause = (struct ilp_eh_clause){ILPI_EH_CATCH, 2, 1, 3, 3, 0}; /* begins there */
    assert_false(pass_of(code, &clause, 1, &pass));
    clause = (struct ilp_eh_clause){ILPI_EH_CATCH, 0, 3, 3, 9, 0}; /* ends after the code */
    assert_false(pass_of(code, &clause, 1, &pass));
}

/* ---- files ---- */

struct walked {
    struct ilp_image *image;
    struct ilpi_alloc alloc;
    struct ilp_arena arena;
    struct ilpi_call_shapes shapes;
    struct ilpi_code code;
    struct ilpi_stack stack;
    uint16_t points[MAX_CODE + 1];
    uint32_t random;
    size_t known, bodies, broken;
};

/* Every instruction is reachable, at the depth that the pass gave it. */
static void check_points(const struct walked *walked)
{
    const struct ilpi_code *code = &walked->code;
    size_t points = 0;
    for (size_t i = 0; i < code->count; i++) {
        uint16_t point = walked->points[code->insns[i].offset];
        assert_true((code->insns[i].marks & ILPI_INSN_SEEN) != 0);
        if ((code->insns[i].marks & ILPI_INSN_AFTER_PREFIX) != 0) {
            assert_int_equal(point, ILPI_NO_POINT);
        } else {
            assert_int_equal(ILPI_POINT_DEPTH(point), walked->stack.depth[i]);
            points++;
        }
    }
    for (size_t at = 0; at <= code->bytes.size; at++) {
        points -= walked->points[at] != ILPI_NO_POINT;
    }
    assert_int_equal(points, 0);
}

/* Whether the body is right; and the pass says nothing else. */
static bool check_pass(struct walked *walked, const struct ilp_body *body, uint32_t returns)
{
    const struct ilpi_calls calls = {&walked->shapes, ilpi_call_shape_of};
    const struct ilpi_code *code = &walked->code;
    struct ilpi_one_pass pass;
    uint32_t rets = 0;
    bool right = ilpi_code_decode(&walked->code, body, NULL) == ILP_OK &&
                 ilpi_stack_compute(&walked->stack, &walked->code, body, &calls, returns, NULL) ==
                     ILP_OK;
    if (!ilpi_one_pass(&pass, body, &calls, returns, walked->points)) {
        return right;
    }
    walked->known++;
    assert_true(right);
    assert_int_equal(pass.max, walked->stack.max);
    assert_int_equal(pass.count, code->count);
    assert_int_equal(pass.last, code->insns[code->count - 1].offset);
    assert_int_equal(pass.before, code->insns[code->count < 2 ? 0 : code->count - 2].offset);
    bool tails = false;
    for (size_t i = 0; i < code->count; i++) {
        rets += code->insns[i].op == ILPI_OP_RET;
        tails = tails || code->insns[i].op == ILPI_OP_TAIL;
    }
    assert_int_equal(pass.rets, rets);
    assert_int_equal(pass.tails, tails);
    check_points(walked);
    return true;
}

static uint32_t next_random(struct walked *walked)
{
    walked->random = walked->random * 1664525u + 1013904223u;
    return walked->random >> 8;
}

/* The same with one byte changed: to another one of the code, or by a little. */
static void check_changed(struct walked *walked, const struct ilp_body *body, uint32_t returns)
{
    uint8_t copy[MAX_CODE];
    struct ilp_body changed = *body;
    memcpy(copy, body->code.data, body->code.size);
    changed.code.data = copy;
    for (unsigned i = 0; i < 8; i++) {
        uint8_t *byte = &copy[next_random(walked) % body->code.size];
        uint8_t old = *byte;
        *byte = i % 2 == 0 ? copy[next_random(walked) % body->code.size]
                           : (uint8_t)(old + next_random(walked) % 9 - 4);
        walked->broken += !check_pass(walked, &changed, returns);
        *byte = old;
    }
}

static void check_body(struct walked *walked, ilp_rid method)
{
    const struct ilp_image *image = walked->image;
    uint32_t rva = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_RVA);
    struct ilp_bytes bytes = rva != 0 ? ilp_image_rva(image, rva, NULL)
                                      : (struct ilp_bytes){NULL, 0};
    struct ilpi_sig_call call;
    struct ilp_body body;
    ilpi_arena_reset(&walked->arena);
    if (bytes.size == 0 || ilp_body_read(&body, bytes, 0, &walked->arena, NULL) != ILP_OK ||
        body.code.size == 0 || body.code.size > MAX_CODE) {
        return;
    }
    uint32_t blob = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Signature);
    if (ilpi_sig_call_shape(ilp_blob(image, blob), 0, &call, NULL) != ILP_OK) {
        return;
    }
    size_t known = walked->known;
    walked->bodies += check_pass(walked, &body, call.returns);
    size_t after = walked->known;
    check_changed(walked, &body, call.returns);
    walked->known = after > known ? known + 1 : known;
}

static void test_files(void **state)
{
    size_t known = 0, bodies = 0, broken = 0;
    (void)state;
    for (size_t i = 0; i < file_count; i++) {
        struct walked walked = {.random = (uint32_t)i};
        struct ilp_arena shapes = {.alloc = &walked.alloc};
        FILE *file = fopen(files[i], "rb");
        struct ib_bytes bytes = {0};
        uint8_t piece[4096];
        assert_non_null(file);
        for (size_t n; (n = fread(piece, 1, sizeof piece, file)) != 0;) {
            ib_put(&bytes, piece, n);
        }
        fclose(file);
        walked.image = open_image(taken(bytes), ILP_LAYOUT_FILE);
        ilpi_alloc_init(&walked.alloc, NULL);
        walked.arena.alloc = walked.code.alloc = walked.stack.alloc = &walked.alloc;
        assert_int_equal(ilpi_call_shapes_init(&walked.shapes, walked.image, &shapes, NULL),
                         ILP_OK);
        for (ilp_rid rid = 1; rid <= ilp_row_count(walked.image, ILP_MethodDef); rid++) {
            check_body(&walked, rid);
        }
        known += walked.known;
        bodies += walked.bodies;
        broken += walked.broken;
        ilpi_stack_free(&walked.stack);
        ilpi_code_free(&walked.code);
        ilpi_arena_free(&walked.arena);
        ilpi_arena_free(&shapes);
        close_built(walked.image);
    }
    printf("%zu of %zu, %zu broken\n", known, bodies, broken);
    assert_true(known > 0 && known >= bodies * 9 / 10 && broken > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_clauses),
        cmocka_unit_test(test_files),
    };
    glob_t found;
    if (!good_assemblies(&found)) {
        return 1; /* run from the project's root */
    }
    files = argc > 1 ? argv + 1 : found.gl_pathv;
    file_count = argc > 1 ? (size_t)argc - 1 : found.gl_pathc;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    globfree(&found);
    return failed;
}
