/* src/inspect/rewrite.c, sites.c, calls.c: bodies before and after, from a file, from a mapped
 * module and from memory. test_rewrite_real.c does the same with real assemblies. */
#include "tests/unit/inspect_image.h"
#include "tests/unit/one_request.h"

/* The module's MemberRefs, as they stand in code. */
#define CALL     "28 01 00 00 0A" /* object F() */
#define OURS     "28 02 00 00 0A" /* the inspector: a call that was put there before */
#define CALLVIRT "6F 03 00 00 0A" /* instance object G() */

/* What is inserted: the emitter's third token is the inspector's. */
#define SHOW "25 28 03 01 00 0A"

#define DONE ILP_REASON_INSPECTED
#define NONE ILP_REASON_NO_RETURN
#define TAIL ILP_REASON_TAIL_CALL
#define BAD  ILP_REASON_BAD_BODY

/* The code of methods that return object, so that nothing is boxed. A tiny header is put before it,
 * unless a '=' says that the bytes are a whole body. */
static const struct {
    const char *name;
    const char *before;
    const char *after; /* NULL: left as it is */
    enum ilp_reason answer;
    uint32_t rets, inspected, already, tail_calls, unreachable, jumps;
} cases[] = {
    {"plain", "14 2A", "14 " SHOW " 2A", DONE, 1, 1, 0, 0, 0, 0},
    {"two rets", "14 2D 02 14 2A 14 2A", "14 2D 08 14 " SHOW " 2A 14 " SHOW " 2A", DONE, 2, 2, 0, 0,
     0, 0},
    {"branch to ret", "14 2B 00 2A", "14 2B 00 " SHOW " 2A", DONE, 1, 1, 0, 0, 0, 0},
    {"switch to ret", "14 16 45 01 00 00 00 00 00 00 00 2A",
     "14 16 45 01 00 00 00 00 00 00 00 " SHOW " 2A", DONE, 1, 1, 0, 0, 0, 0},
    /* no ret, or none that can be reached */
    {"endless", "2B FE", NULL, NONE, 0, 0, 0, 0, 0, 0},
    {"throw", "14 7A", NULL, NONE, 0, 0, 0, 0, 0, 0},
    {"unreachable", "14 7A 2A", NULL, NONE, 1, 0, 0, 0, 1, 0},
    {"one unreachable", "14 2A 14 2A", "14 " SHOW " 2A 14 2A", DONE, 2, 1, 0, 0, 1, 0},
    {"dead after ret", "14 2A 24", NULL, BAD, 0, 0, 0, 0, 0, 0}, /* the whole code is decoded */
    /* inspected before */
    {"already", "14 25 " OURS " 2A", NULL, ILP_REASON_ALREADY, 1, 0, 1, 0, 0, 0},
    {"half", "14 2D 08 14 25 " OURS " 2A 14 2A", "14 2D 08 14 25 " OURS " 2A 14 " SHOW " 2A", DONE,
     2, 1, 1, 0, 0, 0},
    /* tail calls stay, and what branches to their ret gets one of its own */
    {"tail", "FE 14 " CALL " 2A", NULL, TAIL, 1, 0, 0, 1, 0, 0},
    {"tail, branch", "14 25 2D 08 26 FE 14 " CALL " 2A",
     "14 25 2D 09 26 FE 14 " CALL " 2A " SHOW " 2A", DONE, 1, 1, 0, 1, 0, 0},
    {"tail, branch, done", "14 25 2D 09 26 FE 14 " CALL " 2A 25 " OURS " 2A", NULL,
     ILP_REASON_ALREADY, 2, 0, 1, 1, 0, 0},
    {"tail, another ret", "14 25 2D 09 26 FE 14 " CALL " 2A 2A",
     "14 25 2D 09 26 FE 14 " CALL " 2A " SHOW " 2A", DONE, 2, 1, 0, 1, 0, 0},
    {"tail, constrained", "14 FE 14 FE 16 01 00 00 01 " CALLVIRT " 2A", NULL, TAIL, 1, 0, 0, 1, 0,
     0},
    {"constrained, tail", "14 FE 16 01 00 00 01 FE 14 " CALLVIRT " 2A", NULL, TAIL, 1, 0, 0, 1, 0,
     0},
    {"constrained", "14 FE 16 01 00 00 01 " CALLVIRT " 2A",
     "14 FE 16 01 00 00 01 " CALLVIRT " " SHOW " 2A", DONE, 1, 1, 0, 0, 0, 0},
    {"tail at the end of a try", /* after its ret, code would be in no block or another */
     "= 0B 30 02 00 0E 00 00 00 00 00 00 00 14 25 2D 08 26 FE 14 " CALL " 2A DC 00 00"
     "01 10 00 00 02 00 04 00 08 0D 00 01 00 00 00 00",
     NULL, TAIL, 1, 0, 0, 1, 0, 0},
    /* jmp leaves without ret */
    {"jmp", "27 01 00 00 06", NULL, TAIL, 0, 0, 0, 0, 0, 1},
    {"jmp or ret", "14 2C 02 14 2A 27 01 00 00 06", "14 2C 08 14 " SHOW " 2A 27 01 00 00 06", DONE,
     1, 1, 0, 0, 0, 1},
    /* what calls take and leave */
    {"call", CALL " 2A", CALL " " SHOW " 2A", DONE, 1, 1, 0, 0, 0, 0},
    {"callvirt", "14 " CALLVIRT " 2A", "14 " CALLVIRT " " SHOW " 2A", DONE, 1, 1, 0, 0, 0, 0},
    {"newobj", "14 73 04 00 00 0A 2A", "14 73 04 00 00 0A " SHOW " 2A", DONE, 1, 1, 0, 0, 0, 0},
    {"vararg", "14 14 28 05 00 00 0A 2A", "14 14 28 05 00 00 0A " SHOW " 2A", DONE, 1, 1, 0, 0, 0,
     0},
    {"void", "28 06 00 00 0A 14 2A", "28 06 00 00 0A 14 " SHOW " 2A", DONE, 1, 1, 0, 0, 0, 0},
    {"methodspec", "14 28 01 00 00 2B 2A", "14 28 01 00 00 2B " SHOW " 2A", DONE, 1, 1, 0, 0, 0, 0},
    {"calli", "14 14 29 01 00 00 11 2A", "14 14 29 01 00 00 11 " SHOW " 2A", DONE, 1, 1, 0, 0, 0,
     0},
    {"calli, this", "14 14 14 29 02 00 00 11 2A", "14 14 14 29 02 00 00 11 " SHOW " 2A", DONE, 1, 1,
     0, 0, 0, 0},
    {"methoddef", "28 01 00 00 06 2A", "28 01 00 00 06 " SHOW " 2A", DONE, 1, 1, 0, 0, 0, 0},
    {"no such method", "28 63 00 00 0A 2A", NULL, BAD, 0, 0, 0, 0, 0, 0},
    {"no method", "28 01 00 00 01 2A", NULL, BAD, 0, 0, 0, 0, 0, 0},
    /* broken */
    {"empty", "", NULL, BAD, 0, 0, 0, 0, 0, 0},
    {"nothing returned", "2A", NULL, BAD, 0, 0, 0, 0, 0, 0},
    {"two returned", "14 14 2A", NULL, BAD, 0, 0, 0, 0, 0, 0},
    {"off its end", "14", NULL, BAD, 0, 0, 0, 0, 0, 0},
    {"no such opcode", "14 24 2A", NULL, BAD, 0, 0, 0, 0, 0, 0},
    {"into an instruction", "2B 01 20 00 00 00 2A", NULL, BAD, 0, 0, 0, 0, 0, 0},
    {"prefixed ret", "14 FE 13 2A", NULL, BAD, 0, 0, 0, 0, 0, 0},
    {"no header", "= 00 00", NULL, BAD, 0, 0, 0, 0, 0, 0},
    /* MaxStack: one more above the value; a fat header's own is kept where it is larger */
    {"fat, 1", "= 03 30 01 00 02 00 00 00 00 00 00 00 14 2A",
     "= 03 30 02 00 08 00 00 00 00 00 00 00 14 " SHOW " 2A", DONE, 1, 1, 0, 0, 0, 0},
    {"fat, 100", "= 13 30 64 00 02 00 00 00 00 00 00 00 14 2A",
     "= 13 30 64 00 08 00 00 00 00 00 00 00 14 " SHOW " 2A", DONE, 1, 1, 0, 0, 0, 0},
    {"fat, too small", "= 03 30 01 00 06 00 00 00 00 00 00 00 14 14 14 26 26 2A",
     "= 03 30 03 00 0C 00 00 00 00 00 00 00 14 14 14 26 26 " SHOW " 2A", DONE, 1, 1, 0, 0, 0, 0},
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
    ilp_token ours = ii_type_ref(b, ii_assembly_ref(b, "Inspector"), "Test", "Inspector");
    static const struct {
        const char *name;
        const char *signature;
    } members[] = {
        {"F", "00 00 1C"},        {"MyInspector", "00 01 01 1C"}, {"G", "20 00 1C"},
        {".ctor", "20 01 01 1C"}, {"V", "05 02 1C 1C 41 1C"},     {"N", "00 00 01"},
    };
    for (size_t i = 0; i < COUNT(members); i++) {
        IB_ROW(b, MemberRef, i == 1 ? ours : other, ib_string(b, members[i].name),
               ii_blob(b, members[i].signature));
    }
    IB_ROW(b, StandAloneSig, ii_blob(b, "00 01 1C 1C"));
    IB_ROW(b, StandAloneSig, ii_blob(b, "20 01 1C 1C"));
    ilp_rid generic = IB_ROW(b, MemberRef, other, ib_string(b, "M"),
                             ii_blob(b, "10 01 01 1C 1E 00"));
    IB_ROW(b, MethodSpec, ILP_TOKEN(ILP_MemberRef, generic), ii_blob(b, "0A 01 1C"));
}

