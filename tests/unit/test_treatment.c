/* What rules request from the rewriter: byref, pointers, tail-calls, async and pass, and several
 * inspectors. Bytes, counts, MaxStack and what is requested from the emitter.
 * src/inspect/{rewrite,sequence,sites}.c, and branches inside of an insertion (src/il/patch.c),
 * which only the sequence for references has. */
#include "tests/unit/inspect_image.h"

enum { SKIP, REFS, POINTS, BOTH, STRIP, REFS_STRIP, NO_TASK, VALUE };
static const struct ilp_rule_action actions[] = {
    [SKIP] = {.inspector = 0},
    [REFS] = {.byref = ILP_BYREF_INSPECT},
    [POINTS] = {.pointers = ILP_POINTERS_INSPECT},
    [BOTH] = {.byref = ILP_BYREF_INSPECT, .pointers = ILP_POINTERS_INSPECT},
    [STRIP] = {.tail_calls = ILP_TAIL_CALLS_STRIP},
    [REFS_STRIP] = {.byref = ILP_BYREF_INSPECT, .tail_calls = ILP_TAIL_CALLS_STRIP},
    [NO_TASK] = {.async = ILP_ASYNC_SKIP},
    [VALUE] = {.pass = ILP_PASS_VALUE},
};

#define DONE ILP_REASON_INSPECTED

/* ---- a module to rewrite, and up to three inspectors ---- */

/* TypeRefs after those of ii_begin(); how a signature names them follows each. */
enum {
    REF_TASK = 4,    /* 12 11  System.Threading.Tasks.Task */
    REF_TASK_OF = 5, /* 15 12 15 01 ..  Task`1 */
    REF_SPAN = 6,    /* 15 11 19 01 ..  System.Span`1 */
    REF_GONE = 7     /* 11 1D  [Gone]G.What */
};
/* TypeDefs: 2 N.S, a struct (11 08); 3 N.G`1, a struct (15 11 0C 01 ..); 4 N.C`2<T, allows ref
 * struct U>. */

struct bench {
    struct ib_image built;
    struct ilp_image *app;
    struct ilp_image *assemblies[3];
    struct ilp_inspector *inspectors[3];
    size_t inspector_count;
    struct ii_emitter emitter;
    struct ilp_rewriter *rewriter;
};

static void add_types(struct ib_image *b)
{
    static const char tasks[] = "System.Threading.Tasks";
    ii_type_ref(b, II_MSCORLIB, tasks, "Task");
    ii_type_ref(b, II_MSCORLIB, tasks, "Task`1");
    ii_type_ref(b, II_MSCORLIB, "System", "Span`1");
    ii_type_ref(b, ii_assembly_ref(b, "Gone"), "G", "What");
    ii_type(b, "N", "S", II_VALUE_TYPE);
    ilp_token generic = ii_type(b, "N", "G`1", II_VALUE_TYPE);
    ilp_token class = ii_type(b, "N", "C`2", II_OBJECT);
    IB_ROW(b, GenericParam, 0, 0, generic, ib_string(b, "T"));
    IB_ROW(b, GenericParam, 0, 0, class, ib_string(b, "T"));
    IB_ROW(b, GenericParam, 1, 0x20, class, ib_string(b, "U"));
}

static void bench_begin(struct bench *bench)
{
    *bench = (struct bench){.inspector_count = 0};
    ii_emitter_begin(&bench->emitter);
    ii_begin(&bench->built, "App");
    add_types(&bench->built);
}

/* `forms`: "v" takes the value, "n" the name, too. */
static void bench_inspector(struct bench *bench, const char *assembly, const char *forms)
{
    struct ib_image b;
    size_t i = bench->inspector_count++;
    assert_true(i < COUNT(bench->inspectors));
    ii_begin(&b, assembly);
    ii_type(&b, "Test", assembly, II_OBJECT);
    for (; *forms; forms++) {
        ii_method(&b, "MyInspector", *forms == 'n' ? II_TAKES_NAME : II_TAKES_OBJECT);
    }
    bench->assemblies[i] = built_root(&b);
    assert_int_equal(ilp_inspector_open(&bench->inspectors[i], bench->assemblies[i], NULL, NULL),
                     ILP_OK);
}

static struct ilp_request bench_request(struct bench *bench, const struct ilp_allocator *allocator)
{
    return (struct ilp_request){
        .inspectors = (const struct ilp_inspector *const *)bench->inspectors,
        .inspector_count = bench->inspector_count,
        .allocator = allocator,
    };
}

static void bench_open(struct bench *bench)
{
    bench->app = built_root(&bench->built);
    struct ilp_request request = bench_request(bench, NULL);
    assert_int_equal(
        ilp_rewriter_open(&bench->rewriter, bench->app, &request, &bench->emitter.interface, NULL),
        ILP_OK);
}

static void bench_end(struct bench *bench)
{
    ilp_rewriter_close(bench->rewriter);
    ii_emitter_end(&bench->emitter);
    close_built(bench->app);
    for (size_t i = 0; i < bench->inspector_count; i++) {
        ilp_inspector_close(bench->inspectors[i]);
        close_built(bench->assemblies[i]);
    }
}

/* Rewrites; the bytes given are only read. */
static struct ilp_method_result treated(struct bench *bench, ilp_token method,
                                        const struct ilp_rule_action *action,
                                        const struct ii_hex *body)
{
    struct ilp_method_result result;
    struct ilp_bytes bytes = exact(body->data, body->size);
    assert_int_equal(ilp_rewrite_method(bench->rewriter, method, action, bytes, &result, NULL),
                     ILP_OK);
    assert_memory_equal(bytes.data, body->data, body->size);
    drop(bytes);
    return result;
}

static struct ilp_method_result rewrite(struct bench *bench, ilp_token method, unsigned action,
                                        const struct ii_hex *body)
{
    return treated(bench, method, &actions[action], body);
}

/* ---- MaxStack ---- */

/* Any call takes as much as the inspector does: its value, and the name in front of which `ldstr`
 * is. */
static ilp_status shape_of(void *user, enum ilpi_op op, ilp_token token,
                           struct ilpi_call_shape *shape, struct ilp_error *error)
{
    (void)op, (void)token, (void)error;
    *shape = (struct ilpi_call_shape){.pops = *(uint32_t *)user};
    return ILP_OK;
}

/* The depth that the new code needs, by the walk over it: the header's has to be that, no less and
 * no more. */
