/* Calls that are passed where they begin and end: what is put where, and what is refused. */
#include "inspect/tracer.h"
#include "tests/unit/inspect_image.h"

/* `calls` counts the methods that it was called for. */
static uint64_t method_of(void *calls, ilp_token method)
{
    ++*(unsigned *)calls;
    return ILP_TOKEN_RID(method) == 1 ? 0x44 : 0;
}

#define CALL(number) \
    "21 44 00 00 00 00 00 00 00 D3 21 " number " 00 00 00 00 00 00 00 D3 29 01 01 00 11 "
#define ENTER    CALL("11")
#define LEAVE    CALL("22")
#define TAILCALL CALL("33")
#define BRIEF    CALL("44")
#define CALL_M   "28 01 00 00 06 "
#define CALL_N   "28 02 00 00 06 " /* without arguments */

static const struct {
    const char *what;
    const char *signature;
    const char *before; /* a whole body */
    const char *code;   /* the new one; NULL: it is left as it is */
    unsigned max_stack;
} methods[] = {
    {"nothing is returned", "00 00 01", "0A 00 2A", ENTER "00 " LEAVE "2A", 2},
    {"a value is below what is passed", "00 00 08", "0A 16 2A", ENTER "16 " LEAVE "2A", 3},
    {"nothing but ret", "00 00 01", "06 2A", ENTER LEAVE "2A", 2},
    {"a loop to the start does not enter", "00 01 01 02", "12 02 2D FD 2A",
     ENTER "02 2D FD " LEAVE "2A", 2},
    {"a branch to ret leaves", "00 01 01 02", "16 02 2D 01 00 2A", ENTER "02 2D 01 00 " LEAVE "2A",
     2},
    {"it never returns", "00 00 01", "0A 14 7A", ENTER "14 7A", 2},
    {"what cannot be reached does not leave", "00 00 01", "12 14 7A 00 2A", ENTER "14 7A 00 2A", 2},
    {"a tail call", "00 00 01", "22 FE 14 " CALL_M "2A", ENTER TAILCALL "FE 14 " CALL_M "2A", 2},
    {"a tail call after something", "00 00 01", "26 00 FE 14 " CALL_M "2A",
     ENTER "00 " TAILCALL "FE 14 " CALL_M "2A", 2},
    {"branches to a tail call, and to its ret", "00 02 01 02 02",
     "3A 02 2D 0A 03 2D 00 FE 14 " CALL_N "2A",
     ENTER "02 2D 24 03 2D 00 " TAILCALL "FE 14 " CALL_N "2A " LEAVE "2A", 2},
    {"the arguments of a tail call are below what is passed", "00 02 01 02 02",
     "2A 02 03 FE 14 " CALL_M "2A", ENTER "02 03 " TAILCALL "FE 14 " CALL_M "2A", 4},
    {"jmp", "00 00 01", "16 27 01 00 00 06", ENTER TAILCALL "27 01 00 00 06", 2},
    {"a loop to jmp", "00 01 01 02", "22 02 2D FD 27 01 00 00 06",
     ENTER "02 2D FD " TAILCALL "27 01 00 00 06", 2},
    {"a call whose prefix is not before a ret", "00 00 01", "26 FE 14 " CALL_M "00 2A",
     ENTER "FE 14 " CALL_M "00 " LEAVE "2A", 2},
    {"the stack is not right at ret", "00 00 08", "0A 00 2A", NULL, 0},
    {"ret has a prefix", "00 00 01", "0E FE 13 2A", NULL, 0},
    {"a signature that is none", "00 00", "06 2A", NULL, 0},
};

struct traced {
    struct ii_emitter emitter;
    struct ib_image built;
    struct ilp_image *app;
    struct ilp_rewriter *rewriter;
    struct ilpi_tracer tracer;
    unsigned calls;
    ilp_token method;
};

static void begin(struct traced *traced, const char *signature)
{
    *traced = (struct traced){.tracer = {.enter = 0x11,
                                         .leave = 0x22,
                                         .tailcall = 0x33,
                                         .method = method_of,
                                         .user = &traced->calls}};
    ii_emitter_begin(&traced->emitter);
    ii_begin(&traced->built, "App");
    traced->method = ii_method(&traced->built, "M", signature);
    ii_method(&traced->built, "N", "00 00 01");
}