static void build_cases(struct ib_image *b)
{
    ii_begin(b, "App");
    add_members(b);
    ii_type(b, "N", "C", II_OBJECT);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ii_hex body = body_of(cases[i].before);
        ilp_token method = ii_method(b, cases[i].name, "00 00 1C");
        ib_data(b, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_RVA, body.data, body.size);
    }
}

static struct ilp_rewriter *open_rewriter(struct ilp_image *image,
                                          const struct ii_inspector *inspector,
                                          const struct ilp_emitter *emitter)
{
    struct ilp_rewriter *rewriter;
    assert_int_equal(ilp_rewriter_open(&rewriter, image,
                                       ONE_REQUEST(inspector->inspector, NULL, NULL), emitter,
                                       NULL),
                     ILP_OK);
    return rewriter;
}

static void check_case(size_t i, const struct ilp_method_result *result)
{
    if (result->reason != cases[i].answer) {
        fail_msg("%s: %s (%s)", cases[i].name, ilp_reason_code(result->reason), result->detail);
    }
    if ((result->body.size != 0) != (cases[i].after != NULL)) {
        fail_msg("%s: %zu bytes", cases[i].name, result->body.size);
    }
    if (cases[i].after) {
        struct ii_hex after = body_of(cases[i].after);
        same_bytes(result->body, (struct ilp_bytes){after.data, after.size});
    }
    if (result->reason == ILP_REASON_BAD_BODY) {
        assert_true(result->detail[0] != '\0');
        assert_int_equal(result->inspected, 0);
        return;
    }
    assert_int_equal(result->rets, cases[i].rets);
    assert_int_equal(result->inspected, cases[i].inspected);
    assert_int_equal(result->already, cases[i].already);
    assert_int_equal(result->tail_calls, cases[i].tail_calls);
    assert_int_equal(result->unreachable, cases[i].unreachable);
    assert_int_equal(result->jumps, cases[i].jumps);
    assert_int_equal(result->old_size, body_of(cases[i].before).size);
}