static void check_max_stack(struct ilp_bytes bytes, uint32_t call_takes)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilp_arena arena = {.alloc = &alloc};
    struct ilpi_code code = {.alloc = &alloc};
    struct ilpi_stack stack = {.alloc = &alloc};
    struct ilp_body body;
    struct ilpi_calls calls = {&call_takes, shape_of};
    assert_int_equal(ilp_body_read(&body, bytes, 0, &arena, NULL), ILP_OK);
    assert_int_equal(ilpi_code_decode(&code, &body, NULL), ILP_OK);
    assert_int_equal(ilpi_stack_compute(&stack, &code, &body, &calls, 1, NULL), ILP_OK);
    assert_true(body.fat);
    assert_int_equal(body.max_stack, stack.max);
    ilpi_code_free(&code);
    ilpi_stack_free(&stack);
    ilpi_arena_free(&arena);
    assert_int_equal(alloc.used, 0);
}

/* ---- each decision by each action ---- */

#define ASKED_INSPECTOR(scope, type)                                          \
    "assembly_ref One 1.2.3.4\ntype_ref " scope " Test.One\nmember_ref " type \
    " MyInspector 00 01 01 1C\n"
#define ASKED_FIRST ASKED_INSPECTOR("23000101", "01000102")
/* one token was requested before */
#define ASKED_SECOND ASKED_INSPECTOR("23000102", "01000103")
#define CALL_FIRST   "28 03 01 00 0A"
#define CALL_SECOND  "28 04 01 00 0A"

/* What is before what a reference leads to; `n` bytes follow. */
#define REF(n) "25 25 2D 04 26 14 2B " n " "

static const struct {
    const char *signature;
    unsigned action;
    enum ilp_reason answer;
    bool boxed;
    uint8_t max_stack;
    const char *inserted; /* NULL: the method is left as it is and nothing is requested */
    const char *requests;
} cases[] = {
    /* references to numbers, structs, enums of other modules, generic structs */
    {"00 00 10 08", SKIP, ILP_REASON_BYREF, 0, 0, NULL, ""},
    {"00 00 10 08", POINTS, ILP_REASON_BYREF, 0, 0, NULL, ""},
    {"00 00 10 08", REFS, DONE, 1, 3, REF("0A") "71 01 01 00 01 8C 01 01 00 01 " CALL_SECOND,
     "type_ref 23000001 System.Int32\n" ASKED_SECOND},
    {"00 00 10 02", REFS, DONE, 1, 3, REF("0A") "71 01 01 00 01 8C 01 01 00 01 " CALL_SECOND,
     "type_ref 23000001 System.Boolean\n" ASKED_SECOND},
    {"00 00 10 0D", REFS, DONE, 1, 3, REF("0A") "71 01 01 00 01 8C 01 01 00 01 " CALL_SECOND,
     "type_ref 23000001 System.Double\n" ASKED_SECOND},
    {"00 00 10 18", REFS, DONE, 1, 3, REF("0A") "71 01 01 00 01 8C 01 01 00 01 " CALL_SECOND,
     "type_ref 23000001 System.IntPtr\n" ASKED_SECOND},
    {"00 00 10 11 08", REFS, DONE, 1, 3, REF("0A") "71 02 00 00 02 8C 02 00 00 02 " CALL_FIRST,
     ASKED_FIRST},
    {"00 00 10 15 11 0C 01 08", REFS, DONE, 1, 3,
     REF("0A") "71 01 01 00 1B 8C 01 01 00 1B " CALL_SECOND,
     "type_spec 15 11 0C 01 08\n" ASKED_SECOND},
    /* modifiers outside, inside and on both sides of the reference */
    {"00 00 1F 11 10 08", REFS, DONE, 1, 3, REF("0A") "71 01 01 00 01 8C 01 01 00 01 " CALL_SECOND,
     "type_ref 23000001 System.Int32\n" ASKED_SECOND},
    {"00 00 20 11 10 1F 11 20 11 08", REFS, DONE, 1, 3,
     REF("0A") "71 01 01 00 01 8C 01 01 00 01 " CALL_SECOND,
     "type_ref 23000001 System.Int32\n" ASKED_SECOND},
    /* type parameters */
    {"20 00 10 13 00", REFS, DONE, 1, 3, REF("0A") "71 01 01 00 1B 8C 01 01 00 1B " CALL_SECOND,
     "type_spec 13 00\n" ASKED_SECOND},
    {"20 00 10 13 00", SKIP, ILP_REASON_BYREF, 0, 0, NULL, ""},
    {"20 00 10 13 01", REFS, ILP_REASON_ALLOWS_REF, 0, 0, NULL, ""},
    {"20 00 10 13 02", REFS, ILP_REASON_BAD_SIGNATURE, 0, 0, NULL, ""},
    /* objects */
    {"00 00 10 0E", REFS, DONE, 0, 3, REF("01") "50 " CALL_FIRST, ASKED_FIRST},
    {"00 00 10 1C", REFS, DONE, 0, 3, REF("01") "50 " CALL_FIRST, ASKED_FIRST},
    {"00 00 10 12 11", REFS, DONE, 0, 3, REF("01") "50 " CALL_FIRST, ASKED_FIRST},
    {"00 00 10 1D 08", REFS, DONE, 0, 3, REF("01") "50 " CALL_FIRST, ASKED_FIRST},
    {"00 00 10 15 12 15 01 08", REFS, DONE, 0, 3, REF("01") "50 " CALL_FIRST, ASKED_FIRST},
    /* what cannot be boxed */
    {"00 00 10 15 11 19 01 08", REFS, ILP_REASON_BYREF_LIKE, 0, 0, NULL, ""},
    {"00 00 10 16", REFS, ILP_REASON_BYREF_LIKE, 0, 0, NULL, ""},
    {"00 00 10 11 1D", REFS, ILP_REASON_UNRESOLVED, 0, 0, NULL, ""},
    {"00 00 10 11 1D", SKIP, ILP_REASON_BYREF, 0, 0, NULL, ""},
    /* none of these is a type */
    {"00 00 10 10 08", REFS, ILP_REASON_BAD_SIGNATURE, 0, 0, NULL, ""},
    {"00 00 10 1F 11 10 08", REFS, ILP_REASON_BAD_SIGNATURE, 0, 0, NULL, ""},
    {"00 00 10 01", REFS, ILP_REASON_BAD_SIGNATURE, 0, 0, NULL, ""},
    {"00 00 10 20 11 01", REFS, ILP_REASON_BAD_SIGNATURE, 0, 0, NULL, ""},
    {"00 00 11 1D", BOTH, ILP_REASON_UNRESOLVED, 0, 0, NULL, ""},
    /* pointers, and references to them, for which both words have to be said */
    {"00 00 0F 08", SKIP, ILP_REASON_POINTER, 0, 0, NULL, ""},
    {"00 00 0F 08", REFS, ILP_REASON_POINTER, 0, 0, NULL, ""},
    {"00 00 0F 08", POINTS, DONE, 1, 2, "25 E0 8C 01 01 00 01 " CALL_SECOND,
     "type_ref 23000001 System.UIntPtr\n" ASKED_SECOND},
    {"00 00 0F 01", POINTS, DONE, 1, 2, "25 E0 8C 01 01 00 01 " CALL_SECOND,
     "type_ref 23000001 System.UIntPtr\n" ASKED_SECOND},
    {"00 00 20 11 0F 0F 03", POINTS, DONE, 1, 2, "25 E0 8C 01 01 00 01 " CALL_SECOND,
     "type_ref 23000001 System.UIntPtr\n" ASKED_SECOND},
    {"00 00 1B 00 00 01", POINTS, DONE, 1, 2, "25 E0 8C 01 01 00 01 " CALL_SECOND,
     "type_ref 23000001 System.UIntPtr\n" ASKED_SECOND},
    {"00 00 10 0F 08", REFS, ILP_REASON_POINTER, 0, 0, NULL, ""},
    {"00 00 10 0F 08", POINTS, ILP_REASON_BYREF, 0, 0, NULL, ""},
    {"00 00 10 0F 08", BOTH, DONE, 1, 3, REF("07") "4D E0 8C 01 01 00 01 " CALL_SECOND,
     "type_ref 23000001 System.UIntPtr\n" ASKED_SECOND},
    {"00 00 10 1B 00 00 01", BOTH, DONE, 1, 3, REF("07") "4D E0 8C 01 01 00 01 " CALL_SECOND,
     "type_ref 23000001 System.UIntPtr\n" ASKED_SECOND},
    /* values are what they were */
    {"00 00 08", BOTH, DONE, 1, 2, "25 8C 01 01 00 01 " CALL_SECOND,
     "type_ref 23000001 System.Int32\n" ASKED_SECOND},
    {"00 00 0E", BOTH, DONE, 0, 2, "25 " CALL_FIRST, ASKED_FIRST},
    {"00 00 01", BOTH, ILP_REASON_VOID, 0, 0, NULL, ""},
    /* tasks; a reference to one is none, nor is an array of them */
    {"00 00 12 11", SKIP, DONE, 0, 2, "25 " CALL_FIRST, ASKED_FIRST},
    {"00 00 12 11", NO_TASK, ILP_REASON_TASK, 0, 0, NULL, ""},
    {"00 00 15 12 15 01 08", NO_TASK, ILP_REASON_TASK, 0, 0, NULL, ""},
    {"00 00 20 11 12 11", NO_TASK, ILP_REASON_TASK, 0, 0, NULL, ""},
    {"00 00 1D 12 11", NO_TASK, DONE, 0, 2, "25 " CALL_FIRST, ASKED_FIRST},
    {"00 00 0E", NO_TASK, DONE, 0, 2, "25 " CALL_FIRST, ASKED_FIRST},
    {"00 00 01", NO_TASK, ILP_REASON_VOID, 0, 0, NULL, ""},
    {"00 00 10 12 11", NO_TASK, ILP_REASON_BYREF, 0, 0, NULL, ""},
};