static void open_rewriter(struct traced *traced)
{
    const struct ilp_request request = {.inspector_count = 0};
    traced->app = built_root(&traced->built);
    assert_int_equal(ilpi_rewriter_open(&traced->rewriter, traced->app, &request,
                                        &traced->emitter.interface, &traced->tracer, NULL),
                     ILP_OK);
}

static struct ilp_method_result rewrite(struct traced *traced, const char *hex, ilp_status expected)
{
    struct ii_hex body = ii_hex(hex);
    struct ilp_method_result result;
    struct ilp_error error;
    assert_int_equal(ilp_rewrite_method(traced->rewriter, traced->method, NULL,
                                        (struct ilp_bytes){body.data, body.size}, &result, &error),
                     expected);
    return result;
}

static void end(struct traced *traced)
{
    ilp_rewriter_close(traced->rewriter);
    ii_emitter_end(&traced->emitter);
    close_built(traced->app);
}

static void test_methods(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++) {
        struct traced traced;
        struct ilp_arena *arena;
        struct ilp_body body;
        print_message("%s\n", methods[i].what);
        begin(&traced, methods[i].signature);
        open_rewriter(&traced);
        struct ilp_method_result result = rewrite(&traced, methods[i].before, ILP_OK);
        if (methods[i].code) {
            struct ii_hex code = ii_hex(methods[i].code);
            assert_int_equal(result.reason, ILP_REASON_INSPECTED);
            assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
            assert_int_equal(ilp_body_read(&body, result.body, 0, arena, NULL), ILP_OK);
            assert_int_equal(body.code.size, code.size);
            assert_memory_equal(body.code.data, code.data, code.size);
            assert_true(body.max_stack >= methods[i].max_stack);
            assert_int_equal(body.locals, 0);
            ilp_arena_close(arena);
        } else {
            assert_int_equal(result.body.size, 0);
            assert_int_equal(ilp_reason_kind(result.reason), ILP_REASON_REFUSED);
        }
        assert_int_equal(traced.calls, methods[i].code ? 1 : 0);
        end(&traced);
    }
}

/* One whose try block begins with the first instruction: the enter is before it. */
static void test_block_at_the_start(void **state)
{
    (void)state;
    struct traced traced;
    begin(&traced, "00 00 01");
    open_rewriter(&traced);
    /* try { leave } finally { endfinally } ret */
    struct ilp_method_result result = rewrite(&traced,
                                              "1B 30 08 00 04 00 00 00 00 00 00 00 DE 01 DC 2A "
                                              "01 10 00 00 02 00 00 00 02 02 00 01 00 00 00 00",
                                              ILP_OK);
    struct ii_hex code = ii_hex(ENTER "DE 01 DC " LEAVE "2A");
    struct ii_hex clause = ii_hex("02 00 19 00 02 1B 00 01 00 00 00 00");
    assert_int_equal(result.reason, ILP_REASON_INSPECTED);
    assert_memory_equal(result.body.data + 12, code.data, code.size);
    assert_memory_equal(result.body.data + 12 + ((code.size + 3) & ~(size_t)3) + 4, clause.data,
                        clause.size);
    end(&traced);
}

/* A tail call in a block that ends before its ret: a ret of its own would be in the block. */
static void test_block_after_a_tail_call(void **state)
{
    (void)state;
    struct traced traced;
    begin(&traced, "00 00 01");
    open_rewriter(&traced);
    struct ilp_method_result result = rewrite(&traced,
                                              "1B 30 08 00 0B 00 00 00 00 00 00 00 FE 14 " CALL_M
                                              "2A 26 DE 00 00 "
                                              "01 10 00 00 00 00 00 00 07 08 00 03 01 00 00 01",
                                              ILP_OK);
    assert_int_equal(result.reason, ILP_REASON_BAD_BODY);
    assert_int_equal(result.body.size, 0);
    end(&traced);
}