static void rewrite_cases(struct ilp_image *image, bool from_memory)
{
    struct ii_inspector inspector = ii_inspector(II_TAKES_OBJECT);
    struct ii_emitter emitter;
    ii_emitter_begin(&emitter);
    struct ilp_rewriter *rewriter = open_rewriter(image, &inspector, &emitter.interface);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ii_hex before = body_of(cases[i].before);
        struct ilp_bytes body = exact(before.data, before.size); /* no byte after it is read */
        struct ilp_method_result result;
        assert_int_equal(ilp_rewrite_method(rewriter, ILP_TOKEN(ILP_MethodDef, i + 1), NULL,
                                            from_memory ? body : (struct ilp_bytes){NULL, 0},
                                            &result, NULL),
                         ILP_OK);
        check_case(i, &result);
        drop(body);
    }
    assert_int_equal(emitter.calls, 3); /* the inspector's assembly, type and method, once */
    ilp_rewriter_close(rewriter);
    ii_emitter_end(&emitter);
    ii_inspector_close(&inspector);
}

static void test_file(void **state)
{
    (void)state;
    struct ib_image b;
    build_cases(&b);
    struct ilp_image *image = built_pe(&b, (struct ib_pe){.plus = false});
    rewrite_cases(image, false);
    close_built(image);
}