/* `ldnull; ret` with a fat header and MaxStack 1, before and after. */
static struct ii_hex plain_body(void)
{
    return ii_hex("03 30 01 00 02 00 00 00 00 00 00 00 14 2A");
}

static void check_inserted(struct ilp_bytes body, uint8_t max_stack, const char *text)
{
    struct ii_hex inserted = ii_hex(text);
    struct ii_hex expected = ii_hex("03 30 00 00 00 00 00 00 00 00 00 00 14");
    expected.data[2] = max_stack;
    expected.data[4] = (uint8_t)(inserted.size + 2);
    memcpy(expected.data + expected.size, inserted.data, inserted.size);
    expected.size += inserted.size;
    expected.data[expected.size++] = 0x2A;
    same_bytes(body, (struct ilp_bytes){expected.data, expected.size});
}

static void test_cases(void **state)
{
    (void)state;
    struct ii_hex body = plain_body();
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench bench;
        bench_begin(&bench);
        bench_inspector(&bench, "One", "v");
        ilp_token method = ii_method(&bench.built, "M", cases[i].signature);
        bench_open(&bench);
        struct ilp_method_result result = rewrite(&bench, method, cases[i].action, &body);
        if (result.reason != cases[i].answer) {
            fail_msg("%zu, %s: %s (%s)", i, cases[i].signature, ilp_reason_code(result.reason),
                     result.detail);
        }
        ii_requested(&bench.emitter, cases[i].requests);
        assert_int_equal(result.body.size != 0, cases[i].inserted != NULL);
        assert_int_equal(result.inspected, cases[i].inserted ? 1 : 0);
        if (cases[i].inserted) {
            check_inserted(result.body, cases[i].max_stack, cases[i].inserted);
            check_max_stack(result.body, 1);
            assert_int_equal(result.boxed, cases[i].boxed);
        }
        if (cases[i].answer == ILP_REASON_UNRESOLVED) {
            assert_string_equal(result.detail, "[Gone]G.What");
        }
        bench_end(&bench);
    }
}

/* The longest sequence without a guard (test_guard.c): 28 bytes. The name is requested first. */
static void test_with_name(void **state)
{
    (void)state;
    static const struct {
        const char *signature;
        uint8_t max_stack;
        const char *inserted;
    } named[] = {
        {"00 00 10 08", 3, REF("0A") "71 02 01 00 01 8C 02 01 00 01 72 01 01 00 70 28 05 01 00 0A"},
        {"00 00 10 0E", 3, REF("01") "50 72 01 01 00 70 28 04 01 00 0A"},
        {"00 00 10 0F 01", 3, REF("07") "4D E0 8C 02 01 00 01 72 01 01 00 70 28 05 01 00 0A"},
        {"00 00 0F 01", 3, "25 E0 8C 02 01 00 01 72 01 01 00 70 28 05 01 00 0A"},
        {"00 00 0E", 3, "25 72 01 01 00 70 28 04 01 00 0A"},
    };
    struct ii_hex body = plain_body();
    for (size_t i = 0; i < COUNT(named); i++) {
        struct bench bench;
        bench_begin(&bench);
        bench_inspector(&bench, "One", "n");
        ilp_token method = ii_method(&bench.built, "M", named[i].signature);
        bench_open(&bench);
        struct ilp_method_result result = rewrite(&bench, method, BOTH, &body);
        assert_int_equal(result.reason, DONE);
        check_inserted(result.body, named[i].max_stack, named[i].inserted);
        check_max_stack(result.body, 2);
        bench_end(&bench);
    }
    assert_int_equal(ii_hex(named[0].inserted).size, 28);
}

