/* src/verify/tiny_depth.c: what it says of bodies, beside what the walk along all paths says
 * (il/stack.c).
 *
 *   test_tiny_depth [FILE...]     other assemblies than those of the tests */
#include <glob.h>

#include "tests/unit/inspect_image.h"
#include "types/call_shape.h"
#include "verify/tiny_depth.h"

static char **files;
static size_t file_count;

static bool depth_of(const char *hex, uint32_t *depth)
{
    struct ii_hex code = ii_hex(hex);
    struct ilp_image none = {.name = NULL};
    const struct ilp_body body = {.max_stack = 8, .code = {code.data, code.size}};
    return ilpi_tiny_depth(&none, &body, depth);
}

static void test_code(void **state)
{
    static const struct {
        const char *code;
        uint32_t depth;
    } cases[] = {
        {"2A", 0},
        {"16 2A", 1},
        {"16 25 25 58 58 2A", 3},
        {"16 2D 02 16 2A 16 25 26 2A", 2},          /* brtrue.s past a ret */
        {"16 26 2B FC", 1},                         /* back to what came before */
        {"16 45 01 00 00 00 01 00 00 00 2A 2A", 1}, /* switch */
        {"16 DE 00 2A", 1},                         /* leave.s empties the stack */
        {"14 7A", 1},                               /* throw */
    };
    static const char *const others[] = {
        "26 2A",             /* there is nothing */
        "16 2D 01 16 2A",    /* two depths meet */
        "2B 02 17 2A 2B FB", /* the third is only reached by a branch back */
        "16 2B 70",          /* out of the code */
        "28 01 00 00 06 2A", /* a call of what is not there */
        "27 01 00 00 06",    /* jmp */
        "FF",
        "16 20",
        "2B F0 2A", /* no instruction, half of one, before the code */
        "45 FF FF FF FF 2A",
    };
    uint32_t depth;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (!depth_of(cases[i].code, &depth)) {
            fail_msg("%s", cases[i].code);
        }
        assert_int_equal(depth, cases[i].depth);
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        if (depth_of(others[i], &depth)) {
            fail_msg("%s", others[i]);
        }
    }
}

/* ---- files ---- */

struct walked {
    struct ilp_image *image;
    struct ilpi_alloc alloc;
    struct ilp_arena arena;
    struct ilpi_call_shapes shapes;
    struct ilpi_code code;
    struct ilpi_stack stack;
    size_t known, bodies;
};

static void check_body(struct walked *walked, ilp_rid method)
{
    const struct ilp_image *image = walked->image;
    uint32_t rva = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_RVA);
    struct ilp_bytes bytes = rva != 0 ? ilp_image_rva(image, rva, NULL)
                                      : (struct ilp_bytes){NULL, 0};
    const struct ilpi_calls calls = {&walked->shapes, ilpi_call_shape_of};
    struct ilpi_sig_call call;
    struct ilp_body body;
    uint32_t depth;
    if (bytes.size == 0 || ilp_body_read(&body, bytes, 0, &walked->arena, NULL) != ILP_OK ||
        body.fat) {
        return;
    }
    uint32_t blob = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Signature);
    if (ilpi_sig_call_shape(ilp_blob(image, blob), 0, &call, NULL) != ILP_OK ||
        ilpi_code_decode(&walked->code, &body, NULL) != ILP_OK ||
        ilpi_stack_compute(&walked->stack, &walked->code, &body, &calls, call.returns, NULL) !=
            ILP_OK) {
        return;
    }
    walked->bodies++;
    if (ilpi_tiny_depth(image, &body, &depth)) {
        walked->known++;
        assert_int_equal(depth, walked->stack.max);
    }
}

static void test_files(void **state)
{
    size_t known = 0, bodies = 0;
    (void)state;
    for (size_t i = 0; i < file_count; i++) {
        struct walked walked = {.image = NULL};
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
        assert_int_equal(ilpi_call_shapes_init(&walked.shapes, walked.image, &walked.arena, NULL),
                         ILP_OK);
        for (ilp_rid rid = 1; rid <= ilp_row_count(walked.image, ILP_MethodDef); rid++) {
            check_body(&walked, rid);
        }
        known += walked.known;
        bodies += walked.bodies;
        ilpi_stack_free(&walked.stack);
        ilpi_code_free(&walked.code);
        ilpi_arena_free(&walked.arena);
        close_built(walked.image);
    }
    printf("%zu of %zu\n", known, bodies);
    assert_true(known > 0 && known >= bodies * 9 / 10);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_files),
    };
    glob_t found;
    if (glob(ILP_TEST_FILES "/good-*.dll", 0, NULL, &found) != 0 ||
        glob("tests/command/files/[A-Z]*.dll", GLOB_APPEND, NULL, &found) != 0) {
        return 1; /* run from the project's root */
    }
    files = argc > 1 ? argv + 1 : found.gl_pathv;
    file_count = argc > 1 ? (size_t)argc - 1 : found.gl_pathc;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    globfree(&found);
    return failed;
}