static void test_mapped(void **state)
{
    (void)state;
    struct ib_image b;
    build_cases(&b);
    struct ib_file file = ib_pe_file(&b, (struct ib_pe){.plus = true});
    struct ilp_image *image = open_image(taken(ib_map(file.data, file.size)), ILP_LAYOUT_MAPPED);
    free(file.data);
    ib_end(&b);
    rewrite_cases(image, false);
    close_built(image);
}

static void test_memory_bodies(void **state)
{
    (void)state;
    struct ib_image b;
    build_cases(&b);
    struct ilp_image *image = built_root(&b); /* has no bodies at all */
    rewrite_cases(image, true);
    close_built(image);
}

/* Without an emitter the answers are the same, and no body is made. */
static void test_no_emitter(void **state)
{
    (void)state;
    struct ib_image b;
    build_cases(&b);
    struct ilp_image *image = built_pe(&b, (struct ib_pe){.plus = false});
    struct ii_inspector inspector = ii_inspector(II_TAKES_OBJECT);
    struct ilp_rewriter *rewriter = open_rewriter(image, &inspector, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilp_method_result result;
        assert_int_equal(ilp_rewrite_method(rewriter, ILP_TOKEN(ILP_MethodDef, i + 1), NULL,
                                            (struct ilp_bytes){NULL, 0}, &result, NULL),
                         ILP_OK);
        assert_int_equal(result.reason, cases[i].answer);
        assert_int_equal(result.inspected, cases[i].inspected);
        assert_int_equal(result.body.size, 0);
    }
    ilp_rewriter_close(rewriter);
    ii_inspector_close(&inspector);
    close_built(image);
}

/* ---- sizes ---- */

/* `nops` nops, ldnull and ret in a tiny body: what header do they end up with? */
static void grows(unsigned nops, const char *header)
{
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "N", "C", II_OBJECT);
    ilp_token method = ii_method(&b, "M", "00 00 1C");
    struct ilp_image *image = built_root(&b);
    struct ii_inspector inspector = ii_inspector(II_TAKES_NAME);
    struct ii_emitter emitter;
    ii_emitter_begin(&emitter);
    struct ilp_rewriter *rewriter = open_rewriter(image, &inspector, &emitter.interface);
    uint8_t body[64] = {(uint8_t)((nops + 2) << 2 | 2)};
    body[nops + 1] = 0x14;
    body[nops + 2] = 0x2A;
    struct ilp_method_result result;
    assert_int_equal(ilp_rewrite_method(rewriter, method, NULL, (struct ilp_bytes){body, nops + 3},
                                        &result, NULL),
                     ILP_OK);
    struct ii_hex expected = ii_hex(header);
    assert_int_equal(result.reason, ILP_REASON_INSPECTED);
    assert_memory_equal(result.body.data, expected.data, expected.size);
    assert_int_equal(result.body.size, expected.size + nops + 2 + 11); /* dup, ldstr, call */
    assert_int_equal(result.old_size, nops + 3);
    ilp_rewriter_close(rewriter);
    ii_emitter_end(&emitter);
    ii_inspector_close(&inspector);
    close_built(image);
}

static void test_tiny_or_fat(void **state)
{
    (void)state;
    grows(0, "36");
    grows(50, "FE"); /* 63 bytes */
    grows(51, "03 30 03 00 40 00 00 00 00 00 00 00");
    grows(61, "03 30 03 00 4A 00 00 00 00 00 00 00");
}

/* ---- what is no IL, or nothing to inspect ---- */

static const struct {
    const char *signature;
    uint32_t impl_flags;
    bool body;
    enum ilp_reason answer;
} others[] = {
    {"00 00 1C", 0, false, ILP_REASON_NO_BODY},
    {"00 00 01", 0, false, ILP_REASON_NO_BODY},
    {"00 00 1C", 0x1000, false, ILP_REASON_NO_BODY}, /* internalcall */
    {"00 00 1C", 3, true, ILP_REASON_NO_BODY},       /* runtime */
    {"00 00 1C", 1, true, ILP_REASON_NATIVE},
    {"00 00 1C", 5, true, ILP_REASON_NATIVE}, /* native unmanaged */
    {"00 00 1C", 2, true, ILP_REASON_NATIVE}, /* OPTIL */
    {"00 00 01", 0, true, ILP_REASON_VOID},
    {"00 00 10 08", 0, true, ILP_REASON_BYREF},
    {"00 00 0F 01", 0, true, ILP_REASON_POINTER},
    {"00 00 16", 0, true, ILP_REASON_BYREF_LIKE},
    {"00 00 11 11", 0, true, ILP_REASON_UNRESOLVED},
    {"00 00 13 00", 0, true, ILP_REASON_BAD_SIGNATURE},
    {"", 0, true, ILP_REASON_BAD_SIGNATURE},
    {"00 00 08", 0x2000, true, ILP_REASON_BAD_SIGNATURE},
};