/* A body that needs more, or says more, keeps that. */
static void test_max_stack_kept(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint8_t max_stack;
    } bodies[] = {
        {"03 30 01 00 02 00 00 00 00 00 00 00 14 2A", 3},
        {"03 30 03 00 02 00 00 00 00 00 00 00 14 2A", 3},
        {"03 30 64 00 02 00 00 00 00 00 00 00 14 2A", 100},
        /* its own was too small */
        {"03 30 01 00 08 00 00 00 00 00 00 00 14 14 14 14 26 26 26 2A", 4},
        {"03 30 01 00 06 00 00 00 00 00 00 00 14 14 14 26 26 2A", 3},
    };
    struct bench bench;
    bench_begin(&bench);
    bench_inspector(&bench, "One", "v");
    ilp_token method = ii_method(&bench.built, "M", "00 00 10 08");
    bench_open(&bench);
    for (size_t i = 0; i < COUNT(bodies); i++) {
        struct ii_hex body = ii_hex(bodies[i].body);
        struct ilp_method_result result = rewrite(&bench, method, REFS, &body);
        assert_int_equal(result.reason, DONE);
        assert_int_equal(result.body.data[2], bodies[i].max_stack);
    }
    bench_end(&bench);
}

/* Decisions are remembered by the signature's blob, which all of these methods share; actions
 * are not. */
static void test_remembered(void **state)
{
    (void)state;
    static const struct {
        const char *signature;
        unsigned action;
        enum ilp_reason answer;
        const char *inserted;
    } rounds[] = {
        {"00 00 10 08", SKIP, ILP_REASON_BYREF, NULL},
        {"00 00 10 08", REFS, DONE, REF("0A") "71 01 01 00 01 8C 01 01 00 01 " CALL_SECOND},
        {"00 00 10 08", SKIP, ILP_REASON_BYREF, NULL},
        {"00 00 10 08", REFS, DONE, REF("0A") "71 01 01 00 01 8C 01 01 00 01 " CALL_SECOND},
        {"00 00 10 08", POINTS, ILP_REASON_BYREF, NULL},
        {"00 00 08", REFS, DONE, "25 8C 01 01 00 01 " CALL_SECOND},
        {"00 00 0F 01", SKIP, ILP_REASON_POINTER, NULL},
        {"00 00 0F 01", POINTS, DONE, "25 E0 8C 05 01 00 01 " CALL_SECOND},
        {"00 00 0F 01", REFS, ILP_REASON_POINTER, NULL},
        {"00 00 10 0F 01", REFS, ILP_REASON_POINTER, NULL},
        {"00 00 10 0F 01", BOTH, DONE, REF("07") "4D E0 8C 05 01 00 01 " CALL_SECOND},
        {"00 00 10 0F 01", POINTS, ILP_REASON_BYREF, NULL},
        {"00 00 0F 01", BOTH, DONE, "25 E0 8C 05 01 00 01 " CALL_SECOND},
        {"00 00 12 11", NO_TASK, ILP_REASON_TASK, NULL},
        {"00 00 12 11", SKIP, DONE, "25 " CALL_SECOND},
        {"00 00 12 11", NO_TASK, ILP_REASON_TASK, NULL},
        {"20 00 10 13 00", REFS, DONE, REF("0A") "71 06 01 00 1B 8C 06 01 00 1B " CALL_SECOND},
        {"20 00 10 13 00", SKIP, ILP_REASON_BYREF, NULL},
    };
    struct ii_hex body = plain_body();
    struct bench bench;
    bench_begin(&bench);
    bench_inspector(&bench, "One", "v");
    ilp_token methods[COUNT(rounds)];
    uint32_t blobs[COUNT(rounds)];
    for (size_t i = 0; i < COUNT(rounds); i++) {
        size_t same = 0;
        while (strcmp(rounds[same].signature, rounds[i].signature) != 0) {
            same++;
        }
        blobs[i] = same < i ? blobs[same] : ii_blob(&bench.built, rounds[i].signature);
        methods[i] = ILP_TOKEN(ILP_MethodDef, IB_ROW(&bench.built, MethodDef, 0, 0, 0x16,
                                                     ib_string(&bench.built, "M"), blobs[i], 1));
    }
    bench_open(&bench);
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct ilp_method_result result = rewrite(&bench, methods[i], rounds[i].action, &body);
        if (result.reason != rounds[i].answer) {
            fail_msg("%zu: %s", i, ilp_reason_code(result.reason));
        }
        assert_int_equal(result.body.size != 0, rounds[i].inserted != NULL);
        if (rounds[i].inserted) {
            struct ii_hex inserted = ii_hex(rounds[i].inserted);
            assert_memory_equal(result.body.data + 13, inserted.data, inserted.size);
        }
    }
    bench_end(&bench);
}

/* A number's box needs the core library; a reference or pointer that is left alone does not. */
static void test_no_core_library(void **state)
{
    (void)state;
    static const struct {
        const char *signature;
        unsigned action;
        enum ilp_reason answer;
    } rounds[] = {
        {"00 00 08", SKIP, ILP_REASON_NO_CORE_LIBRARY},
        {"00 00 10 08", SKIP, ILP_REASON_BYREF},
        {"00 00 10 08", REFS, ILP_REASON_NO_CORE_LIBRARY},
        {"00 00 10 0E", REFS, DONE},
        {"00 00 0F 08", SKIP, ILP_REASON_POINTER},
        {"00 00 0F 08", POINTS, ILP_REASON_NO_CORE_LIBRARY},
        {"00 00 10 0F 08", REFS, ILP_REASON_POINTER},
        {"00 00 10 0F 08", BOTH, ILP_REASON_NO_CORE_LIBRARY},
    };
    struct ii_hex body = plain_body();
    struct bench bench = {.inspector_count = 0};
    ii_emitter_begin(&bench.emitter);
    ii_begin_bare(&bench.built, "App");
    ii_type(&bench.built, "N", "C", 0);
    bench_inspector(&bench, "One", "v");
    for (size_t i = 0; i < COUNT(rounds); i++) {
        ii_method(&bench.built, "M", rounds[i].signature);
    }
    bench_open(&bench);
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct ilp_method_result result = rewrite(&bench, ILP_TOKEN(ILP_MethodDef, i + 1),
                                                  rounds[i].action, &body);
        if (result.reason != rounds[i].answer) {
            fail_msg("%zu: %s", i, ilp_reason_code(result.reason));
        }
    }
    bench_end(&bench);
}

/* ---- tail calls ---- */

#define CALL     "28 01 00 00 0A" /* object F() */
#define CALLVIRT "6F 02 00 00 0A" /* instance object G() */
#define BOX_OF   "FE 16 01 00 00 01"
#define SHOW     "25 28 03 01 00 0A"

