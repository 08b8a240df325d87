/* src/inspect/guard.c, with the guarded sequence of sequence.c: bodies as bytes, with the new
 * local's signature, the clauses and MaxStack. */
#include "tests/unit/inspect_image.h"
#include "tests/unit/one_request.h"

static const struct ilp_rule_action guard = {.guard = true, .tail_calls = ILP_TAIL_CALLS_KEEP};
static const struct ilp_rule_action guard_refs = {
    .guard = true, .byref = ILP_BYREF_INSPECT, .pointers = ILP_POINTERS_INSPECT};

/* MemberRefs of the app: 1 object F(), 2 MyInspector, 3 Inspect<T>, whose instance is MethodSpec
 * 1. */
#define CALL_F    "28 01 00 00 0A"
#define CALL_OLD  "28 02 00 00 0A"
#define CALL_SPEC "28 01 00 00 2B"

struct bench {
    struct ii_inspector inspector;
    struct ii_emitter emitter;
    struct ib_image built;
    struct ilp_image *app;
    struct ilp_rewriter *rewriter;
    ilp_token method;
};

static ilp_token add_locals(struct bench *bench, const void *bytes, size_t size)
{
    return ILP_TOKEN(ILP_StandAloneSig,
                     IB_ROW(&bench->built, StandAloneSig, ib_blob(&bench->built, bytes, size)));
}

/* StandAloneSigs: 1 four locals, 2 255, 3 256, 4 of a method, 5 cut short. */
static void add_signatures(struct bench *bench)
{
    uint8_t bytes[300];
    memset(bytes, ILP_ELEMENT_I4, sizeof bytes);
    memcpy(bytes, "\x07\x04", 2);
    add_locals(bench, bytes, 6);
    memcpy(bytes, "\x07\x80\xFF", 3);
    add_locals(bench, bytes, 258);
    memcpy(bytes, "\x07\x81\x00", 3);
    add_locals(bench, bytes, 259);
    add_locals(bench, "\x00\x00\x01", 3);
    add_locals(bench, "\x07", 1);
}

static void begin(struct bench *bench, const char *form, const char *returns)
{
    struct ib_image *b = &bench->built;
    *bench = (struct bench){.inspector = ii_inspector(form)};
    ii_emitter_begin(&bench->emitter);
    ii_begin(b, "App");
    ilp_token class = ii_type_ref(b, ii_assembly_ref(b, "Inspector"), "Test", "Inspector");
    ilp_token other = ii_type_ref(b, II_MSCORLIB, "Other", "Class");
    IB_ROW(b, MemberRef, other, ib_string(b, "F"), ii_blob(b, "00 00 1C"));
    IB_ROW(b, MemberRef, class, ib_string(b, "MyInspector"), ii_blob(b, "00 01 01 1C"));
    ilp_rid generic = IB_ROW(b, MemberRef, class, ib_string(b, "Inspect"),
                             ii_blob(b, "10 01 01 1E 00 1E 00"));
    IB_ROW(b, MethodSpec, ILP_TOKEN(ILP_MemberRef, generic), ii_blob(b, "0A 01 1C"));
    add_signatures(bench);
    ii_type(b, "N", "C", II_OBJECT);
    char signature[64];
    snprintf(signature, sizeof signature, "00 00 %s", returns);
    bench->method = ii_method(b, "M", signature);
}

static void open_bench(struct bench *bench)
{
    bench->app = built_root(&bench->built);
    assert_int_equal(ilp_rewriter_open(&bench->rewriter, bench->app,
                                       ONE_REQUEST(bench->inspector.inspector, NULL, NULL),
                                       &bench->emitter.interface, NULL),
                     ILP_OK);
}

static void end(struct bench *bench)
{
    ilp_rewriter_close(bench->rewriter);
    ii_emitter_end(&bench->emitter);
    close_built(bench->app);
    ii_inspector_close(&bench->inspector);
}

static struct ilp_method_result rewrite(struct bench *bench, const struct ilp_rule_action *action,
                                        const char *hex)
{
    struct ii_hex body = ii_hex(hex);
    struct ilp_method_result result;
    assert_int_equal(ilp_rewrite_method(bench->rewriter, bench->method, action,
                                        (struct ilp_bytes){body.data, body.size}, &result, NULL),
                     ILP_OK);
    return result;
}