/* A method that is not inspected requests nothing from the emitter. */
static void test_no_questions(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type_ref(&b, ii_assembly_ref(&b, "Gone"), "G", "Struct");
    ii_type(&b, "N", "C", II_OBJECT);
    for (size_t i = 0; i < COUNT(others); i++) {
        ilp_token method = ii_method(&b, "M", others[i].signature);
        ib_set(&b, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_ImplFlags,
               others[i].impl_flags);
        if (others[i].body) {
            ii_body(&b, method, "0A 14 2A");
        }
    }
    ilp_token nowhere = ii_method(&b, "Nowhere", "00 00 1C");
    ib_set(&b, ILP_MethodDef, ILP_TOKEN_RID(nowhere), ILP_MethodDef_RVA, 0x7FFFFFFF);
    struct ilp_image *image = built_pe(&b, (struct ib_pe){.plus = false});
    struct ii_inspector inspector = ii_inspector(II_TAKES_NAME);
    struct ii_emitter emitter;
    ii_emitter_begin(&emitter);
    struct ilp_rewriter *rewriter = open_rewriter(image, &inspector, &emitter.interface);
    struct ilp_method_result result;
    struct ilp_bytes none = {NULL, 0};
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_int_equal(ilp_rewrite_method(rewriter, ILP_TOKEN(ILP_MethodDef, i + 1), NULL, none,
                                            &result, NULL),
                         ILP_OK);
        if (result.reason != others[i].answer) {
            fail_msg("%zu: %s", i, ilp_reason_code(result.reason));
        }
        assert_int_equal(result.body.size, 0);
        if (others[i].answer == ILP_REASON_UNRESOLVED) {
            assert_string_equal(result.detail, "[Gone]G.Struct");
        }
    }
    assert_int_equal(ilp_rewrite_method(rewriter, nowhere, NULL, none, &result, NULL), ILP_OK);
    assert_int_equal(result.reason, ILP_REASON_BAD_BODY);
    assert_int_equal(emitter.calls, 0);
    static const ilp_token wrong[] = {0, 0x06000000, 0x060000FF, 0x02000001, 0x0A000001};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(ilp_rewrite_method(rewriter, wrong[i], NULL, none, &result, NULL),
                         ILP_E_MISUSE);
    }
    ilp_rewriter_close(rewriter);
    ii_emitter_end(&emitter);
    ii_inspector_close(&inspector);
    close_built(image);
}

/* No System.Object anywhere: objects can be shown, numbers cannot be boxed. */
static void test_no_core_library(void **state)
{
    (void)state;
    static const uint8_t body[] = {0x0A, 0x14, 0x2A};
    struct ib_image b;
    ii_begin_bare(&b, "App");
    ii_type(&b, "N", "C", 0);
    ilp_token text = ii_method(&b, "Text", "00 00 0E");
    ilp_token number = ii_method(&b, "Number", "00 00 08");
    struct ilp_image *image = built_root(&b);
    struct ii_inspector inspector = ii_inspector(II_TAKES_OBJECT);
    struct ii_emitter emitter;
    struct ilp_method_result result;
    ii_emitter_begin(&emitter);
    struct ilp_rewriter *rewriter = open_rewriter(image, &inspector, &emitter.interface);
    assert_int_equal(
        ilp_rewrite_method(rewriter, number, NULL, (struct ilp_bytes){body, 3}, &result, NULL),
        ILP_OK);
    assert_int_equal(result.reason, ILP_REASON_NO_CORE_LIBRARY);
    assert_int_equal(emitter.calls, 0);
    assert_int_equal(
        ilp_rewrite_method(rewriter, text, NULL, (struct ilp_bytes){body, 3}, &result, NULL),
        ILP_OK);
    assert_int_equal(result.reason, ILP_REASON_INSPECTED);
    ilp_rewriter_close(rewriter);
    ii_emitter_end(&emitter);
    ii_inspector_close(&inspector);
    close_built(image);
}