/* Codes of methods that return object; a tiny header is put before them, unless a '=' says that it
 * is all there. */
static const struct {
    const char *name;
    unsigned action;
    const char *before;
    const char *after; /* NULL: left as it is */
    enum ilp_reason answer;
    uint32_t rets, inspected, stripped, tail_calls, unreachable, jumps;
} tails[] = {
    {"keep", SKIP, "FE 14 " CALL " 2A", NULL, ILP_REASON_TAIL_CALL, 1, 0, 0, 1, 0, 0},
    {"keep, branch", SKIP, "14 25 2D 08 26 FE 14 " CALL " 2A",
     "14 25 2D 09 26 FE 14 " CALL " 2A " SHOW " 2A", DONE, 1, 1, 0, 1, 0, 0},
    {"call", STRIP, "FE 14 " CALL " 2A", "00 00 " CALL " " SHOW " 2A", DONE, 1, 1, 1, 0, 0, 0},
    {"callvirt", STRIP, "14 FE 14 " CALLVIRT " 2A", "14 00 00 " CALLVIRT " " SHOW " 2A", DONE, 1, 1,
     1, 0, 0, 0},
    {"calli", STRIP, "14 14 FE 14 29 01 00 00 11 2A", "14 14 00 00 29 01 00 00 11 " SHOW " 2A",
     DONE, 1, 1, 1, 0, 0, 0},
    {"two", STRIP, "14 2D 08 FE 14 " CALL " 2A FE 14 " CALL " 2A",
     "14 2D 0E 00 00 " CALL " " SHOW " 2A 00 00 " CALL " " SHOW " 2A", DONE, 2, 2, 2, 0, 0, 0},
    {"one of two", STRIP, "14 2D 06 " CALL " 2A FE 14 " CALL " 2A",
     "14 2D 0C " CALL " " SHOW " 2A 00 00 " CALL " " SHOW " 2A", DONE, 2, 2, 1, 0, 0, 0},
    {"none", STRIP, CALL " 2A", CALL " " SHOW " 2A", DONE, 1, 1, 0, 0, 0, 0},
    /* branches to the ret and to the prefix */
    {"branch to ret", STRIP, "14 25 2D 08 26 FE 14 " CALL " 2A",
     "14 25 2D 08 26 00 00 " CALL " " SHOW " 2A", DONE, 1, 1, 1, 0, 0, 0},
    {"branch to tail.", STRIP, "14 2D 00 FE 14 " CALL " 2A", "14 2D 00 00 00 " CALL " " SHOW " 2A",
     DONE, 1, 1, 1, 0, 0, 0},
    {"branch to constrained.", STRIP, "14 14 2D 00 " BOX_OF " FE 14 " CALLVIRT " 2A",
     "14 14 2D 00 00 00 " BOX_OF " " CALLVIRT " " SHOW " 2A", DONE, 1, 1, 1, 0, 0, 0},
    /* other prefixes stay with their call */
    {"tail., constrained.", STRIP, "14 FE 14 " BOX_OF " " CALLVIRT " 2A",
     "14 00 00 " BOX_OF " " CALLVIRT " " SHOW " 2A", DONE, 1, 1, 1, 0, 0, 0},
    {"constrained., tail.", STRIP, "14 " BOX_OF " FE 14 " CALLVIRT " 2A",
     "14 00 00 " BOX_OF " " CALLVIRT " " SHOW " 2A", DONE, 1, 1, 1, 0, 0, 0},
    {"twice", STRIP, "FE 14 FE 14 " CALL " 2A", "00 00 00 00 " CALL " " SHOW " 2A", DONE, 1, 1, 1,
     0, 0, 0},
    {"between", STRIP, "14 FE 14 " BOX_OF " FE 14 FE 1E " CALLVIRT " 2A",
     "14 00 00 00 00 " BOX_OF " FE 1E " CALLVIRT " " SHOW " 2A", DONE, 1, 1, 1, 0, 0, 0},
    /* a prefix that no ret is inspected after stays */
    {"dead", STRIP, "14 7A FE 14 " CALL " 2A", NULL, ILP_REASON_NO_RETURN, 1, 0, 0, 0, 1, 0},
    {"dead and alive", STRIP, "FE 14 " CALL " 2A FE 14 " CALL " 2A",
     "00 00 " CALL " " SHOW " 2A FE 14 " CALL " 2A", DONE, 2, 1, 1, 0, 1, 0},
    {"no ret after it", STRIP, "FE 14 " CALL " 26 14 2A", "FE 14 " CALL " 26 14 " SHOW " 2A", DONE,
     1, 1, 0, 0, 0, 0},
    {"jmp", STRIP, "27 01 00 00 06", NULL, ILP_REASON_TAIL_CALL, 0, 0, 0, 0, 0, 1},
    {"jmp or tail", STRIP, "14 2C 08 FE 14 " CALL " 2A 27 01 00 00 06",
     "14 2C 0E 00 00 " CALL " " SHOW " 2A 27 01 00 00 06", DONE, 1, 1, 1, 0, 0, 1},
    {"after a try block", STRIP,
     "= 0B 30 02 00 0E 00 00 00 00 00 00 00 14 25 2D 08 26 FE 14 " CALL " 2A DC 00 00"
     "01 10 00 00 02 00 04 00 08 0D 00 01 00 00 00 00",
     "= 0B 30 02 00 14 00 00 00 00 00 00 00 14 25 2D 08 26 00 00 " CALL " " SHOW " 2A DC"
     "01 10 00 00 02 00 04 00 08 13 00 01 00 00 00 00",
     DONE, 1, 1, 1, 0, 0, 0},
    {"broken", STRIP, "14 FE 14 " CALL " 2A", NULL, ILP_REASON_BAD_BODY, 0, 0, 0, 0, 0, 0},
    {"broken after it", STRIP, "14 2D 08 FE 14 " CALL " 2A 14 FE 13 2A", NULL, ILP_REASON_BAD_BODY,
     0, 0, 0, 0, 0, 0},
};

static struct ii_hex body_of(const char *text)
{
    if (text[0] == '=') {
        return ii_hex(text + 1);
    }
    struct ii_hex code = ii_hex(text);
    struct ii_hex body = {.size = code.size + 1};
    assert_true(code.size < 64);
    body.data[0] = (uint8_t)(code.size << 2 | 2);
    memcpy(body.data + 1, code.data, code.size);
    return body;
}

static void add_members(struct ib_image *b)
{
    ilp_token other = ii_type_ref(b, ii_assembly_ref(b, "Other"), "O", "Other");
    IB_ROW(b, MemberRef, other, ib_string(b, "F"), ii_blob(b, "00 00 1C"));
    IB_ROW(b, MemberRef, other, ib_string(b, "G"), ii_blob(b, "20 00 1C"));
    IB_ROW(b, StandAloneSig, ii_blob(b, "00 01 1C 1C"));
}