/* A fat header with further sections: MaxStack 1 or 2, a size of one byte; then a small table with
 * its size. */
#define HEAD(size, locals)      "1B 30 01 00 " size " 00 00 00 " locals " "
#define HEAD_2(size, locals)    "1B 30 02 00 " size " 00 00 00 " locals " "
#define BARE_HEAD(size, locals) "0B 30 01 00 " size " 00 00 00 " locals " "
#define NEW(token)              token " 01 00 11"
#define TABLE(size)             " 01 " size " 00 00 "
#define CLAUSE(from, length, handler, token) \
    "00 00 " from " 00 " length " " handler " 00 03 " token " 01 00 01 "

/* The guarded call with local `n`, one byte; the token that the call has. */
#define CAUGHT(n)             " DE 03 26 DE 00 11 " n " "
#define GUARDED(n, call)      "13 " n " 11 " n " 28 " call " 01 00 0A" CAUGHT(n)
#define GUARDED_SPEC(n, call) "13 " n " 11 " n " 28 " call " 01 00 2B" CAUGHT(n)
#define REPLACED(n, call)     "13 " n " 11 " n " 28 " call " 01 00 0A 13 " n CAUGHT(n)
#define BOXED(n, box, call)   "13 " n " 11 " n " 8C " box " 01 00 01 28 " call " 01 00 0A" CAUGHT(n)

/* What is requested when the inspector takes an object: its method has token 4 after the box, else
 * 3; then Object. */
#define ASK_OBJECT                                                                           \
    "assembly_ref Inspector 1.2.3.4\ntype_ref 23000101 Test.Inspector\nmember_ref 01000102 " \
    "MyInspector 00 01 01 1C\n"                                                              \
    "type_ref 23000001 System.Object\n"