/* ---- where instructions went ---- */

static void test_map(void **state)
{
    (void)state;
    /* ldnull; brtrue.s L; ldnull; ret; L: ldnull; ret */
    static const uint8_t body[] = {0x1E, 0x14, 0x2D, 0x02, 0x14, 0x2A, 0x14, 0x2A};
    static const uint8_t at_the_end[] = {0x12, 0x14, 0x25, 0x26, 0x2A}; /* ldnull; dup; pop; ret */
    static const struct ilp_il_map expected[] = {{0, 0},  {1, 1},  {3, 3}, {4, 4},
                                                 {5, 11}, {6, 12}, {7, 19}};
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "N", "C", II_OBJECT);
    ilp_token method = ii_method(&b, "M", "00 00 0E");
    ilp_token nothing = ii_method(&b, "N", "00 00 01");
    struct ilp_image *image = built_root(&b);
    struct ii_inspector inspector = ii_inspector(II_TAKES_OBJECT);
    struct ii_emitter emitter;
    struct ilp_method_result result;
    const struct ilp_il_map *map;
    size_t count;
    ii_emitter_begin(&emitter);
    struct ilp_rewriter *rewriter = open_rewriter(image, &inspector, &emitter.interface);
    struct ilp_bytes bytes = {body, sizeof body};
    assert_int_equal(ilp_rewriter_map(rewriter, &map, &count, NULL), ILP_E_MISUSE);
    assert_int_equal(ilp_rewrite_method(rewriter, method, NULL, bytes, &result, NULL), ILP_OK);
    assert_int_equal(ilp_rewriter_map(rewriter, &map, &count, NULL), ILP_OK);
    assert_int_equal(count, COUNT(expected));
    assert_memory_equal(map, expected, sizeof expected);
    assert_true(result.moved);
    assert_int_equal(ilp_rewrite_method(rewriter, method, NULL,
                                        (struct ilp_bytes){at_the_end, sizeof at_the_end}, &result,
                                        NULL),
                     ILP_OK);
    assert_int_equal(result.inspected, 1);
    assert_false(result.moved);
    /* br.s 3; endfinally; ldnull; ret: a block that has the ret in it grows with it */
    static const uint8_t in_block[] = {0x0B, 0x30, 8,    0,    5,    0, 0, 0, 0, 0,  0, 0,
                                       0x2B, 1,    0xDC, 0x14, 0x2A, 0, 0, 0, 1, 16, 0, 0,
                                       2,    0,    3,    0,    2,    2, 0, 1, 0, 0,  0, 0};
    struct ilp_arena *arena;
    struct ilp_body read;
    assert_int_equal(ilp_rewrite_method(rewriter, method, NULL,
                                        (struct ilp_bytes){in_block, sizeof in_block}, &result,
                                        NULL),
                     ILP_OK);
    assert_int_equal(result.inspected, 1);
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_body_read(&read, result.body, 0, arena, NULL), ILP_OK);
    assert_int_equal(read.clause_count, 1);
    assert_int_equal(read.clauses[0].try_offset, 3);
    assert_int_equal(read.clauses[0].try_offset + read.clauses[0].try_length, read.code.size);
    assert_true(read.code.size > 5);
    ilp_arena_close(arena);
    assert_int_equal(ilp_rewrite_method(rewriter, nothing, NULL, bytes, &result, NULL), ILP_OK);
    assert_int_equal(ilp_rewriter_map(rewriter, &map, &count, NULL), ILP_E_MISUSE);
    ilp_rewriter_close(rewriter);
    ii_emitter_end(&emitter);
    ii_inspector_close(&inspector);
    close_built(image);
}

/* ---- a method that is too large ---- */

/* Small instructions, many of them: rewritten, they take more memory than one method may. What
 * comes after it has all of that memory again. */