static void test_runtime_async(void **state)
{
    (void)state;
    struct traced traced;
    begin(&traced, "00 00 01");
    ib_set(&traced.built, ILP_MethodDef, 1, ILP_MethodDef_ImplFlags, 0x2000);
    open_rewriter(&traced);
    struct ilp_method_result result = rewrite(&traced, "06 2A", ILP_OK);
    assert_int_equal(result.reason, ILP_REASON_NO_RETURN);
    assert_non_null(strstr(result.detail, "runtime-async"));
    assert_int_equal(traced.calls, 0);
    end(&traced);
}

/* One passage for those that only read or write a field of `this`, or load what they return; with
 * anything else in them they are as all others. */
static void test_brief(void **state)
{
    static const char *const of_this = "20 01 08 08", *const without = "00 01 08 08";
    static const struct {
        const char *what, *signature, *before;
        bool brief;
    } bodies[] = {
        {"nothing", "00 00 01", "06 2A", false},
        {"a constant", "00 00 08", "0A 17 2A", true},
        {"a large constant", "00 00 0A", "2A 21 01 02 03 04 05 06 07 08 2A", true},
        {"an argument", without, "0A 02 2A", true},
        {"an argument by number", without, "0E 0E 00 2A", true},
        {"a field", of_this, "1E 02 7B 01 00 00 04 2A", true},
        {"a field, for a debugger", of_this, "22 00 02 7B 01 00 00 04 2A", true},
        {"a field that is set", "20 01 01 08", "22 02 03 7D 01 00 00 04 2A", true},
        {"a field set to nothing", "20 00 01", "22 02 16 7D 01 00 00 04 2A", true},
        {"a field of something else", of_this, "1E 03 7B 01 00 00 04 2A", false},
        {"a field of an argument", without, "1E 02 7B 01 00 00 04 2A", false},
        {"a field of a field", of_this, "32 02 7B 01 00 00 04 7B 01 00 00 04 2A", false},
        {"a field of an argument that is set", of_this, "26 03 16 7D 01 00 00 04 16 2A", false},
        {"a static field", of_this, "1A 7E 01 00 00 04 2A", false},
        {"a volatile field", of_this, "26 02 FE 13 7B 01 00 00 04 2A", false},
        {"a field and more", of_this, "26 02 7B 01 00 00 04 17 58 2A", false},
        {"what is thrown", of_this, "0A 14 7A", false},
        {"a call", "00 00 01", "1A 28 01 00 00 06 2A", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        struct traced traced;
        print_message("%s\n", bodies[i].what);
        begin(&traced, bodies[i].signature);
        traced.tracer.brief = 0x44;
        open_rewriter(&traced);
        struct ilp_method_result result = rewrite(&traced, bodies[i].before, ILP_OK);
        struct ii_hex passage = ii_hex(BRIEF);
        struct ii_hex before = ii_hex(bodies[i].before);
        struct ii_hex enter = ii_hex(ENTER);
        const uint8_t *code = result.body.data + ((result.body.data[0] & 3) == 3 ? 12 : 1);
        assert_int_equal(result.reason, ILP_REASON_INSPECTED);
        assert_memory_equal(code, (bodies[i].brief ? passage : enter).data, passage.size);
        if (bodies[i].brief) {
            assert_memory_equal(code + passage.size, before.data + 1, before.size - 1);
            assert_int_equal(result.rets, 1);
        }
        end(&traced);
    }
}

/* What the tracer has no memory for is an error: another one may follow. */
static void test_no_memory(void **state)
{
    (void)state;
    struct traced traced;
    begin(&traced, "00 00 01");
    open_rewriter(&traced);
    traced.method = ILP_TOKEN(ILP_MethodDef, 2);
    assert_int_equal(rewrite(&traced, "06 2A", ILP_E_NO_MEMORY).body.size, 0);
    traced.method = ILP_TOKEN(ILP_MethodDef, 1);
    assert_int_not_equal(rewrite(&traced, "06 2A", ILP_OK).body.size, 0);
    end(&traced);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_block_at_the_start),
        cmocka_unit_test(test_block_after_a_tail_call),
        cmocka_unit_test(test_runtime_async),
        cmocka_unit_test(test_brief),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