static const struct {
    const char *what;
    const char *form;
    const char *returns;
    const struct ilp_rule_action *action;
    const char *before;
    const char *after;
    const char *requests; /* NULL: not compared */
} cases[] = {
    {"tiny, no locals", "00 01 01 1C", "1C", &guard, "0A 14 2A",
     HEAD("12", NEW("05")) "14 " GUARDED("00", "03") "2A 00 00" TABLE("10")
         CLAUSE("03", "09", "0C", "04"),
     ASK_OBJECT "standalone_sig 07 01 1C\n"},
    {"fat, four locals, init", "00 01 01 1C", "1C", &guard,
     "13 30 01 00 02 00 00 00 01 00 00 11 14 2A",
     HEAD("12", NEW("05")) "14 " GUARDED("04", "03") "2A 00 00" TABLE("10")
         CLAUSE("03", "09", "0C", "04"),
     ASK_OBJECT "standalone_sig 07 05 08 08 08 08 1C\n"},
    {"without init", "00 01 01 1C", "1C", &guard, "03 30 01 00 02 00 00 00 01 00 00 11 14 2A",
     BARE_HEAD("12", NEW("05")) "14 " GUARDED("04", "03") "2A 00 00" TABLE("10")
         CLAUSE("03", "09", "0C", "04"),
     ASK_OBJECT "standalone_sig 07 05 08 08 08 08 1C\n"},
    {"fat without locals and init", "00 01 01 1C", "1C", &guard,
     "03 30 01 00 02 00 00 00 00 00 00 00 14 2A",
     HEAD("12", NEW("05")) "14 " GUARDED("00", "03") "2A 00 00" TABLE("10")
         CLAUSE("03", "09", "0C", "04"),
     ASK_OBJECT "standalone_sig 07 01 1C\n"},
    {"255 locals", "00 01 01 1C", "1C", &guard, "13 30 01 00 02 00 00 00 02 00 00 11 14 2A",
     HEAD("12", NEW("05")) "14 " GUARDED("FF", "03") "2A 00 00" TABLE("10")
         CLAUSE("03", "09", "0C", "04"),
     NULL},
    {"256 locals", "00 01 01 1C", "1C", &guard, "13 30 01 00 02 00 00 00 03 00 00 11 14 2A",
     HEAD("18", NEW("05")) "14 FE 0E 00 01 FE 0C 00 01 28 03 01 00 0A DE 03 26 DE 00 FE 0C 00 01 "
                           "2A" TABLE("10") CLAUSE("05", "0B", "10", "04"),
     NULL},
    {"a number", "00 01 01 1C", "08", &guard, "0A 16 2A",
     HEAD("17", NEW("06")) "16 " BOXED("00", "01", "04") "2A 00" TABLE("10")
         CLAUSE("03", "0E", "11", "05"),
     "type_ref 23000001 System.Int32\nassembly_ref Inspector 1.2.3.4\ntype_ref 23000102 "
     "Test.Inspector\n"
     "member_ref 01000103 MyInspector 00 01 01 1C\ntype_ref 23000001 System.Object\nstandalone_sig "
     "07 01 08\n"},
    {"with modifiers, which the local has not", "00 01 01 08", "20 05 08", &guard, "0A 16 2A",
     HEAD("12", NEW("05")) "16 " GUARDED("00", "03") "2A 00 00" TABLE("10")
         CLAUSE("03", "09", "0C", "04"),
     "assembly_ref Inspector 1.2.3.4\ntype_ref 23000101 Test.Inspector\nmember_ref 01000102 "
     "MyInspector 00 01 01 08\n"
     "type_ref 23000001 System.Object\nstandalone_sig 07 01 08\n"},
    {"with the name", "00 02 01 1C 0E", "1C", &guard, "0A 14 2A",
     HEAD_2("17", NEW("06")) "14 13 00 11 00 72 01 01 00 70 28 04 01 00 0A DE 03 26 DE 00 11 00 2A "
                             "00" TABLE("10") CLAUSE("03", "0E", "11", "05"),
     NULL},
    {"replaced", "00 01 08 08", "08", &guard, "0A 16 2A",
     HEAD("14", NEW("05")) "16 " REPLACED("00", "03") "2A" TABLE("10")
         CLAUSE("03", "0B", "0E", "04"),
     NULL},
    {"generic", "10 01 01 01 1E 00", "0E", &guard, "0A 14 2A",
     HEAD("12", NEW("06")) "14 " GUARDED_SPEC("00", "04") "2A 00 00" TABLE("10")
         CLAUSE("03", "09", "0C", "05"),
     "assembly_ref Inspector 1.2.3.4\ntype_ref 23000101 Test.Inspector\n"
     "member_ref 01000102 MyInspector 10 01 01 01 1E 00\nmethod_spec 0A000103 0A 01 0E\n"
     "type_ref 23000001 System.Object\nstandalone_sig 07 01 0E\n"},
    {"a reference", "00 01 01 1C", "10 08", &guard_refs, "0A 14 2A",
     HEAD_2("23", NEW("06")) "14 13 00 11 00 25 2D 04 26 14 2B 0A 71 01 01 00 01 8C 01 01 00 01 28 "
                             "04 01 00 0A"
                             " DE 03 26 DE 00 11 00 2A 00" TABLE("10")
                                 CLAUSE("03", "1A", "1D", "05"),
     "type_ref 23000001 System.Int32\nassembly_ref Inspector 1.2.3.4\ntype_ref 23000102 "
     "Test.Inspector\n"
     "member_ref 01000103 MyInspector 00 01 01 1C\ntype_ref 23000001 System.Object\nstandalone_sig "
     "07 01 10 08\n"},
    {"a pointer", "00 01 01 1C", "0F 08", &guard_refs, "0A 14 2A",
     HEAD("18", NEW("06")) "14 13 00 11 00 E0 8C 01 01 00 01 28 04 01 00 0A DE 03 26 DE 00 11 00 "
                           "2A" TABLE("10") CLAUSE("03", "0F", "12", "05"),
     NULL},
    /* two rets, one of them a branch target */
    {"two rets", "00 01 01 1C", "1C", &guard, "1E 16 2D 02 14 2A 14 2A",
     HEAD("27", NEW("05")) "16 2D 12 14 " GUARDED("00", "03") "2A 14 " GUARDED(
         "00", "03") "2A 00" TABLE("1C") CLAUSE("06", "09", "0F", "04")
         CLAUSE("18", "09", "21", "04"),
     NULL},
    /* a clause of its own comes after the new ones; its handler ended where the ret begins */
    {"its own clause", "00 01 01 1C", "1C", &guard,
     "1B 30 01 00 09 00 00 00 01 00 00 11 00 DE 03 26 DE 00 00 14 2A 00 00 00"
     " 01 10 00 00 00 00 00 00 03 03 00 03 01 00 00 01",
     HEAD("19", NEW("05")) "00 DE 03 26 DE 00 00 14 " GUARDED("04", "03") "2A 00 00 00" TABLE("1C")
         CLAUSE("0A", "09", "13", "04") "00 00 00 00 03 03 00 03 01 00 00 01",
     NULL},
    /* a tail call keeps its ret, and the branch to it gets a guarded one of its own */
    {"a kept tail call", "00 01 01 1C", "1C", &guard, "36 14 25 2D 08 26 FE 14 " CALL_F " 2A",
     HEAD_2("1E", NEW("05")) "14 25 2D 09 26 FE 14 " CALL_F " 2A " GUARDED(
         "00", "03") "2A 00 00" TABLE("10") CLAUSE("0F", "09", "18", "04"),
     NULL},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench bench;
        begin(&bench, cases[i].form, cases[i].returns);
        open_bench(&bench);
        struct ilp_method_result result = rewrite(&bench, cases[i].action, cases[i].before);
        struct ii_hex expected = ii_hex(cases[i].after);
        if (result.reason != ILP_REASON_INSPECTED) {
            fail_msg("%s: %s (%s)", cases[i].what, ilp_reason_code(result.reason), result.detail);
        }
        if (result.body.size != expected.size ||
            memcmp(result.body.data, expected.data, expected.size) != 0) {
            for (size_t j = 0; j < result.body.size; j++) {
                print_message("%02X ", result.body.data[j]);
            }
            fail_msg("%s", cases[i].what);
        }
        if (cases[i].requests) {
            ii_requested(&bench.emitter, cases[i].requests);
        }
        end(&bench);
    }
}