static void check_tail(size_t i, const struct ilp_method_result *result, bool made)
{
    if (result->reason != tails[i].answer) {
        fail_msg("%s: %s (%s)", tails[i].name, ilp_reason_code(result->reason), result->detail);
    }
    assert_int_equal(result->inspected, tails[i].inspected);
    assert_int_equal(result->stripped, tails[i].stripped);
    if (tails[i].answer != ILP_REASON_BAD_BODY) {
        assert_int_equal(result->rets, tails[i].rets);
        assert_int_equal(result->tail_calls, tails[i].tail_calls);
        assert_int_equal(result->unreachable, tails[i].unreachable);
        assert_int_equal(result->jumps, tails[i].jumps);
    }
    assert_int_equal(result->body.size != 0, made && tails[i].after);
    if (made && tails[i].after) {
        struct ii_hex after = body_of(tails[i].after);
        if (result->body.size != after.size ||
            memcmp(result->body.data, after.data, after.size) != 0) {
            fail_msg("%s", tails[i].name);
        }
    }
}

static void build_tails(struct bench *bench)
{
    bench_begin(bench);
    add_members(&bench->built);
    bench_inspector(bench, "One", "v");
    ii_method(&bench->built, "M", "00 00 1C");
}

static void test_tails(void **state)
{
    (void)state;
    struct bench bench;
    build_tails(&bench);
    ilp_token nothing = ii_method(&bench.built, "Nothing", "00 00 01");
    bench_open(&bench);
    for (size_t i = 0; i < COUNT(tails); i++) {
        struct ii_hex body = body_of(tails[i].before);
        struct ilp_method_result result = rewrite(&bench, ILP_TOKEN(ILP_MethodDef, 1),
                                                  tails[i].action, &body);
        check_tail(i, &result, true);
    }
    /* there is nothing to show: the prefix stays */
    struct ii_hex body = body_of("FE 14 " CALL " 2A");
    struct ilp_method_result result = rewrite(&bench, nothing, STRIP, &body);
    assert_int_equal(result.reason, ILP_REASON_VOID);
    assert_int_equal(result.stripped, 0);
    bench_end(&bench);
}

/* Without an emitter: the same answers, and nothing is made. */
static void test_tails_only_decided(void **state)
{
    (void)state;
    struct bench bench;
    build_tails(&bench);
    bench_open(&bench);
    ilp_rewriter_close(bench.rewriter);
    struct ilp_request request = bench_request(&bench, NULL);
    assert_int_equal(ilp_rewriter_open(&bench.rewriter, bench.app, &request, NULL, NULL), ILP_OK);
    for (size_t i = 0; i < COUNT(tails); i++) {
        struct ii_hex body = body_of(tails[i].before);
        struct ilp_method_result result = rewrite(&bench, ILP_TOKEN(ILP_MethodDef, 1),
                                                  tails[i].action, &body);
        check_tail(i, &result, false);
    }
    bench_end(&bench);
}

/* One entry for each old instruction: the prefix is where its nops are now. */
static void test_map(void **state)
{
    (void)state;
    static const struct {
        const char *before;
        size_t count;
        struct ilp_il_map map[6];
    } maps[] = {
        {"FE 14 " CALL " 2A", 4, {{0, 0}, {2, 2}, {7, 7}, {8, 14}}},
        {"14 FE 14 " BOX_OF " " CALLVIRT " 2A",
         6,
         {{0, 0}, {1, 1}, {3, 3}, {9, 9}, {14, 14}, {15, 21}}},
        /* the one that is elsewhere now: constrained. after the nops */
        {"14 " BOX_OF " FE 14 " CALLVIRT " 2A",
         6,
         {{0, 0}, {1, 1}, {3, 3}, {9, 9}, {14, 14}, {15, 21}}},
    };
    struct bench bench;
    build_tails(&bench);
    bench_open(&bench);
    for (size_t i = 0; i < COUNT(maps); i++) {
        const struct ilp_il_map *map;
        size_t count;
        struct ii_hex body = body_of(maps[i].before);
        struct ilp_method_result result = rewrite(&bench, ILP_TOKEN(ILP_MethodDef, 1), STRIP,
                                                  &body);
        assert_int_equal(result.reason, DONE);
        assert_int_equal(ilp_rewriter_map(bench.rewriter, &map, &count, NULL), ILP_OK);
        assert_int_equal(count, maps[i].count);
        assert_memory_equal(map, maps[i].map, count * sizeof *map);
    }
    bench_end(&bench);
}

/* ---- several inspectors ---- */

static void test_inspectors(void **state)
{
    (void)state;
    static const struct {
        struct ilp_rule_action action;
        const char *inserted;
        const char *requests;
    } rounds[] = {
        /* One takes a value, Two both, Three a name; a class is requested once, and so is each of
         * its methods */
        {{.inspector = 0},
         "25 28 03 01 00 0A",
         "assembly_ref One 1.2.3.4\ntype_ref 23000101 Test.One\nmember_ref 01000102 MyInspector 00 "
         "01 01 1C\n"},
        {{.inspector = 1},
         "25 72 04 01 00 70 28 07 01 00 0A",
         "user_string N.C`2::M\nassembly_ref Two 1.2.3.4\ntype_ref 23000105 Test.Two\n"
         "member_ref 01000106 MyInspector 00 02 01 1C 0E\n"},
        {{.inspector = 1, .pass = ILP_PASS_VALUE},
         "25 28 08 01 00 0A",
         "member_ref 01000106 MyInspector 00 01 01 1C\n"},
        {{.inspector = 2},
         "25 72 09 01 00 70 28 0C 01 00 0A",
         "user_string N.C`2::M\nassembly_ref Three 1.2.3.4\ntype_ref 2300010A Test.Three\n"
         "member_ref 0100010B MyInspector 00 02 01 1C 0E\n"},
        {{.inspector = 0, .pass = ILP_PASS_VALUE}, "25 28 03 01 00 0A", ""},
        {{.inspector = 1, .pass = ILP_PASS_VALUE}, "25 28 08 01 00 0A", ""},
        {{.inspector = 1}, "25 72 0D 01 00 70 28 07 01 00 0A", "user_string N.C`2::M\n"},
        {{.inspector = 2}, "25 72 0E 01 00 70 28 0C 01 00 0A", "user_string N.C`2::M\n"},
        {{.inspector = 0}, "25 28 03 01 00 0A", ""},
    };
    struct ii_hex body = plain_body();
    struct bench bench;
    bench_begin(&bench);
    bench_inspector(&bench, "One", "v");
    bench_inspector(&bench, "Two", "vn");
    bench_inspector(&bench, "Three", "n");
    ilp_token method = ii_method(&bench.built, "M", "00 00 1C");
    bench_open(&bench);
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct ilp_method_result result = treated(&bench, method, &rounds[i].action, &body);
        bool named = rounds[i].action.inspector != 0 && rounds[i].action.pass == ILP_PASS_NAME;
        assert_int_equal(result.reason, DONE);
        check_inserted(result.body, named ? 3 : 2, rounds[i].inserted);
        ii_requested(&bench.emitter, rounds[i].requests);
    }
    bench_end(&bench);
}