static void test_too_large(void **state)
{
    (void)state;
    enum { NOPS = 2 << 20 };
    static uint8_t body[12 + NOPS + 2] = {0x13, 0x30, 8, 0};
    uint32_t size = NOPS + 2;
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "N", "C", II_OBJECT);
    ii_body(&b, ii_method(&b, "Number", "00 00 08"), "0A 16 2A");
    struct ilp_image *image = built_pe(&b, (struct ib_pe){.plus = false});
    struct ii_inspector inspector = ii_inspector(II_TAKES_NAME);
    struct ii_emitter emitter;
    struct ilp_method_result result;
    ii_emitter_begin(&emitter);
    struct ilp_rewriter *rewriter = open_rewriter(image, &inspector, &emitter.interface);
    memcpy(body + 4, &size, sizeof size);
    memcpy(body + 12 + NOPS, (uint8_t[]){0x16, 0x2A}, 2);
    for (unsigned i = 0; i < 3; i++) {
        bool large = i == 1;
        struct ilp_bytes bytes = {large ? body : NULL, large ? sizeof body : 0};
        assert_int_equal(
            ilp_rewrite_method(rewriter, ILP_TOKEN(ILP_MethodDef, 1), NULL, bytes, &result, NULL),
            ILP_OK);
        assert_int_equal(result.reason, large ? ILP_REASON_LIMIT : ILP_REASON_INSPECTED);
        assert_string_equal(result.detail,
                            large ? "more than 10 MB of memory would be needed" : "");
        assert_int_equal(result.body.size != 0, !large);
    }
    ilp_rewriter_close(rewriter);
    ii_emitter_end(&emitter);
    ii_inspector_close(&inspector);
    close_built(image);
}

/* ---- emitters that fail ---- */

/* Two methods, int32 and string: the first makes five requests, the second one. */
static struct ilp_image *two_methods(void)
{
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "N", "C", II_OBJECT);
    ii_body(&b, ii_method(&b, "Number", "00 00 08"), "0A 16 2A");
    ii_body(&b, ii_method(&b, "Text", "00 00 0E"), "0A 14 2A");
    return built_pe(&b, (struct ib_pe){.plus = false});
}

static void test_limits(void **state)
{
    (void)state;
    static const ilp_status limits[] = {ILP_E_TOO_LARGE, ILP_E_TOO_MANY};
    struct ilp_image *image = two_methods();
    struct ii_inspector inspector = ii_inspector(II_TAKES_NAME);
    struct ilp_bytes none = {NULL, 0};
    for (unsigned i = 0; i < 2 * 5; i++) {
        struct ii_emitter emitter;
        struct ilp_method_result result;
        ii_emitter_begin(&emitter);
        emitter.fail_at = i / 2 + 1;
        emitter.failure = limits[i % 2];
        struct ilp_rewriter *rewriter = open_rewriter(image, &inspector, &emitter.interface);
        assert_int_equal(
            ilp_rewrite_method(rewriter, ILP_TOKEN(ILP_MethodDef, 1), NULL, none, &result, NULL),
            ILP_OK);
        assert_int_equal(result.reason, ILP_REASON_LIMIT);
        assert_string_equal(result.detail, "the emitter says no");
        assert_int_equal(result.body.size, 0);
        assert_int_equal(result.inspected, 0);
        /* the next method is not touched by it */
        assert_int_equal(
            ilp_rewrite_method(rewriter, ILP_TOKEN(ILP_MethodDef, 2), NULL, none, &result, NULL),
            ILP_OK);
        assert_int_equal(result.reason, ILP_REASON_INSPECTED);
        assert_int_equal(
            ilp_rewrite_method(rewriter, ILP_TOKEN(ILP_MethodDef, 1), NULL, none, &result, NULL),
            ILP_OK);
        assert_int_equal(result.reason, ILP_REASON_INSPECTED);
        ilp_rewriter_close(rewriter);
        ii_emitter_end(&emitter);
    }
    ii_inspector_close(&inspector);
    close_built(image);
}

static void test_failures(void **state)
{
    (void)state;
    static const ilp_status failures[] = {ILP_E_CALLBACK, ILP_E_NO_MEMORY, ILP_E_MISUSE};
    struct ilp_image *image = two_methods();
    struct ii_inspector inspector = ii_inspector(II_TAKES_NAME);
    for (unsigned i = 0; i < COUNT(failures) * 5; i++) {
        struct ii_emitter emitter;
        struct ilp_method_result result;
        struct ilp_error error = {.status = ILP_OK};
        ii_emitter_begin(&emitter);
        emitter.fail_at = i / COUNT(failures) + 1;
        emitter.failure = failures[i % COUNT(failures)];
        struct ilp_rewriter *rewriter = open_rewriter(image, &inspector, &emitter.interface);
        ilp_status status = ilp_rewrite_method(rewriter, ILP_TOKEN(ILP_MethodDef, 1), NULL,
                                               (struct ilp_bytes){NULL, 0}, &result, &error);
        assert_int_equal(status, emitter.failure);
        assert_int_equal(error.status, emitter.failure);
        assert_string_equal(error.message, "the emitter says no");
        ilp_rewriter_close(rewriter);
        ii_emitter_end(&emitter);
    }
    ii_inspector_close(&inspector);
    close_built(image);
}