/* ---- limits ---- */

/* The locals are all int32; StandAloneSig 6. */
static void begin_with_locals(struct bench *bench, uint32_t count, const char *form,
                              const char *returns)
{
    begin(bench, form, returns);
    uint8_t *bytes = malloc((size_t)count + 5);
    assert_non_null(bytes);
    bytes[0] = 0x07;
    bytes[1] = (uint8_t)(0xC0 | count >> 24);
    bytes[2] = (uint8_t)(count >> 16);
    bytes[3] = (uint8_t)(count >> 8);
    bytes[4] = (uint8_t)count;
    memset(bytes + 5, ILP_ELEMENT_I4, count);
    add_locals(bench, bytes, (size_t)count + 5);
    free(bytes);
    open_bench(bench);
}

static void test_most_locals(void **state)
{
    (void)state;
    static const char body[] = "13 30 01 00 02 00 00 00 06 00 00 11 14 2A";
    struct bench bench;
    begin_with_locals(&bench, 65533, "00 01 01 1C", "1C");
    struct ilp_method_result result = rewrite(&bench, &guard, body);
    assert_int_equal(result.reason, ILP_REASON_INSPECTED);
    assert_memory_equal(result.body.data + 13, "\xFE\x0E\xFD\xFF\xFE\x0C\xFD\xFF", 8);
    end(&bench);

    for (uint32_t count = 65534; count < 65537; count++) {
        begin_with_locals(&bench, count, "00 01 01 1C", "1C");
        result = rewrite(&bench, &guard, body);
        assert_int_equal(result.reason, ILP_REASON_LIMIT);
        assert_non_null(strstr(result.detail, "no room for one more local"));
        assert_int_equal(result.inspected, 0);
        assert_int_equal(result.body.size, 0);
        ii_requested(&bench.emitter, "");
        /* without a guard */
        assert_int_equal(rewrite(&bench, NULL, body).reason, ILP_REASON_INSPECTED);
        end(&bench);
    }
}

/* What is not a signature of locals refuses the method before anything is requested. */
static void test_bad_locals(void **state)
{
    (void)state;
    static const char *const tokens[] = {"04 00 00 11", "05 00 00 11", "63 00 00 11", "01 00 00 1B",
                                         "01 00 00 06"};
    for (size_t i = 0; i < COUNT(tokens); i++) {
        struct bench bench;
        char body[64];
        begin(&bench, "00 01 01 1C", "1C");
        open_bench(&bench);
        snprintf(body, sizeof body, "13 30 01 00 02 00 00 00 %s 14 2A", tokens[i]);
        struct ilp_method_result result = rewrite(&bench, &guard, body);
        assert_int_equal(result.reason, ILP_REASON_BAD_BODY);
        assert_int_equal(result.inspected, 0);
        ii_requested(&bench.emitter, "");
        end(&bench);
    }
}