static void misused(struct bench *bench, ilp_token method, struct ilp_rule_action action)
{
    struct ii_hex body = plain_body();
    struct ilp_method_result result;
    struct ilp_error error = {.status = ILP_OK};
    assert_int_equal(ilp_rewrite_method(bench->rewriter, method, &action,
                                        (struct ilp_bytes){body.data, body.size}, &result, &error),
                     ILP_E_MISUSE);
    assert_int_equal(error.status, ILP_E_MISUSE);
    assert_int_equal(error.token, method);
    assert_int_equal(result.body.size, 0);
}

static void test_errors(void **state)
{
    (void)state;
    struct ii_hex body = plain_body();
    struct bench bench;
    bench_begin(&bench);
    bench_inspector(&bench, "One", "v");
    bench_inspector(&bench, "Two", "n");
    ilp_token method = ii_method(&bench.built, "M", "00 00 1C");
    ilp_token nothing = ii_method(&bench.built, "N", "00 00 01");
    bench_open(&bench);
    misused(&bench, method, (struct ilp_rule_action){.inspector = 2});
    misused(&bench, method, (struct ilp_rule_action){.inspector = UINT32_MAX});
    misused(&bench, method, (struct ilp_rule_action){.inspector = 1, .pass = ILP_PASS_VALUE});
    misused(&bench, nothing, (struct ilp_rule_action){.inspector = 2});
    assert_int_equal(bench.emitter.calls, 0);
    /* it stays usable; a name is not needed by an inspector that does not take one */
    assert_int_equal(rewrite(&bench, method, SKIP, &body).reason, DONE);
    assert_int_equal(rewrite(&bench, method, VALUE, &body).reason, DONE);
    bench_end(&bench);
}

static ilp_status open_with_rules(struct bench *bench, const char *xml, struct ilp_error *error)
{
    struct ilp_rules *rules;
    struct ilp_rewriter *rewriter;
    struct ilp_request request = bench_request(bench, NULL);
    assert_int_equal(ilp_rules_open(&rules, NULL, NULL), ILP_OK);
    ilp_status status = ilp_rules_add(rules, (struct ilp_bytes){(const uint8_t *)xml, strlen(xml)},
                                      "test.xml", error);
    if (status == ILP_E_NO_LIBRARY) {
        ilp_rules_close(rules);
        skip();
    }
    assert_int_equal(status, ILP_OK);
    request.rules = rules;
    status = ilp_rewriter_open(&rewriter, bench->app, &request, NULL, error);
    ilp_rewriter_close(rewriter);
    ilp_rules_close(rules);
    return status;
}

/* What rules request is checked when the rewriter is opened, before anything is written. */
static void test_errors_of_rules(void **state)
{
    (void)state;
    struct bench bench;
    struct ilp_error error;
    bench_begin(&bench);
    bench_inspector(&bench, "One", "n");
    bench_inspector(&bench, "Two", "v");
    bench_open(&bench);
    assert_int_equal(open_with_rules(&bench, "<rules>\n<include pass='value'/></rules>", &error),
                     ILP_E_BAD_INSPECTOR);
    assert_non_null(strstr(error.message, "line 2"));
    assert_non_null(strstr(error.message, "One"));
    assert_int_equal(
        open_with_rules(&bench, "<rules><include inspector='a' pass='value'/></rules>", &error),
        ILP_OK);
    assert_int_equal(open_with_rules(&bench, "<rules><include inspector='a'/></rules>", &error),
                     ILP_OK);
    assert_int_equal(
        open_with_rules(&bench, "<rules><include inspector='a'/>\n<include inspector='b'/></rules>",
                        &error),
        ILP_E_MISUSE);
    /* rules that are not tested may request anything */
    assert_int_equal(
        open_with_rules(&bench, "<rules><include enabled='no' pass='value'/><exclude/></rules>",
                        &error),
        ILP_OK);
    bench_end(&bench);
}

/* A call to any of the inspectors, in any form, counts, whatever the action says. */
static void test_already(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "14 25 28 03 00 00 0A 2A",                /* One, value */
        "14 25 28 04 00 00 0A 2A",                /* Two, value */
        "14 25 72 01 00 00 70 28 05 00 00 0A 2A", /* Two, name */
        REF("01") "50 28 04 00 00 0A 2A",         /* Two, of a reference */
    };
    struct bench bench;
    bench_begin(&bench);
    add_members(&bench.built);
    struct ib_image *b = &bench.built;
    ilp_token one = ii_type_ref(b, ii_assembly_ref(b, "One"), "Test", "One");
    ilp_token two = ii_type_ref(b, ii_assembly_ref(b, "Two"), "Test", "Two");
    IB_ROW(b, MemberRef, one, ib_string(b, "MyInspector"), ii_blob(b, II_TAKES_OBJECT));
    IB_ROW(b, MemberRef, two, ib_string(b, "MyInspector"), ii_blob(b, II_TAKES_OBJECT));
    IB_ROW(b, MemberRef, two, ib_string(b, "MyInspector"), ii_blob(b, II_TAKES_NAME));
    bench_inspector(&bench, "One", "v");
    bench_inspector(&bench, "Two", "vn");
    ilp_token method = ii_method(b, "M", "00 00 1C");
    ilp_token reference = ii_method(b, "R", "00 00 10 0E");
    bench_open(&bench);
    for (size_t i = 0; i < 3; i++) {
        for (uint32_t inspector = 0; inspector < 2; inspector++) {
            struct ii_hex body = body_of(bodies[i]);
            struct ilp_rule_action action = {.inspector = inspector,
                                             .tail_calls = ILP_TAIL_CALLS_STRIP};
            struct ilp_method_result result = treated(&bench, method, &action, &body);
            assert_int_equal(result.reason, ILP_REASON_ALREADY);
            assert_int_equal(result.already, 1);
        }
    }
    /* what is inserted for a reference, after the reference */
    char text[64];
    snprintf(text, sizeof text, "14 %s", bodies[3]);
    struct ii_hex body = body_of(text);
    assert_int_equal(rewrite(&bench, reference, REFS, &body).reason, ILP_REASON_ALREADY);
    /* not requested: the signature decides first */
    assert_int_equal(rewrite(&bench, reference, SKIP, &body).reason, ILP_REASON_BYREF);
    assert_int_equal(bench.emitter.calls, 0);
    bench_end(&bench);
}