/* ---- images that are refused as a whole ---- */

static ilp_status opening(struct ilp_image *image, const struct ilp_inspector *inspector)
{
    struct ilp_rewriter *rewriter;
    struct ilp_error error = {.status = ILP_OK};
    ilp_status status = ilp_rewriter_open(&rewriter, image, ONE_REQUEST(inspector, NULL, NULL),
                                          NULL, &error);
    assert_int_equal(error.status, status);
    assert_int_equal(rewriter == NULL, status != ILP_OK);
    ilp_rewriter_close(rewriter);
    return status;
}

static void test_refused_images(void **state)
{
    (void)state;
    struct ii_inspector inspector = ii_inspector(II_TAKES_OBJECT);
    struct ib_image b;
    assert_int_equal(opening(inspector.image, inspector.inspector), ILP_E_SELF_INSPECTION);

    ii_begin(&b, "mscorlib"); /* a facade that the inspector refers to */
    ii_type(&b, "N", "C", II_OBJECT);
    ii_method(&b, "M", "00 00 1C");
    struct ilp_image *used = built_root(&b);
    assert_int_equal(opening(used, inspector.inspector), ILP_E_SELF_INSPECTION);
    close_built(used);

    ii_begin(&b, "mscorlib"); /* the same, with nothing in it that could call */
    struct ilp_image *facade = built_root(&b);
    assert_int_equal(opening(facade, inspector.inspector), ILP_OK);
    close_built(facade);

    ii_begin(&b, "Inspector"); /* a module of that name, but no assembly */
    b.tables[ILP_Assembly].count = 0;
    struct ilp_image *module = built_root(&b);
    assert_int_equal(opening(module, inspector.inspector), ILP_OK);
    close_built(module);
    ii_inspector_close(&inspector);
}

/* ---- memory ---- */

static ilp_status rewrite_with(struct ilp_image *image, const struct ii_inspector *inspector,
                               const struct ilp_allocator *allocator)
{
    struct ilp_rewriter *rewriter;
    struct ii_emitter emitter;
    ii_emitter_begin(&emitter);
    ilp_status status = ilp_rewriter_open(&rewriter, image,
                                          ONE_REQUEST(inspector->inspector, NULL, allocator),
                                          &emitter.interface, NULL);
    for (size_t i = 0; i < COUNT(cases) && status == ILP_OK; i++) {
        struct ilp_method_result result;
        status = ilp_rewrite_method(rewriter, ILP_TOKEN(ILP_MethodDef, i + 1), NULL,
                                    (struct ilp_bytes){NULL, 0}, &result, NULL);
        assert_true(status != ILP_OK || result.reason == cases[i].answer);
    }
    ilp_rewriter_close(rewriter);
    ii_emitter_end(&emitter);
    return status;
}

/* Every allocation fails once: no other answer, nothing left over. */
static void test_memory(void **state)
{
    (void)state;
    struct ib_image b;
    build_cases(&b);
    struct ilp_image *image = built_pe(&b, (struct ib_pe){.plus = false});
    struct ii_inspector inspector = ii_inspector(II_TAKES_NAME);
    size_t fail_at = 1;
    for (;; fail_at++) {
        struct memory memory = {.fail_at = fail_at};
        struct ilp_allocator allocator = memory_allocator(&memory);
        ilp_status status = rewrite_with(image, &inspector, &allocator);
        memory_is_empty(&memory);
        if (status == ILP_OK) {
            break;
        }
        assert_int_equal(status, ILP_E_NO_MEMORY);
    }
    assert_true(fail_at > 5);
    ii_inspector_close(&inspector);
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_mapped),
        cmocka_unit_test(test_memory_bodies),
        cmocka_unit_test(test_no_emitter),
        cmocka_unit_test(test_tiny_or_fat),
        cmocka_unit_test(test_no_questions),
        cmocka_unit_test(test_no_core_library),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_refused_images),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