/* A clause per ret, read back from the body: more than fit into a small table, and further away. */
static void check_many(uint32_t rets, uint32_t nops)
{
    struct bench bench;
    begin(&bench, "00 01 01 1C", "1C");
    open_bench(&bench);
    size_t size = 12 + (size_t)rets * 5 + nops + 2;
    uint8_t *body = calloc(size, 1); /* zeros are nops */
    assert_non_null(body);
    body[0] = 0x03;
    body[1] = 0x30;
    body[2] = 2;
    for (unsigned i = 0; i < 4; i++) {
        body[4 + i] = (uint8_t)((size - 12) >> 8 * i);
    }
    for (uint32_t i = 0; i < rets; i++) {
        memcpy(body + 12 + nops + 5 * (size_t)i, "\x14\x2D\x02\x14\x2A", 5);
    }
    memcpy(body + size - 2, "\x14\x2A", 2);
    struct ilp_method_result result;
    assert_int_equal(ilp_rewrite_method(bench.rewriter, bench.method, &guard,
                                        (struct ilp_bytes){body, size}, &result, NULL),
                     ILP_OK);
    assert_int_equal(result.reason, ILP_REASON_INSPECTED);
    assert_int_equal(result.inspected, rets + 1);
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilp_arena arena = {.alloc = &alloc};
    struct ilp_body read;
    assert_int_equal(ilp_body_read(&read, result.body, 0, &arena, NULL), ILP_OK);
    assert_int_equal(read.clause_count, rets + 1);
    uint32_t at = nops;
    for (uint32_t i = 0; i <= rets; i++) {
        at += i < rets ? 4 : 1; /* to the ret */
        assert_int_equal(read.clauses[i].flags, 0);
        assert_int_equal(read.clauses[i].try_offset, at + 2);
        assert_int_equal(read.clauses[i].try_length, 9);
        assert_int_equal(read.clauses[i].handler_offset, at + 11);
        assert_int_equal(read.clauses[i].handler_length, 3);
        assert_memory_equal(read.code.data + at, "\x13\x00\x11\x00\x28", 5);
        assert_int_equal(read.code.data[at + 16], 0x2A);
        at += 17;
    }
    assert_int_equal(read.code.size, at);
    ilpi_arena_free(&arena);
    free(body);
    end(&bench);
}

static void test_many(void **state)
{
    (void)state;
    check_many(0, 0);
    check_many(19, 0);
    check_many(20, 0); /* 21 clauses */
    check_many(300, 0);
    check_many(0, 65600);
    check_many(2, 65500);
}

/* The longest: a reference, the name, locals with two-byte numbers, and a ret of a tail call in
 * front. */
static void test_longest(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "00 02 01 1C 0E", "10 08");
    open_bench(&bench);
    struct ilp_rule_action action = guard_refs;
    action.tail_calls = ILP_TAIL_CALLS_KEEP;
    static const char body[] = "13 30 02 00 0D 00 00 00 03 00 00 11 14 25 2D 08 26 FE 14 " CALL_F
                               " 2A";
    struct ilp_method_result result = rewrite(&bench, &action, body);
    assert_int_equal(result.reason, ILP_REASON_INSPECTED);
    assert_int_equal(result.tail_calls, 1);
    /* 13 bytes were there; ret, then 4 + 4 + 7 + 10 + 5 + 5 + 2 + 3 + 4 */
    struct ii_hex before = ii_hex(body);
    uint32_t size = result.body.data[4] - (uint32_t)(before.size - 12);
    assert_int_equal(size, 45);
    assert_true(size <= ILPI_MAX_SEQUENCE);
    end(&bench);
}

/* ---- what is there already ---- */

/* stloc.0, stloc.s, stloc; ldloc is as long. */
static unsigned size_of_stloc(uint8_t opcode)
{
    switch (opcode) {
    case 0x0A: return 1;
    case 0x13: return 2;
    default: return 4;
    }
}