/* ---- emitters and memory that fail ---- */

static void test_limits(void **state)
{
    (void)state;
    struct ii_hex body = body_of("FE 14 " CALL " 2A");
    for (unsigned fail_at = 1; fail_at <= 5; fail_at++) {
        struct bench bench;
        bench_begin(&bench);
        add_members(&bench.built);
        bench_inspector(&bench, "One", "n");
        ilp_token method = ii_method(&bench.built, "M", "00 00 10 08");
        bench.emitter.fail_at = fail_at;
        bench.emitter.failure = ILP_E_TOO_LARGE;
        bench_open(&bench);
        struct ilp_method_result result = rewrite(&bench, method, REFS_STRIP, &body);
        assert_int_equal(result.reason, ILP_REASON_LIMIT);
        assert_int_equal(result.inspected, 0);
        assert_int_equal(result.stripped, 0);
        assert_int_equal(result.body.size, 0);
        result = rewrite(&bench, method, REFS_STRIP, &body);
        assert_int_equal(result.reason, DONE);
        assert_int_equal(result.stripped, 1);
        bench_end(&bench);
    }
}

static ilp_status rewrite_tails(struct bench *bench, const struct ilp_allocator *allocator)
{
    struct ilp_request request = bench_request(bench, allocator);
    struct ilp_rewriter *rewriter;
    ilp_status status = ilp_rewriter_open(&rewriter, bench->app, &request,
                                          &bench->emitter.interface, NULL);
    for (size_t i = 0; i < COUNT(tails) && status == ILP_OK; i++) {
        struct ii_hex body = body_of(tails[i].before);
        struct ilp_method_result result;
        status = ilp_rewrite_method(rewriter, ILP_TOKEN(ILP_MethodDef, 1),
                                    &actions[tails[i].action],
                                    (struct ilp_bytes){body.data, body.size}, &result, NULL);
        assert_true(status != ILP_OK || result.reason == tails[i].answer);
    }
    ilp_rewriter_close(rewriter);
    return status;
}

/* Every allocation fails once: no other answer, nothing left over. */
static void test_memory(void **state)
{
    (void)state;
    struct bench bench;
    build_tails(&bench);
    bench_open(&bench);
    size_t fail_at = 1;
    for (;; fail_at++) {
        struct memory memory = {.fail_at = fail_at};
        struct ilp_allocator allocator = memory_allocator(&memory);
        ilp_status status = rewrite_tails(&bench, &allocator);
        memory_is_empty(&memory);
        if (status == ILP_OK) {
            break;
        }
        assert_int_equal(status, ILP_E_NO_MEMORY);
    }
    assert_true(fail_at > 5);
    bench_end(&bench);
}

/* ---- branches inside of an insertion ---- */

static const struct {
    const char *name;
    const char *code;
    uint32_t insn;
    uint32_t entry;
    const char *inserted;
    const char *after; /* NULL: ILP_E_MISUSE */
} insertions[] = {
    {"forward", "2B 00 2A", 1, 0, "17 2D 01 00 00", "2B 00 17 2D 01 00 00 2A"},
    {"backward", "2A", 0, 0, "00 17 2D FC 00", "00 17 2D FC 00 2A"},
    {"to itself", "2A", 0, 0, "2B FE", "2B FE 2A"},
    {"to the entry", "2A", 0, 1, "00 00 17 2C FC", "00 00 17 2C FC 2A"},
    {"entry after a branch", "2B 00 2A", 1, 4, "17 2D 01 00 00", "2B 04 17 2D 01 00 00 2A"},
    {"over a widened branch of the code", "2B 00 2A", 1, 0, "2B 00 00", "2B 00 2B 00 00 2A"},
    {"to the end", "2A", 0, 0, "2B 00", "2B 00 2A"},
    {"over a nop to the end", "2A", 0, 0, "2B 01 00", "2B 01 00 2A"},
    {"after the end", "2A", 0, 0, "2B 02 00", NULL},
    {"before the start", "00 2A", 1, 0, "2B FD", NULL},
    {"into an instruction", "2A", 0, 0, "2B 01 1F 00 26", NULL},
    {"after a prefix", "2A", 0, 0, "2B 02 FE 13 4A", NULL},
    {"a long one", "2A", 0, 0, "38 01 00 00 00 00", "38 01 00 00 00 00 2A"},
    {"a long one into an instruction", "2A", 0, 0, "38 01 00 00 00 1F 00 26", NULL},
    {"a switch", "2A", 0, 0, "45 01 00 00 00 00 00 00 00 00", NULL},
    {"leave", "2A", 0, 0, "DE 00 00", "DE 00 00 2A"},
    {"entry in a branch", "2A", 0, 1, "2B 00 00", NULL},
};

static void test_inner_branches(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(insertions); i++) {
        struct ilpi_alloc alloc;
        ilpi_alloc_init(&alloc, NULL);
        struct ilpi_code code = {.alloc = &alloc};
        struct ilpi_patch patch = {.alloc = &alloc};
        struct ii_hex bytes = ii_hex(insertions[i].code);
        struct ii_hex inserted = ii_hex(insertions[i].inserted);
        struct ilp_body body = {.code = {bytes.data, bytes.size}, .max_stack = 8};
        struct ilp_bytes put = exact(inserted.data, inserted.size);
        struct ilpi_insertion insertion = {insertions[i].insn, insertions[i].entry, put};
        assert_int_equal(ilpi_code_decode(&code, &body, NULL), ILP_OK);
        ilp_status status = ilpi_patch_apply(&patch, &code, &body, &insertion, 1, NULL);
        if (status != (insertions[i].after ? ILP_OK : ILP_E_MISUSE)) {
            fail_msg("%s", insertions[i].name);
        }
        if (insertions[i].after) {
            struct ii_hex after = ii_hex(insertions[i].after);
            same_bytes(ilpi_buf_bytes(&patch.code), (struct ilp_bytes){after.data, after.size});
        }
        drop(put);
        ilpi_code_free(&code);
        ilpi_patch_free(&patch);
        assert_int_equal(alloc.used, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_with_name),
        cmocka_unit_test(test_max_stack_kept),
        cmocka_unit_test(test_remembered),
        cmocka_unit_test(test_no_core_library),
        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_tails_only_decided),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_inspectors),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_errors_of_rules),
        cmocka_unit_test(test_already),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_inner_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