static void test_already(void **state)
{
    (void)state;
    static const struct {
        /* of a method that returns object; the body has a local, `ldnull` is before it */
        const char *code;
        enum ilp_reason answer;
    } rounds[] = {
        {"25 " CALL_OLD " 2A", ILP_REASON_ALREADY},
        {CALL_SPEC " 2A", ILP_REASON_ALREADY}, /* a generic one that replaces */
        /* with ldloc.0, which a guard does not use */
        {"0A 06 " CALL_OLD " DE 03 26 DE 00 06 2A", ILP_REASON_INSPECTED},
        {"13 00 11 00 " CALL_OLD " DE 03 26 DE 00 11 00 2A", ILP_REASON_ALREADY},
        {"13 00 11 00 " CALL_SPEC " 13 00 DE 03 26 DE 00 11 00 2A", ILP_REASON_ALREADY},
        {"FE 0E 00 00 FE 0C 00 00 " CALL_OLD " DE 03 26 DE 00 FE 0C 00 00 2A", ILP_REASON_ALREADY},
        {"13 00 11 00 " CALL_F " 26 DE 03 26 DE 00 11 00 2A", ILP_REASON_INSPECTED},
    };
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        begin(&bench, "00 01 01 1C", "1C");
        open_bench(&bench);
        struct ii_hex code = ii_hex(rounds[i].code);
        char body[256];
        bool guarded = code.data[0] != 0x25 && code.data[0] != 0x28;
        /* try from after stloc to leave, then the handler of three bytes */
        unsigned from = 1 + size_of_stloc(code.data[0]); /* after ldnull */
        unsigned leave = (unsigned)code.size + 1;
        unsigned handler = leave - from - 3;
        int size = snprintf(body, sizeof body, "%s 30 08 00 %02X 00 00 00 01 00 00 11 14 %s",
                            guarded ? "1B" : "13", leave, rounds[i].code);
        for (unsigned at = leave; guarded && at % 4 != 0; at++) {
            size += snprintf(body + size, sizeof body - (size_t)size, " 00");
        }
        if (guarded) {
            snprintf(body + size, sizeof body - (size_t)size,
                     " 01 10 00 00 00 00 %02X 00 %02X %02X 00 03 01 00 00 01", from, handler - from,
                     handler);
        }
        static const struct ilp_rule_action plain = {.inspector = 0};
        const struct ilp_rule_action *actions[] = {&plain, &guard};
        for (size_t j = 0; j < 2; j++) {
            struct ilp_method_result result = rewrite(&bench, actions[j], body);
            if (result.reason != rounds[i].answer) {
                fail_msg("%zu: %s (%s)", i, ilp_reason_code(result.reason), result.detail);
            }
            assert_int_equal(result.already, rounds[i].answer == ILP_REASON_ALREADY);
        }
        end(&bench);
    }
}

/* What is caught is an object of the core library, so that one has to be known, whatever is
 * returned. */
static void test_no_core_library(void **state)
{
    (void)state;
    struct bench bench = {.inspector = ii_inspector("00 01 01 0E")};
    ii_emitter_begin(&bench.emitter);
    ii_begin_bare(&bench.built, "App");
    ii_type(&bench.built, "N", "C", 0);
    bench.method = ii_method(&bench.built, "M", "00 00 0E");
    open_bench(&bench);
    assert_int_equal(rewrite(&bench, NULL, "0A 14 2A").reason, ILP_REASON_INSPECTED);
    bench.emitter.lines.size = 0;
    assert_int_equal(rewrite(&bench, &guard, "0A 14 2A").reason, ILP_REASON_NO_CORE_LIBRARY);
    ii_requested(&bench.emitter, "");
    end(&bench);
}

/* What is not inspected gets no guard, and MaxStack is not lowered. */
static void test_untouched(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "00 01 01 1C", "01");
    open_bench(&bench);
    struct ilp_method_result result = rewrite(&bench, &guard, "06 2A");
    assert_int_equal(result.reason, ILP_REASON_VOID);
    assert_int_equal(result.body.size, 0);
    ii_requested(&bench.emitter, "");
    end(&bench);

    begin(&bench, "00 01 01 1C", "1C");
    open_bench(&bench);
    result = rewrite(&bench, &guard, "0A 14 7A");
    assert_int_equal(result.reason, ILP_REASON_NO_RETURN);
    assert_int_equal(result.body.size, 0);
    result = rewrite(&bench, &guard, "03 30 63 00 02 00 00 00 00 00 00 00 14 2A");
    assert_int_equal(result.body.data[2], 0x63);
    end(&bench);
}

/* ---- failures ---- */

static void test_emitter(void **state)
{
    (void)state;
    for (unsigned fail_at = 1;; fail_at++) {
        struct bench bench;
        static const uint8_t body[] = {0x0A, 0x16, 0x2A};
        struct ilp_method_result result;
        begin(&bench, "00 02 01 1C 0E", "08");
        open_bench(&bench);
        bench.emitter.fail_at = fail_at;
        bench.emitter.failure = fail_at % 2 != 0 ? ILP_E_TOO_MANY : ILP_E_CALLBACK;
        ilp_status status = ilp_rewrite_method(bench.rewriter, bench.method, &guard,
                                               (struct ilp_bytes){body, sizeof body}, &result,
                                               NULL);
        unsigned calls = bench.emitter.calls;
        end(&bench);
        if (calls < fail_at) {
            /* string, Int32, assembly, class, method, Object, locals */
            assert_int_equal(calls, 7);
            assert_int_equal(result.reason, ILP_REASON_INSPECTED);
            break;
        }
        assert_int_equal(status, fail_at % 2 != 0 ? ILP_OK : ILP_E_CALLBACK);
        if (status == ILP_OK) {
            assert_int_equal(result.reason, ILP_REASON_LIMIT);
        }
        assert_int_equal(result.body.size, 0);
        assert_int_equal(result.inspected, 0);
    }
}

/* An emitter may lack what nothing but a guard, or a method for any type, needs. */
static void test_poor_emitter(void **state)
{
    (void)state;
    static const uint8_t body[] = {0x0A, 0x14, 0x2A};
    struct bench bench;
    struct ilp_method_result result;
    struct ilp_error error;
    begin(&bench, "10 01 01 01 1E 00", "1C");
    open_bench(&bench);
    bench.emitter.interface.standalone_sig = NULL;
    assert_int_equal(ilp_rewrite_method(bench.rewriter, bench.method, &guard,
                                        (struct ilp_bytes){body, sizeof body}, &result, &error),
                     ILP_E_MISUSE);
    ii_requested(&bench.emitter, "");
    assert_int_equal(rewrite(&bench, NULL, "0A 14 2A").reason, ILP_REASON_INSPECTED);
    bench.emitter.interface.method_spec = NULL;
    assert_int_equal(ilp_rewrite_method(bench.rewriter, bench.method, NULL,
                                        (struct ilp_bytes){body, sizeof body}, &result, &error),
                     ILP_E_MISUSE);
    end(&bench);
}

static void test_memory(void **state)
{
    (void)state;
    struct bench bench;
    begin_with_locals(&bench, 20000, "10 01 02 01 1E 00 0E", "1C");
    for (size_t fail_at = 1;; fail_at++) {
        struct memory memory = {.fail_at = fail_at};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilp_rewriter *rewriter;
        struct ilp_method_result result;
        struct ii_hex body = ii_hex("13 30 01 00 07 00 00 00 06 00 00 11 14 2D 02 14 2A 14 2A");
        ilp_status status = ilp_rewriter_open(
            &rewriter, bench.app, ONE_REQUEST(bench.inspector.inspector, NULL, &allocator),
            &bench.emitter.interface, NULL);
        if (status == ILP_OK) {
            status = ilp_rewrite_method(rewriter, bench.method, &guard,
                                        (struct ilp_bytes){body.data, body.size}, &result, NULL);
        }
        ilp_rewriter_close(rewriter);
        memory_is_empty(&memory);
        if (status == ILP_OK) {
            assert_int_equal(result.reason, ILP_REASON_INSPECTED);
            assert_true(fail_at > 8);
            break;
        }
        assert_int_equal(status, ILP_E_NO_MEMORY);
    }
    end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),           cmocka_unit_test(test_most_locals),
        cmocka_unit_test(test_bad_locals),      cmocka_unit_test(test_many),
        cmocka_unit_test(test_longest),         cmocka_unit_test(test_already),
        cmocka_unit_test(test_no_core_library), cmocka_unit_test(test_untouched),
        cmocka_unit_test(test_emitter),         cmocka_unit_test(test_poor_emitter),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
