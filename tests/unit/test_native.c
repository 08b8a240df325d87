/* src/inspect/native/native.c: the instructions, signatures and tokens of each kind of call; which
 * values are passed; that what was done before is recognised. And the P/Invoke rows of
 * src/inspect/file_emitter.c. */
#include "tests/unit/inspect_image.h"
#include "inspect/reasons.h"

/* TypeRefs after those of ii_begin(). TypeDefs: 2 N.S, a struct of ints (11 08); 3 N.E, an enum
 * (11 0C); 4 N.Holds, a struct with a string (11 10); 5 N.G`1, a struct with a T (15 11 14 01 ..);
 * 6 N.R, byref-like (11 18); 7 N.C. */
enum { REF_SPAN = 4 /* 15 11 11 01 .. */, REF_GONE = 5 /* 11 15 */, REF_BYREF_LIKE = 6 };

struct bench {
    struct ib_image built;
    struct ilp_image *app;
    struct ilp_inspector *inspector;
    struct ii_emitter emitter;
    struct ilp_rewriter *rewriter;
    ilp_token method;
};

static void add_field(struct ib_image *b, const char *signature)
{
    IB_ROW(b, Field, 6, ib_string(b, "f"), ii_blob(b, signature));
}

static void add_types(struct ib_image *b)
{
    ii_type_ref(b, II_MSCORLIB, "System", "Span`1");
    ii_type_ref(b, ii_assembly_ref(b, "Gone"), "G", "What");
    ii_type_ref(b, II_MSCORLIB, "System.Runtime.CompilerServices", "IsByRefLikeAttribute");
    ii_type(b, "N", "S", II_VALUE_TYPE);
    add_field(b, "06 08");
    ii_type(b, "N", "E", II_ENUM);
    add_field(b, "06 05");
    ii_type(b, "N", "Holds", II_VALUE_TYPE);
    add_field(b, "06 08");
    add_field(b, "06 0E");
    ilp_token generic = ii_type(b, "N", "G`1", II_VALUE_TYPE);
    add_field(b, "06 13 00");
    ilp_token byref_like = ii_type(b, "N", "R", II_VALUE_TYPE);
    add_field(b, "06 10 08");
    ii_attribute(b, byref_like, ILP_TOKEN(ILP_TypeRef, REF_BYREF_LIKE));
    ilp_token class = ii_type(b, "N", "C", II_OBJECT);
    IB_ROW(b, GenericParam, 0, 0, generic, ib_string(b, "T"));
    IB_ROW(b, GenericParam, 0, 0, class, ib_string(b, "T"));
    IB_ROW(b, GenericParam, 1, 0x20, class, ib_string(b, "U"));
}

static const struct ilp_native functions[] = {
    [ILP_NATIVE_PINVOKE] = {.call = ILP_NATIVE_PINVOKE, .library = "lib.so", .symbol = "probe"},
    [ILP_NATIVE_PINVOKE_NO_TRANSITION] = {.call = ILP_NATIVE_PINVOKE_NO_TRANSITION,
                                          .library = "lib.so",
                                          .symbol = "probe"},
    [ILP_NATIVE_CALLI] = {.call = ILP_NATIVE_CALLI, .address = 0x8877665544332211},
    [ILP_NATIVE_CALLI_NO_TRANSITION] = {.call = ILP_NATIVE_CALLI_NO_TRANSITION,
                                        .address = 0x8877665544332211},
    [ILP_NATIVE_CALLI_MANAGED] = {.call = ILP_NATIVE_CALLI_MANAGED, .address = 0x8877665544332211},
};

/* A core library that has SuppressGCTransitionAttribute. */
static struct ii_assemblies serve_core(void)
{
    struct ii_assemblies assemblies = {.count = 0};
    struct ib_image b;
    ii_begin_bare(&b, "mscorlib");
    ii_type(&b, "System", "Object", 0);
    ii_type(&b, "System.Runtime.InteropServices", "SuppressGCTransitionAttribute",
            ILP_TOKEN(ILP_TypeDef, 2));
    ii_serve(&assemblies, &b);
    return assemblies;
}

static ilp_status open_rewriter(struct bench *bench, const struct ilp_resolver *resolver,
                                uint32_t number, struct ilp_error *error)
{
    const struct ilp_inspector *inspectors[] = {bench->inspector};
    struct ilp_request request = {.inspectors = inspectors,
                                  .inspector_count = 1,
                                  .module_number = number,
                                  .resolver = resolver};
    return ilp_rewriter_open(&bench->rewriter, bench->app, &request, &bench->emitter.interface,
                             error);
}

static void begin(struct bench *bench, enum ilp_native_call call, const char *returns)
{
    char signature[64];
    *bench = (struct bench){.app = NULL};
    ii_emitter_begin(&bench->emitter);
    ii_begin(&bench->built, "App");
    add_types(&bench->built);
    snprintf(signature, sizeof signature, "00 00 %s", returns);
    bench->method = ii_method(&bench->built, "M", signature);
    assert_int_equal(ilp_inspector_open_native(&bench->inspector, &functions[call], NULL, NULL),
                     ILP_OK);
}

static void open_bench(struct bench *bench)
{
    struct ii_assemblies core = serve_core();
    struct ilp_resolver resolver = ii_resolver(&core);
    bench->app = built_root(&bench->built);
    assert_int_equal(open_rewriter(bench, &resolver, 1, NULL), ILP_OK);
    bench->rewriter->module.resolver = NULL; /* types of other assemblies are not found */
    bench->rewriter->module.policy.value_types.resolver = NULL;
    ii_close(&core);
}

static void end(struct bench *bench)
{
    ilp_rewriter_close(bench->rewriter);
    ii_emitter_end(&bench->emitter);
    close_built(bench->app);
    ilp_inspector_close(bench->inspector);
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

/* A fat body of `ldnull`, what is inserted, and `ret`. */
static void inserts(const struct ilp_method_result *result, unsigned max_stack,
                    const char *inserted)
{
    struct ii_hex expected = ii_hex(inserted);
    const uint8_t *body = result->body.data;
    assert_int_equal(result->reason, ILP_REASON_INSPECTED);
    assert_int_equal(result->body.size, 12 + expected.size + 2);
    assert_int_equal(body[0], 0x13); /* fat, init locals */
    assert_int_equal(body[2], max_stack);
    assert_int_equal(body[4], expected.size + 2);
    assert_int_equal(body[12], 0x14);
    assert_memory_equal(body + 13, expected.data, expected.size);
    assert_int_equal(body[13 + expected.size], 0x2A);
}

/* The same in a tiny body: there is no local. */
static void inserts_in_tiny(const struct ilp_method_result *result, const char *inserted)
{
    struct ii_hex expected = ii_hex(inserted);
    const uint8_t *body = result->body.data;
    assert_int_equal(result->reason, ILP_REASON_INSPECTED);
    assert_int_equal(result->body.size, 1 + expected.size + 2);
    assert_int_equal(body[0], (expected.size + 2) << 2 | 2);
    assert_memory_equal(body + 2, expected.data, expected.size);
}

static const struct ilp_rule_action everything = {.byref = ILP_BYREF_INSPECT,
                                                  .pointers = ILP_POINTERS_INSPECT,
                                                  .references = ILP_REFERENCES_INSPECT};

/* ---- instructions ---- */

#define COPY "13 00 12 00 E0 " /* stloc 0; ldloca 0; conv.u */
#define ID   "21 01 00 00 06 01 00 00 00 "
#define OBJECT_PINVOKE(token)                                           \
    "pinvoke <ilpatch>.PInvoke.lib.so!probe lib.so probe object " token \
    " attribute 00000000 00 03 01 18 09 0A\n"
#define PINVOKE OBJECT_PINVOKE("01000101")

/* By P/Invoke: the type's size by sizeof, but for primitives; the local has the value's type. */
static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *returns;
        const char *inserted;
        const char *requests;
    } rounds[] = {
        {"02", "25 " COPY "1F 01 " ID "28 02 01 00 06",
         "type_ref 23000001 System.Object\n" PINVOKE "standalone_sig 07 01 02\n"},
        {"03", "25 " COPY "1F 02 " ID "28 02 01 00 06",
         "type_ref 23000001 System.Object\n" PINVOKE "standalone_sig 07 01 03\n"},
        {"0A", "25 " COPY "1F 08 " ID "28 02 01 00 06",
         "type_ref 23000001 System.Object\n" PINVOKE "standalone_sig 07 01 0A\n"},
        {"0C", "25 " COPY "1F 04 " ID "28 02 01 00 06",
         "type_ref 23000001 System.Object\n" PINVOKE "standalone_sig 07 01 0C\n"},
        {"18", "25 " COPY "FE 1C 01 01 00 01 " ID "28 03 01 00 06",
         "type_ref 23000001 System.IntPtr\ntype_ref 23000001 System.Object\n" OBJECT_PINVOKE(
             "01000102") "standalone_sig 07 01 18\n"},
        {"11 08", "25 " COPY "FE 1C 02 00 00 02 " ID "28 02 01 00 06",
         "type_ref 23000001 System.Object\n" PINVOKE "standalone_sig 07 01 11 08\n"},
        {"20 11 11 0C", "25 " COPY "FE 1C 03 00 00 02 " ID "28 02 01 00 06",
         "type_ref 23000001 System.Object\n" PINVOKE "standalone_sig 07 01 11 0C\n"},
        {"15 11 14 01 08", "25 " COPY "FE 1C 01 01 00 1B " ID "28 03 01 00 06",
         "type_spec 15 11 14 01 08\ntype_ref 23000001 System.Object\n" OBJECT_PINVOKE(
             "01000102") "standalone_sig 07 01 15 11 14 01 08\n"},
        {"13 01", "25 " COPY "FE 1C 01 01 00 1B " ID "28 03 01 00 06",
         "type_spec 13 01\ntype_ref 23000001 System.Object\n" OBJECT_PINVOKE(
             "01000102") "standalone_sig 07 01 13 01\n"},
        {"11 18", "25 " COPY "FE 1C 06 00 00 02 " ID "28 02 01 00 06",
         "type_ref 23000001 System.Object\n" PINVOKE "standalone_sig 07 01 11 18\n"},
        {"0E", "25 " COPY "FE 1C 01 01 00 01 " ID "28 03 01 00 06",
         "type_ref 23000001 System.UIntPtr\ntype_ref 23000001 System.Object\n" OBJECT_PINVOKE(
             "01000102") "standalone_sig 07 01 0E\n"},
        {"0F 08", "25 E0 " COPY "FE 1C 01 01 00 01 " ID "28 03 01 00 06",
         "type_ref 23000001 System.UIntPtr\ntype_ref 23000001 System.Object\n" OBJECT_PINVOKE(
             "01000102") "standalone_sig 07 01 19\n"},
        /* of references what they lead to */
        {"10 08", "25 25 2D 05 26 16 E0 2B 0A 71 01 01 00 01 " COPY "1F 04 " ID "28 03 01 00 06",
         "type_ref 23000001 System.Int32\ntype_ref 23000001 System.Object\n" OBJECT_PINVOKE(
             "01000102") "standalone_sig 07 01 08\n"},
        {"10 11 08",
         "25 25 2D 05 26 16 E0 2B 0A 71 02 00 00 02 " COPY "FE 1C 02 00 00 02 " ID "28 02 01 00 06",
         "type_ref 23000001 System.Object\n" PINVOKE "standalone_sig 07 01 11 08\n"},
        {"10 1C", "25 25 2D 05 26 16 E0 2B 06 50 " COPY "FE 1C 01 01 00 01 " ID "28 03 01 00 06",
         "type_ref 23000001 System.UIntPtr\ntype_ref 23000001 System.Object\n" OBJECT_PINVOKE(
             "01000102") "standalone_sig 07 01 1C\n"},
        {"10 0F 01",
         "25 25 2D 05 26 16 E0 2B 07 4D E0 " COPY "FE 1C 01 01 00 01 " ID "28 03 01 00 06",
         "type_ref 23000001 System.UIntPtr\ntype_ref 23000001 System.Object\n" OBJECT_PINVOKE(
             "01000102") "standalone_sig 07 01 19\n"},
    };
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        begin(&bench, ILP_NATIVE_PINVOKE, rounds[i].returns);
        open_bench(&bench);
        struct ilp_method_result result = rewrite(&bench, &everything, "0A 14 2A");
        inserts(&result, 4, rounds[i].inserted);
        assert_true(result.native);
        assert_false(result.boxed);
        assert_int_equal(result.passes, ILP_PASS_ID);
        assert_true(result.id == 0x106000001);
        ii_requested(&bench.emitter, rounds[i].requests);
        end(&bench);
    }
}

/* The kinds of calls, with their signatures (II.23.2.3, II.22.36). */
static void test_calls(void **state)
{
    (void)state;
#define AT "21 11 22 33 44 55 66 77 88 D3 29 "
    static const struct {
        enum ilp_native_call call;
        unsigned max_stack;
        const char *inserted;
        const char *requests;
    } rounds[] = {
        {ILP_NATIVE_PINVOKE_NO_TRANSITION, 4, "25 " COPY "1F 04 " ID "28 04 01 00 06",
         "type_ref 23000001 System.Runtime.InteropServices.SuppressGCTransitionAttribute\n"
         "member_ref 01000101 .ctor 20 00 01\ntype_ref 23000001 System.Object\n"
         "pinvoke <ilpatch>.SuppressGCTransition.lib.so!probe lib.so probe object 01000103 "
         "attribute 0A000102 "
         "00 03 01 18 09 0A\nstandalone_sig 07 01 08\n"},
        {ILP_NATIVE_CALLI, 5, "25 " COPY "1F 04 " ID AT "01 01 00 11",
         "standalone_sig 01 03 01 18 09 0A\nstandalone_sig 07 01 08\n"},
        {ILP_NATIVE_CALLI_MANAGED, 5, "25 " COPY "1F 04 " ID AT "01 01 00 11",
         "standalone_sig 00 03 01 18 09 0A\nstandalone_sig 07 01 08\n"},
        {ILP_NATIVE_CALLI_NO_TRANSITION, 5, "25 " COPY "1F 04 " ID AT "03 01 00 11",
         "type_ref 23000001 System.Runtime.CompilerServices.CallConvSuppressGCTransition\n"
         "type_ref 23000001 System.Runtime.CompilerServices.CallConvCdecl\n"
         "standalone_sig 09 03 20 84 05 20 84 09 01 18 09 0A\nstandalone_sig 07 01 08\n"},
    };
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        begin(&bench, rounds[i].call, "08");
        open_bench(&bench);
        struct ilp_method_result result = rewrite(&bench, NULL, "0A 14 2A");
        inserts(&result, rounds[i].max_stack, rounds[i].inserted);
        ii_requested(&bench.emitter, rounds[i].requests);
        /* a second method requests its locals alone */
        result = rewrite(&bench, NULL, "0A 14 2A");
        ii_requested(&bench.emitter, "standalone_sig 07 01 08\n");
        end(&bench);
    }
}

/* The new local follows 255 or 256 others: the short forms end there. */
static void test_locals(void **state)
{
    (void)state;
    static const struct {
        unsigned count;
        const char *copy;
        bool full;
    } rounds[] = {{255, "13 FF 12 FF E0 ", false},
                  {256, "FE 0E 00 01 FE 0D 00 01 E0 ", false},
                  {0xFFFD, "FE 0E FD FF FE 0D FD FF E0 ", false},
                  {0xFFFE, NULL, true}};
    for (size_t i = 0; i < COUNT(rounds); i++) {
        static uint8_t locals[0x10010];
        struct bench bench;
        struct ilpi_buf head = {.alloc = NULL};
        struct ilpi_alloc alloc;
        ilpi_alloc_init(&alloc, NULL);
        head.alloc = &alloc;
        begin(&bench, ILP_NATIVE_PINVOKE, "08");
        ilpi_buf_u8(&head, 7);
        ilpi_buf_packed(&head, rounds[i].count);
        memcpy(locals, head.data, head.size);
        memset(locals + head.size, ILP_ELEMENT_I4, rounds[i].count);
        IB_ROW(&bench.built, StandAloneSig,
               ib_blob(&bench.built, locals, head.size + rounds[i].count));
        ilpi_buf_free(&head);
        open_bench(&bench);
        struct ilp_method_result result = rewrite(&bench, NULL,
                                                  "13 30 01 00 02 00 00 00 01 00 00 11 14 2A");
        if (rounds[i].full) {
            assert_int_equal(result.reason, ILP_REASON_LIMIT);
            assert_int_equal(bench.emitter.calls, 0);
        } else {
            char inserted[128];
            snprintf(inserted, sizeof inserted, "25 %s1F 04 " ID "28 02 01 00 06", rounds[i].copy);
            inserts(&result, 4, inserted);
        }
        end(&bench);
    }
}

/* ---- which values ---- */

#define DONE ILP_REASON_INSPECTED
#define REF  ILP_REASON_MANAGED_REFERENCE
#define GONE ILP_REASON_UNRESOLVED

static void test_references(void **state)
{
    (void)state;
    static const struct {
        const char *returns;
        enum ilp_reason plain;
        enum ilp_reason always; /* without a GC transition, or on request */
    } rounds[] = {
        {"01", ILP_REASON_VOID, ILP_REASON_VOID},
        {"02", DONE, DONE},
        {"0D", DONE, DONE},
        {"18", DONE, DONE},
        {"11 08", DONE, DONE},                      /* a struct of ints */
        {"11 0C", DONE, DONE},                      /* an enum */
        {"15 11 14 01 08", DONE, DONE},             /* G<int> */
        {"15 11 14 01 11 08", DONE, DONE},          /* G<S> */
        {"15 11 14 01 15 11 14 01 0C", DONE, DONE}, /* G<G<float>> */
        {"11 10", REF, DONE},                       /* a struct with a string */
        {"15 11 14 01 0E", REF, DONE},              /* G<string> */
        {"15 11 14 01 11 10", REF, DONE},           /* G<Holds> */
        {"15 11 14 01 13 00", REF, DONE},           /* G<T>: not known */
        {"13 00", REF, DONE},                       /* T */
        {"13 01", REF, DONE},                       /* T : allows ref struct */
        {"0E", REF, DONE},
        {"1C", REF, DONE},
        {"1D 08", REF, DONE},
        {"12 1C", REF, DONE},
        {"11 18", REF, DONE},              /* byref-like */
        {"15 11 11 01 08", REF, DONE},     /* Span<int>, by its name */
        {"11 15", GONE, DONE},             /* a type that is not found */
        {"15 11 14 01 11 15", GONE, DONE}, /* G<What> */
        {"16", ILP_REASON_BYREF_LIKE, ILP_REASON_BYREF_LIKE},
        {"0F 08", ILP_REASON_POINTER, ILP_REASON_POINTER},
        {"10 08", ILP_REASON_BYREF, ILP_REASON_BYREF},
    };
    static const struct ilp_rule_action none = {.references = ILP_REFERENCES_SKIP};
    static const struct ilp_rule_action all = {.references = ILP_REFERENCES_INSPECT};
    for (size_t i = 0; i < COUNT(rounds); i++) {
        for (unsigned call = 0; call < COUNT(functions); call++) {
            struct bench bench;
            bool stays = call != ILP_NATIVE_PINVOKE && call != ILP_NATIVE_CALLI;
            begin(&bench, (enum ilp_native_call)call, rounds[i].returns);
            open_bench(&bench);
            for (unsigned again = 0; again < 2; again++) {
                /* the second answer is a remembered one */
                struct ilp_method_result result = rewrite(&bench, &none, "0A 14 2A");
                assert_int_equal(result.reason, stays ? rounds[i].always : rounds[i].plain);
                assert_int_equal(result.body.size != 0, result.reason == DONE);
            }
            assert_int_equal(rewrite(&bench, &all, "0A 14 2A").reason, rounds[i].always);
            end(&bench);
        }
    }
}

/* What a reference leads to is copied, and checked like any value. */
static void test_referents(void **state)
{
    (void)state;
    static const struct ilp_rule_action refs = {.byref = ILP_BYREF_INSPECT,
                                                .pointers = ILP_POINTERS_INSPECT};
    static const struct {
        const char *returns;
        enum ilp_reason reason;
    } rounds[] = {{"10 08", ILP_REASON_INSPECTED},
                  {"10 0E", ILP_REASON_MANAGED_REFERENCE},
                  {"10 11 10", ILP_REASON_MANAGED_REFERENCE},
                  {"10 13 00", ILP_REASON_MANAGED_REFERENCE},
                  {"10 0F 08", ILP_REASON_INSPECTED},
                  {"0F 1C", ILP_REASON_INSPECTED}};
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        begin(&bench, ILP_NATIVE_PINVOKE, rounds[i].returns);
        open_bench(&bench);
        assert_int_equal(rewrite(&bench, &refs, "0A 14 2A").reason, rounds[i].reason);
        end(&bench);
    }
}

/* ---- refusals ---- */

static void misuses(struct bench *bench, struct ilp_rule_action action)
{
    struct ilp_method_result result;
    assert_int_equal(ilp_rewrite_method(bench->rewriter, bench->method, &action,
                                        (struct ilp_bytes){(const uint8_t *)"\x0A\x14\x2A", 3},
                                        &result, NULL),
                     ILP_E_MISUSE);
}

static void test_misuse(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, ILP_NATIVE_PINVOKE, "08");
    open_bench(&bench);
    misuses(&bench, (struct ilp_rule_action){.guard = true});
    misuses(&bench, (struct ilp_rule_action){.pass = ILP_PASS_VALUE});
    misuses(&bench, (struct ilp_rule_action){.pass = ILP_PASS_HANDLE});
    assert_int_equal(
        rewrite(&bench, &(struct ilp_rule_action){.pass = ILP_PASS_ID}, "0A 14 2A").reason,
        ILP_REASON_INSPECTED);
    bench.emitter.interface.pinvoke = NULL;
    misuses(&bench, (struct ilp_rule_action){.pass = ILP_PASS_ID});
    bench.emitter.interface.pinvoke = ii_emit_pinvoke;
    bench.emitter.interface.standalone_sig = NULL;
    misuses(&bench, (struct ilp_rule_action){.pass = ILP_PASS_ID});
    end(&bench);

    begin(&bench, ILP_NATIVE_CALLI, "08");
    bench.app = built_root(&bench.built);
    assert_int_equal(open_rewriter(&bench, NULL, 0, NULL), ILP_OK);
    misuses(&bench, (struct ilp_rule_action){.guard = false}); /* no ids */
    end(&bench);
}

static void refuses(struct bench *bench, const struct ilp_resolver *resolver, ilp_status status,
                    const char *message)
{
    struct ilp_error error;
    bench->app = built_root(&bench->built);
    assert_int_equal(open_rewriter(bench, resolver, 1, &error), status);
    assert_null(bench->rewriter);
    if (!strstr(error.message, message)) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, message);
    }
    end(bench);
}

static void test_refused(void **state)
{
    (void)state;
    struct ii_assemblies old = {.count = 0};
    struct ilp_resolver resolver = ii_resolver(&old);
    struct bench bench;
    struct ib_image b;
    ii_begin_bare(&b, "mscorlib");
    ii_type(&b, "System", "Object", 0);
    ii_serve(&old, &b);
    begin(&bench, ILP_NATIVE_PINVOKE_NO_TRANSITION, "08");
    refuses(&bench, &resolver, ILP_E_BAD_INSPECTOR, "built for an older framework");
    begin(&bench, ILP_NATIVE_PINVOKE_NO_TRANSITION, "08");
    refuses(&bench, NULL, ILP_E_BAD_INSPECTOR, "the module's core library was not found");
    begin(&bench, ILP_NATIVE_PINVOKE, "08");
    IB_ROW(&bench.built, MethodPtr, 1);
    refuses(&bench, &resolver, ILP_E_CANNOT_EMBED, "the module has a table MethodPtr");
    ii_close(&old);
}

/* A number needs no core library, but the class around a P/Invoke does, and so does the size of a
 * pointer. */
static void test_no_core(void **state)
{
    (void)state;
    static const struct {
        enum ilp_native_call call;
        const char *returns;
        bool done;
    } rounds[] = {{ILP_NATIVE_CALLI, "00 00 08", true},
                  {ILP_NATIVE_CALLI, "00 00 18", false},
                  {ILP_NATIVE_CALLI_MANAGED, "00 00 0E", false},
                  {ILP_NATIVE_CALLI_NO_TRANSITION, "00 00 08", false},
                  {ILP_NATIVE_PINVOKE, "00 00 08", false}};
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench = {.app = NULL};
        ii_emitter_begin(&bench.emitter);
        ii_begin_bare(&bench.built, "App");
        bench.method = ii_method(&bench.built, "M", rounds[i].returns);
        bench.app = built_root(&bench.built);
        assert_int_equal(
            ilp_inspector_open_native(&bench.inspector, &functions[rounds[i].call], NULL, NULL),
            ILP_OK);
        assert_int_equal(open_rewriter(&bench, NULL, 1, NULL), ILP_OK);
        assert_int_equal(rewrite(&bench, NULL, "0A 14 2A").reason,
                         rounds[i].done ? ILP_REASON_INSPECTED : ILP_REASON_NO_CORE_LIBRARY);
        end(&bench);
    }
}

static void test_names(void **state)
{
    (void)state;
    char longest[402];
    struct ilp_inspector *inspector;
    memset(longest, 'x', sizeof longest);
    longest[400] = '\0';
    static const char *const bad[] = {"", "a\x1B", "a\xFF", "\xC3", "\xED\xA0\x80", NULL};
    for (size_t i = 0; i < COUNT(bad); i++) {
        for (unsigned which = 0; which < 2; which++) {
            struct ilp_native native = {.call = ILP_NATIVE_PINVOKE,
                                        .library = which == 0 ? bad[i] : "lib",
                                        .symbol = which == 0 ? "f" : bad[i]};
            assert_int_equal(ilp_inspector_open_native(&inspector, &native, NULL, NULL),
                             ILP_E_BAD_INSPECTOR);
            assert_null(inspector);
        }
    }
    struct ilp_native native = {.call = ILP_NATIVE_PINVOKE, .library = longest, .symbol = "f"};
    assert_int_equal(ilp_inspector_open_native(&inspector, &native, NULL, NULL), ILP_OK);
    assert_int_equal(strlen(inspector->type_name), 402);
    ilp_inspector_close(inspector);
    longest[400] = 'x';
    longest[401] = '\0';
    assert_int_equal(ilp_inspector_open_native(&inspector, &native, NULL, NULL),
                     ILP_E_BAD_INSPECTOR);
}

/* ---- again ---- */

/* A call at this address, by calli, in front of ret; any other is none of ours. */
static void test_calli_again(void **state)
{
    (void)state;
/* a value, the three arguments, the address */
#define CALLI(address, conversion) \
    "5A 16 16 E0 16 16 6A 21 " address " " conversion " 29 01 00 00 11 2A"
    static const struct {
        const char *body;
        bool already;
    } rounds[] = {
        {CALLI("11 22 33 44 55 66 77 88", "D3"), true},
        {CALLI("11 22 33 44 55 66 77 88", "E0"), false},
        {CALLI("10 22 33 44 55 66 77 88", "D3"), false},
        {CALLI("11 22 33 44 55 66 77 89", "D3"), false},
    };
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        begin(&bench, ILP_NATIVE_CALLI, "08");
        IB_ROW(&bench.built, StandAloneSig, ii_blob(&bench.built, "01 03 01 18 09 0A"));
        open_bench(&bench);
        struct ilp_method_result result = rewrite(&bench, NULL, rounds[i].body);
        assert_int_equal(result.reason,
                         rounds[i].already ? ILP_REASON_ALREADY : ILP_REASON_INSPECTED);
        end(&bench);
    }
}

/* ---- rows ---- */

/* What is called after it, with the longest sequence that there is; both calls together are one
 * inspection. */
static void test_then(void **state)
{
    (void)state;
    static const struct ilp_native both = {.call = ILP_NATIVE_CALLI_MANAGED,
                                           .address = 0x8877665544332211,
                                           .then = 0x1000000000000099};
    static const struct {
        const char *returns;
        const char *inserted;
    } rounds[] = {{"08", "25 " COPY "1F 04 " ID AT
                         "01 01 00 11 21 99 00 00 00 00 00 00 10 D3 29 02 01 00 11"},
                  {"10 11 08",
                   "25 25 2D 05 26 16 E0 2B 0A 71 02 00 00 02 " COPY "FE 1C 02 00 00 02 " ID AT
                   "01 01 00 11 21 99 00 00 00 00 00 00 10 D3 29 02 01 00 11"}};
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        begin(&bench, ILP_NATIVE_CALLI_MANAGED, rounds[i].returns);
        ilp_inspector_close(bench.inspector);
        assert_int_equal(ilp_inspector_open_native(&bench.inspector, &both, NULL, NULL), ILP_OK);
        open_bench(&bench);
        struct ilp_method_result result = rewrite(&bench, &everything, "0A 14 2A");
        inserts(&result, 5, rounds[i].inserted);
        assert_int_equal(result.value.data[0], i == 0 ? 0x08 : 0x11);
        end(&bench);
    }
    struct bench bench;
    begin(&bench, ILP_NATIVE_CALLI_MANAGED, "08");
    ilp_inspector_close(bench.inspector);
    assert_int_equal(ilp_inspector_open_native(&bench.inspector, &both, NULL, NULL), ILP_OK);
    IB_ROW(&bench.built, StandAloneSig, ii_blob(&bench.built, "01 00 01"));
    open_bench(&bench);
    struct ilp_method_result again =
        rewrite(&bench, NULL, "46 16 21 99 00 00 00 00 00 00 10 D3 29 01 00 00 11 2A");
    assert_int_equal(again.reason, ILP_REASON_ALREADY);
    end(&bench);
}

/* ---- the thread ---- */

static const struct ilp_native with_context = {
    .call = ILP_NATIVE_CALLI_MANAGED,
    .address = 0x8877665544332211,
    .then = 0x33,
    .exception = 0x55,
    .context = {.wants = 0x11, .thread = 0x22},
};

/* A core library whose Thread has such methods, after one that is not meant. */
static struct ii_assemblies serve_thread(const char *method, const char *signature)
{
    struct ii_assemblies assemblies = {.count = 0};
    struct ib_image b;
    ii_begin_bare(&b, "mscorlib");
    ilp_token object = ii_type(&b, "System", "Object", 0);
    ii_type(&b, "System.Threading", "Thread", object);
    ii_method(&b, "get_Other", "00 00 12 0C");
    if (method) {
        ii_method(&b, method, signature);
    }
    ii_serve(&assemblies, &b);
    return assemblies;
}

static void begin_with_context(struct bench *bench, struct ii_assemblies *core,
                               struct ilp_resolver *resolver, const char *method,
                               const char *signature)
{
    begin(bench, ILP_NATIVE_CALLI_MANAGED, "08");
    ilp_inspector_close(bench->inspector);
    assert_int_equal(ilp_inspector_open_native(&bench->inspector, &with_context, NULL, NULL),
                     ILP_OK);
    *core = serve_thread(method, signature);
    *resolver = ii_resolver(core);
    bench->app = built_root(&bench->built);
    assert_int_equal(open_rewriter(bench, resolver, 1, NULL), ILP_OK);
}

static void end_with_context(struct bench *bench, struct ii_assemblies *core)
{
    end(bench);
    ii_close(core);
}

#define WANTS_AT(token)  "21 11 00 00 00 00 00 00 00 D3 29 " token " "
#define THREAD_AT(token) "21 22 00 00 00 00 00 00 00 D3 29 " token " "
#define THEN_AT(token)   "21 33 00 00 00 00 00 00 00 D3 29 " token " "

/* The thread is taken between the function and `then`, and only where it is wanted; its class is
 * referred to in the core library itself. */
static void test_context(void **state)
{
    struct bench bench;
    struct ii_assemblies core;
    struct ilp_resolver resolver;
    (void)state;
    begin_with_context(&bench, &core, &resolver, "get_CurrentThread", "00 00 12 0C");
    struct ilp_method_result result = rewrite(&bench, NULL, "0A 14 2A");
    assert_true(result.thread);
    inserts(&result, 5,
            "25 " COPY "1F 04 " ID AT
            "01 01 00 11 " WANTS_AT("06 01 00 11") "2C 23 "
                                                   "28 05 01 00 0A " THREAD_AT("07 01 00 11")
                                                       THEN_AT("02 01 00 11"));
    ii_requested(&bench.emitter, "standalone_sig 00 03 01 18 09 0A\n"
                                 "standalone_sig 01 00 01\n"
                                 "assembly_ref mscorlib 1.2.3.4\n"
                                 "type_ref 23000103 System.Threading.Thread\n"
                                 "member_ref 01000104 get_CurrentThread 00 00 12 84 11\n"
                                 "standalone_sig 00 00 08\n"
                                 "standalone_sig 00 01 01 1C\n"
                                 "standalone_sig 07 01 08\n");
    result = rewrite(&bench, NULL, "0A 14 2A");
    assert_true(result.thread);
    ii_requested(&bench.emitter, "standalone_sig 07 01 08\n");
    end_with_context(&bench, &core);
}

/* Exceptions have it as well. */
static void test_context_of_exceptions(void **state)
{
    static const struct ilp_rule_action exceptions = {.exceptions = true};
    struct ii_hex filter = ii_hex("21 55 00 00 00 00 00 00 00 D3 29");
    struct ii_hex wants = ii_hex("21 11 00 00 00 00 00 00 00 D3 29");
    struct bench bench;
    struct ii_assemblies core;
    struct ilp_resolver resolver;
    (void)state;
    begin_with_context(&bench, &core, &resolver, "get_CurrentThread", "00 00 12 0C");
    struct ilp_method_result result = rewrite(&bench, &exceptions, "0A 14 2A");
    assert_true(result.exceptions && result.thread);
    const uint8_t *code = result.body.data + 12;
    const uint8_t *call = memmem(code, ilpi_load_u32(result.body.data + 4), filter.data,
                                 filter.size);
    assert_non_null(call);
    assert_memory_equal(call + filter.size + 4, wants.data, wants.size);
    end_with_context(&bench, &core);
}

/* In the core library the method is called as it is there, but not by itself. */
static void test_context_of_core(void **state)
{
    struct bench bench = {.app = NULL};
    (void)state;
    ii_emitter_begin(&bench.emitter);
    ii_begin_bare(&bench.built, "System.Private.CoreLib");
    ilp_token object = ii_type(&bench.built, "System", "Object", 0);
    ii_type(&bench.built, "System", "UIntPtr", object);
    ii_type(&bench.built, "System.Threading", "Thread", object);
    ilp_token other = ii_method(&bench.built, "Other", "00 00 1C");
    ilp_token current = ii_method(&bench.built, "get_CurrentThread", "00 00 12 10");
    assert_int_equal(ilp_inspector_open_native(&bench.inspector, &with_context, NULL, NULL),
                     ILP_OK);
    bench.app = built_root(&bench.built);
    assert_int_equal(open_rewriter(&bench, NULL, 1, NULL), ILP_OK);
    for (unsigned i = 0; i < 2; i++) {
        struct ii_hex call = ii_hex("28 02 00 00 06");
        bench.method = i == 0 ? other : current;
        struct ilp_method_result result = rewrite(&bench, NULL, "0A 14 2A");
        assert_int_equal(result.reason, ILP_REASON_INSPECTED);
        assert_true(result.thread);
        const void *found = memmem(result.body.data, result.body.size, call.data, call.size);
        assert_int_equal(found != NULL, bench.method == other);
    }
    end(&bench);
}

/* What is not the method that is meant is not called, and the value is passed all the same. */
static void test_no_context(void **state)
{
    static const struct {
        const char *method;
        const char *signature;
    } rounds[] = {{NULL, NULL},
                  {"get_Current", "00 00 12 0C"},
                  {"get_CurrentThread", "20 00 12 0C"},
                  {"get_CurrentThread", "00 01 12 0C 08"},
                  {"get_CurrentThread", "00 00 12 08"},
                  {"get_CurrentThread", "00 00 12"},
                  {"get_CurrentThread", "00 00 1C"}};
    (void)state;
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        struct ii_assemblies core;
        struct ilp_resolver resolver;
        begin_with_context(&bench, &core, &resolver, rounds[i].method, rounds[i].signature);
        for (unsigned times = 0; times < 2; times++) {
            struct ilp_method_result result = rewrite(&bench, NULL, "0A 14 2A");
            assert_false(result.thread);
            inserts(&result, 5, "25 " COPY "1F 04 " ID AT "01 01 00 11 " THEN_AT("02 01 00 11"));
        }
        end_with_context(&bench, &core);
    }
}

/* Whatever the emitter refuses. */
static void test_context_refused(void **state)
{
    (void)state;
    for (unsigned at = 1; at <= 8; at++) {
        struct bench bench;
        struct ii_assemblies core;
        struct ilp_resolver resolver;
        struct ii_hex body = ii_hex("0A 14 2A");
        struct ilp_method_result result;
        begin_with_context(&bench, &core, &resolver, "get_CurrentThread", "00 00 12 0C");
        bench.emitter.fail_at = at;
        bench.emitter.failure = ILP_E_CALLBACK;
        assert_int_equal(ilp_rewrite_method(bench.rewriter, bench.method, NULL,
                                            (struct ilp_bytes){body.data, body.size}, &result,
                                            NULL),
                         ILP_E_CALLBACK);
        result = rewrite(&bench, NULL, "0A 14 2A");
        assert_true(result.thread);
        end_with_context(&bench, &core);
    }
}

/* A body that ends in the call for the thread, where nothing is called after it. */
static void test_context_again(void **state)
{
    struct ilp_native native = with_context;
    struct bench bench;
    (void)state;
    native.then = 0;
    begin(&bench, ILP_NATIVE_CALLI_MANAGED, "08");
    ilp_inspector_close(bench.inspector);
    assert_int_equal(ilp_inspector_open_native(&bench.inspector, &native, NULL, NULL), ILP_OK);
    IB_ROW(&bench.built, StandAloneSig, ii_blob(&bench.built, "00 01 01 1C"));
    open_bench(&bench);
    struct ilp_method_result again =
        rewrite(&bench, NULL, "4A 16 14 21 22 00 00 00 00 00 00 00 D3 29 01 00 00 11 2A");
    assert_int_equal(again.reason, ILP_REASON_ALREADY);
    end(&bench);
}

/* With the type, where the signature does not say all of it. */
static void test_typed(void **state)
{
    static const struct ilp_native typed = {.call = ILP_NATIVE_CALLI_MANAGED,
                                            .address = 0x8877665544332211,
                                            .typed = 0x1122334455667788};
    static const struct {
        const char *returns;
        const char *inserted;
    } rounds[] = {{"08", "25 " COPY "1F 04 " ID AT "01 01 00 11"},
                  {"13 00", "25 " COPY "FE 1C 01 01 00 1B " ID
                            "D0 01 01 00 1B 21 88 77 66 55 44 33 22 11 D3 29 03 01 00 11"},
                  {"10 13 00",
                   "25 25 2D 05 26 16 E0 2B 0A 71 01 01 00 1B " COPY "FE 1C 01 01 00 1B " ID
                   "D0 01 01 00 1B 21 88 77 66 55 44 33 22 11 D3 29 03 01 00 11"}};
    (void)state;
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        begin(&bench, ILP_NATIVE_CALLI_MANAGED, rounds[i].returns);
        ilp_inspector_close(bench.inspector);
        assert_int_equal(ilp_inspector_open_native(&bench.inspector, &typed, NULL, NULL), ILP_OK);
        open_bench(&bench);
        struct ilp_method_result result = rewrite(&bench, &everything, "0A 14 2A");
        inserts(&result, 6, rounds[i].inserted);
        end(&bench);
    }
}

/* Objects and integers are passed themselves, without a local; all else is copied. */
static void test_itself(void **state)
{
    static const struct ilp_native itself = {.call = ILP_NATIVE_CALLI_MANAGED,
                                             .address = 0x8877665544332211,
                                             .object = 0x11,
                                             .integer = 0x22};
    static const struct ilp_native with_then = {.call = ILP_NATIVE_CALLI_MANAGED,
                                                .address = 0x8877665544332211,
                                                .then = 0x33,
                                                .object = 0x11,
                                                .integer = 0x22};
#define OBJECT_AT  "21 11 00 00 00 00 00 00 00 D3 29 02 01 00 11"
#define INTEGER_AT "21 22 00 00 00 00 00 00 00 D3 29 01 01 00 11"
    static const struct {
        const struct ilp_native *native;
        const char *returns;
        const char *inserted;
        unsigned max_stack; /* 0: of a tiny body, without a local */
    } rounds[] = {
        {&itself, "08", "25 6E 1F 04 " ID INTEGER_AT, 0},
        {&itself, "02", "25 6E 1F 01 " ID INTEGER_AT, 0},
        {&itself, "0A", "25 1F 08 " ID INTEGER_AT, 0},
        {&itself, "0E", "25 FE 1C 01 01 00 01 " ID OBJECT_AT, 0},
        {&itself, "12 1C", "25 FE 1C 01 01 00 01 " ID OBJECT_AT, 0},
        {&itself, "0D", "25 " COPY "1F 08 " ID AT "01 01 00 11", 5},
        {&itself, "11 08", "25 " COPY "FE 1C 02 00 00 02 " ID AT "01 01 00 11", 5},
        {&itself, "10 08",
         "25 25 2D 05 26 16 E0 2B 0A 71 01 01 00 01 " COPY "1F 04 " ID AT "02 01 00 11", 5},
        {&with_then, "08",
         "25 6E 1F 04 " ID INTEGER_AT " 21 33 00 00 00 00 00 00 00 D3 29 02 01 00 11", 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        begin(&bench, ILP_NATIVE_CALLI_MANAGED, rounds[i].returns);
        ilp_inspector_close(bench.inspector);
        assert_int_equal(ilp_inspector_open_native(&bench.inspector, rounds[i].native, NULL, NULL),
                         ILP_OK);
        open_bench(&bench);
        struct ilp_method_result result = rewrite(&bench, &everything, "0A 14 2A");
        if (rounds[i].max_stack != 0) {
            inserts(&result, rounds[i].max_stack, rounds[i].inserted);
        } else {
            inserts_in_tiny(&result, rounds[i].inserted);
        }
        end(&bench);
    }
}

/* Each of the functions is known when a body calls it already. */
static void test_itself_again(void **state)
{
    static const struct ilp_native native = {.call = ILP_NATIVE_CALLI_MANAGED,
                                             .address = 0x99,
                                             .typed = 0x98,
                                             .object = 0x97,
                                             .integer = 0x96};
    (void)state;
    for (unsigned address = 0x95; address <= 0x99; address++) {
        struct bench bench;
        char body[64];
        begin(&bench, ILP_NATIVE_CALLI_MANAGED, "08");
        ilp_inspector_close(bench.inspector);
        assert_int_equal(ilp_inspector_open_native(&bench.inspector, &native, NULL, NULL), ILP_OK);
        IB_ROW(&bench.built, StandAloneSig, ii_blob(&bench.built, "01 00 01"));
        open_bench(&bench);
        snprintf(body, sizeof body, "46 16 21 %02X 00 00 00 00 00 00 00 D3 29 01 00 00 11 2A",
                 address);
        struct ilp_method_result again = rewrite(&bench, NULL, body);
        assert_int_equal(again.reason == ILP_REASON_ALREADY, address != 0x95);
        end(&bench);
    }
}

/* Arguments at entry: objects themselves, references, and addresses of all others. */
static void test_arguments(void **state)
{
    static const struct ilp_native native = {.call = ILP_NATIVE_CALLI_MANAGED,
                                             .address = 0x8877665544332211,
                                             .typed = 0x99,
                                             .arguments = {0x11, 0x22, 0x33, 0x44, 0}};
    static const struct ilp_rule_action action = {.arguments = true};
    static const char entry[] =
        "12 00 16 " ID "21 11 00 00 00 00 00 00 00 D3 29 01 01 00 11 "
        "0F 00 1F 04 " ID "21 33 00 00 00 00 00 00 00 D3 29 01 01 00 11 "
        "03 FE 1C 02 01 00 01 " ID "21 22 00 00 00 00 00 00 00 D3 29 03 01 00 11  "
        "0F 02 FE 1C 04 01 00 1B " ID "D0 04 01 00 1B 21 44 00 00 00 00 00 00 00 D3 29 06 01 00 11 "
        "05 FE 1C 02 00 00 02 " ID "21 33 00 00 00 00 00 00 00 D3 29 01 01 00 11 "
        "14 25 " COPY;
    struct bench bench = {.app = NULL};
    (void)state;
    ii_emitter_begin(&bench.emitter);
    ii_begin(&bench.built, "App");
    add_types(&bench.built);
    bench.method = ii_method(&bench.built, "M", "00 05 08 08 0E 13 00 10 11 08 0F 01");
    assert_int_equal(ilp_inspector_open_native(&bench.inspector, &native, NULL, NULL), ILP_OK);
    open_bench(&bench);
    struct ilp_method_result result = rewrite(&bench, &action, "0A 14 2A");
    struct ii_hex expected = ii_hex(entry);
    assert_true(result.arguments);
    assert_int_equal(result.body.data[2], 6);
    assert_memory_equal(result.body.data + 12, expected.data, expected.size);
    assert_int_equal(result.passed_count, 5);
    assert_int_equal(result.withheld, 1);
    assert_int_equal(result.passed[0].type.data[0], ILP_ELEMENT_I4);
    assert_true(result.passed[3].reference);
    assert_int_equal(result.passed[3].type.data[0], ILP_ELEMENT_VALUETYPE);
    assert_string_equal(result.passed[4].withheld, "pointer");
    end(&bench);
}

/* ---- ends of calls ---- */

static const struct ilp_native with_ends = {.call = ILP_NATIVE_CALLI_MANAGED,
                                            .address = 0x8877665544332211,
                                            .then = 0x77,
                                            .arguments = {0x11, 0x22, 0x33, 0x44, 0x55},
                                            .exception = 0x66};

/* A method with an int argument. */
static void begin_with_ends(struct bench *bench, const char *name, const char *signature)
{
    *bench = (struct bench){.app = NULL};
    ii_emitter_begin(&bench->emitter);
    ii_begin(&bench->built, "App");
    add_types(&bench->built);
    bench->method = ii_method(&bench->built, name, signature);
    assert_int_equal(ilp_inspector_open_native(&bench->inspector, &with_ends, NULL, NULL), ILP_OK);
    open_bench(bench);
}

#define FUNCTION(number, signature) \
    "21 " number " 00 00 00 00 00 00 00 D3 29 " signature " 01 00 11 "
#define ENTRY  "12 00 16 " ID FUNCTION("11", "01") "0F 00 1F 04 " ID FUNCTION("33", "01")
#define LEAVE  "12 00 E0 16 " ID FUNCTION("55", "02") FUNCTION("77", "03")
#define FILTER "16 E0 " ID FUNCTION("66", "01") FUNCTION("77", "02") "16 FE 11 7A "

static const struct ilp_rule_action arguments_alone = {.arguments = true};
static const struct ilp_rule_action exceptions_alone = {.exceptions = true};
static const struct ilp_rule_action all_of_it = {.arguments = true, .exceptions = true};

static const struct {
    const char *what;
    const char *signature;
    const struct ilp_rule_action *action;
    const char *before;
    enum ilp_reason reason;
    bool value; /* whether it is passed */
    const char *locals;
    const char *code;    /* the new one */
    const char *clauses; /* the table */
} ends[] = {
    {"nothing is returned", "00 01 01 08", &arguments_alone, "0A 00 2A", ILP_REASON_INSPECTED,
     false, "07 01 19", ENTRY "00 " LEAVE "2A", ""},
    {"an empty body: a branch to ret goes to the end of the call", "00 01 01 08", &arguments_alone,
     "06 2A", ILP_REASON_INSPECTED, false, "07 01 19", ENTRY LEAVE "2A", ""},
    {"a value, without arguments", "00 01 08 08", &exceptions_alone, "0A 16 2A",
     ILP_REASON_INSPECTED, true, "07 02 08 08",
     "16 13 01 DD 2D 00 00 00 " FILTER "11 01 25 " COPY "1F 04 " ID AT
     "03 01 00 11 " FUNCTION("77", "02") "2A",
     "01 10 00 00 01 00 00 00 08 34 00 01 08 00 00 00"},
    {"nothing, without arguments", "00 01 01 08", &exceptions_alone, "0A 00 2A",
     ILP_REASON_EXCEPTIONS, false, NULL, "00 DD 2D 00 00 00 " FILTER "2A",
     "01 10 00 00 01 00 00 00 06 32 00 01 06 00 00 00"},
};

static void test_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        struct bench bench;
        print_message("%s\n", ends[i].what);
        begin_with_ends(&bench, "M", ends[i].signature);
        struct ilp_method_result result = rewrite(&bench, ends[i].action, ends[i].before);
        assert_int_equal(result.reason, ends[i].reason);
        assert_true(result.native);
        assert_int_equal(result.value.size != 0, ends[i].value);
        assert_int_equal((ilp_token)result.id, bench.method);
        assert_int_equal(result.exceptions, ends[i].action->exceptions);
        struct ii_hex code = ii_hex(ends[i].code);
        assert_int_equal(ilpi_load_u32(result.body.data + 4), code.size);
        assert_memory_equal(result.body.data + 12, code.data, code.size);
        struct ii_hex clauses = ii_hex(ends[i].clauses);
        size_t table = 12 + (clauses.size != 0 ? (code.size + 3) & ~(size_t)3 : code.size);
        assert_int_equal(result.body.size, table + clauses.size);
        assert_memory_equal(result.body.data + table, clauses.data, clauses.size);
        ib_number(&bench.emitter.lines, 0, 1);
        if (ends[i].locals) {
            assert_non_null(strstr((const char *)bench.emitter.lines.data, ends[i].locals));
        }
        end(&bench);
    }
}

/* The filter gets the address by which the call is known. */
static void test_ends_with_arguments(void **state)
{
    (void)state;
    struct bench bench;
    begin_with_ends(&bench, "M", "00 01 01 08");
    struct ilp_method_result result = rewrite(&bench, &all_of_it, "0A 00 2A");
    assert_int_equal(result.reason, ILP_REASON_INSPECTED);
    assert_true(result.exceptions && result.arguments);
    assert_int_equal(result.value.size, 0);
    struct ii_hex filter = ii_hex("12 00 E0 " ID "21 66");
    const uint8_t *code = result.body.data + 12;
    size_t entry = ii_hex(ENTRY).size;
    assert_memory_equal(code + entry + 6, filter.data, filter.size);
    end(&bench);
}

static const struct {
    const char *name;
    const char *signature;
    enum ilp_reason reason;
} constructors[] = {{".ctor", "20 01 01 08", ILP_REASON_INSPECTED},
                    {".ctor", "20 00 01", ILP_REASON_VOID},
                    {".cctor", "00 00 01", ILP_REASON_VOID},
                    {"M", "20 00 01", ILP_REASON_INSPECTED}};

/* Of a constructor the parameters, and never the object, which is not there at its entry. */
static void test_constructors(void **state)
{
    static const struct ilp_rule_action with_this = {.arguments = true, .self = true};
    (void)state;
    for (size_t i = 0; i < COUNT(constructors); i++) {
        struct bench bench;
        begin_with_ends(&bench, constructors[i].name, constructors[i].signature);
        struct ilp_method_result result = rewrite(&bench, &with_this, "0A 00 2A");
        assert_int_equal(result.reason, constructors[i].reason);
        if (result.passed_count != 0) {
            assert_int_equal(strcmp(result.passed[0].name, "this") == 0,
                             strcmp(constructors[i].name, "M") == 0);
        }
        end(&bench);
    }
}

/* Whoever takes no ends gets none. */
static void test_no_ends(void **state)
{
    struct ilp_native native = with_ends;
    struct bench bench = {.app = NULL};
    (void)state;
    native.arguments.leave = 0;
    ii_emitter_begin(&bench.emitter);
    ii_begin(&bench.built, "App");
    add_types(&bench.built);
    bench.method = ii_method(&bench.built, "M", "00 01 01 08");
    assert_int_equal(ilp_inspector_open_native(&bench.inspector, &native, NULL, NULL), ILP_OK);
    open_bench(&bench);
    struct ilp_method_result result = rewrite(&bench, &arguments_alone, "0A 00 2A");
    assert_int_equal(result.reason, ILP_REASON_VOID);
    result = rewrite(&bench, &all_of_it, "0A 00 2A");
    assert_int_equal(result.reason, ILP_REASON_EXCEPTIONS);
    assert_true(result.arguments && result.exceptions && result.native);
    end(&bench);
    native.exception = 0;
    assert_int_equal(ilp_inspector_open_native(&bench.inspector, &native, NULL, NULL), ILP_OK);
    assert_null(ilpi_exception_overload(bench.inspector, ILP_PASS_NAME, false));
    ilp_inspector_close(bench.inspector);
}

/* Either call before ret, and that in a filter, are ours. */
static void test_ends_again(void **state)
{
    (void)state;
    struct bench bench;
    begin_with_ends(&bench, "M", "00 01 01 08");
    struct ilp_method_result result = rewrite(&bench, &all_of_it, "0A 00 2A");
    assert_true(result.exceptions);
    uint8_t body[512];
    size_t size = result.body.size;
    assert_true(size <= sizeof body);
    memcpy(body, result.body.data, size);
    assert_int_equal(ilp_rewrite_method(bench.rewriter, bench.method, &all_of_it,
                                        (struct ilp_bytes){body, size}, &result, NULL),
                     ILP_OK);
    assert_int_equal(result.inspected, 0);
    end(&bench);
}

static ilp_status count(void *user, ilp_token method, const struct ilp_method_result *result,
                        struct ilp_error *error)
{
    (void)method, (void)error;
    ((uint32_t *)user)[result->reason]++;
    return ILP_OK;
}

static ilp_status inspect(struct ilp_image *image, enum ilp_native_call call,
                          const struct ilp_allocator *allocator, struct ilp_bytes *written,
                          uint32_t reasons[ILPI_REASON_COUNT])
{
    struct ii_assemblies core = serve_core();
    struct ilp_resolver resolver = ii_resolver(&core);
    struct ilp_inspector *inspector = NULL;
    struct ilp_edit *edit = NULL;
    ilp_status status = ilp_inspector_open_native(&inspector, &functions[call], allocator, NULL);
    const struct ilp_inspector *inspectors[] = {inspector};
    struct ilp_request request = {.inspectors = inspectors,
                                  .inspector_count = 1,
                                  .module_number = 1,
                                  .resolver = &resolver,
                                  .allocator = allocator};
    struct ilp_report report = {reasons, count};
    if (status == ILP_OK) {
        status = ilp_edit_open(&edit, image, allocator, NULL);
    }
    if (status == ILP_OK) {
        status = ilp_inspect_returns(image, edit, &request, &report, NULL);
    }
    if (status == ILP_OK) {
        status = write_edit(edit, written, NULL, NULL);
    }
    ilp_edit_close(edit);
    ilp_inspector_close(inspector);
    ii_close(&core);
    return status;
}

static struct ilp_image *two_methods(void)
{
    struct ib_image b;
    ii_begin(&b, "App");
    IB_ROW(&b, ModuleRef, ib_string(&b, "other.so"));
    ii_type(&b, "N", "C", II_OBJECT);
    ii_body(&b, ii_method(&b, "A", "00 00 08"), "0A 16 2A");
    ii_body(&b, ii_method(&b, "B", "00 00 08"), "0A 17 2A");
    return built_pe(&b, (struct ib_pe){0});
}

static void check_rows(const struct ilp_image *image, enum ilp_native_call call)
{
    bool stays = call == ILP_NATIVE_PINVOKE_NO_TRANSITION;
    assert_int_equal(ilp_row_count(image, ILP_TypeDef), 3);
    assert_int_equal(ilp_row_count(image, ILP_MethodDef), 3);
    assert_int_equal(ilp_row_count(image, ILP_ModuleRef), 2);
    assert_int_equal(ilp_row_count(image, ILP_ImplMap), 1);
    assert_int_equal(ilp_row_count(image, ILP_CustomAttribute), stays);
    assert_string_equal(ilp_string(image, ilp_cell(image, ILP_TypeDef, 3, ILP_TypeDef_TypeName)),
                        "lib.so!probe");
    assert_string_equal(
        ilp_string(image, ilp_cell(image, ILP_TypeDef, 3, ILP_TypeDef_TypeNamespace)),
        stays ? "<ilpatch>.SuppressGCTransition" : "<ilpatch>.PInvoke");
    assert_int_equal(ilp_cell(image, ILP_TypeDef, 3, ILP_TypeDef_Flags), 0x100180);
    assert_int_equal(ilp_cell(image, ILP_TypeDef, 3, ILP_TypeDef_Extends), II_OBJECT);
    assert_int_equal(ilp_cell(image, ILP_TypeDef, 3, ILP_TypeDef_MethodList), 3);
    assert_int_equal(ilp_cell(image, ILP_MethodDef, 3, ILP_MethodDef_RVA), 0);
    assert_int_equal(ilp_cell(image, ILP_MethodDef, 3, ILP_MethodDef_ImplFlags), 0x80);
    assert_int_equal(ilp_cell(image, ILP_MethodDef, 3, ILP_MethodDef_Flags), 0x2093);
    assert_string_equal(ilp_string(image, ilp_cell(image, ILP_MethodDef, 3, ILP_MethodDef_Name)),
                        "probe");
    assert_int_equal(ilp_cell(image, ILP_ImplMap, 1, ILP_ImplMap_MappingFlags), 0x201);
    assert_int_equal(ilp_cell(image, ILP_ImplMap, 1, ILP_ImplMap_MemberForwarded),
                     ILP_TOKEN(ILP_MethodDef, 3));
    assert_string_equal(ilp_string(image, ilp_cell(image, ILP_ImplMap, 1, ILP_ImplMap_ImportName)),
                        "probe");
    assert_int_equal(ilp_cell(image, ILP_ImplMap, 1, ILP_ImplMap_ImportScope), 2);
    assert_string_equal(ilp_string(image, ilp_cell(image, ILP_ModuleRef, 2, ILP_ModuleRef_Name)),
                        "lib.so");
    if (stays) {
        assert_int_equal(ilp_cell(image, ILP_CustomAttribute, 1, ILP_CustomAttribute_Parent),
                         ILP_TOKEN(ILP_MethodDef, 3));
    }
}

/* One class for all calls, which a second run finds: of another kind it adds another one. */
static void test_rows(void **state)
{
    (void)state;
    for (unsigned call = 0; call <= ILP_NATIVE_PINVOKE_NO_TRANSITION; call++) {
        uint32_t reasons[ILPI_REASON_COUNT] = {0};
        uint32_t again[ILPI_REASON_COUNT] = {0};
        uint32_t other[ILPI_REASON_COUNT] = {0};
        struct ilp_bytes first;
        struct ilp_bytes second;
        struct ilp_bytes third;
        struct ilp_image *image = two_methods();
        assert_int_equal(inspect(image, (enum ilp_native_call)call, NULL, &first, reasons), ILP_OK);
        assert_int_equal(reasons[ILP_REASON_INSPECTED], 2);
        close_built(image);
        assert_int_equal(ilp_image_open(&image, first, ILP_LAYOUT_FILE, NULL, NULL, NULL), ILP_OK);
        check_rows(image, (enum ilp_native_call)call);
        assert_int_equal(inspect(image, (enum ilp_native_call)call, NULL, &second, again), ILP_OK);
        assert_int_equal(again[ILP_REASON_ALREADY], 2);
        assert_int_equal(again[ILP_REASON_NO_BODY], 1);
        assert_int_equal(second.size, first.size);
        assert_memory_equal(second.data, first.data, first.size);
        assert_int_equal(inspect(image, (enum ilp_native_call)(1 - call), NULL, &third, other),
                         ILP_OK);
        assert_int_equal(other[ILP_REASON_INSPECTED], 2);
        ilp_image_close(image);
        assert_int_equal(ilp_image_open(&image, third, ILP_LAYOUT_FILE, NULL, NULL, NULL), ILP_OK);
        assert_int_equal(ilp_row_count(image, ILP_TypeDef), 4);
        assert_int_equal(ilp_row_count(image, ILP_ModuleRef), 2);
        ilp_image_close(image);
        free((void *)first.data);
        free((void *)second.data);
        free((void *)third.data);
    }
}

/* One allocation after the other fails. */
static void test_memory(void **state)
{
    (void)state;
    for (unsigned call = 0; call <= ILP_NATIVE_PINVOKE_NO_TRANSITION; call++) {
        struct ilp_image *image = two_methods();
        struct memory memory = {.fail_at = 0};
        struct ilp_allocator allocator = memory_allocator(&memory);
        ilp_status status = ILP_E_NO_MEMORY;
        for (size_t n = 1; status != ILP_OK; n++) {
            uint32_t reasons[ILPI_REASON_COUNT] = {0};
            struct ilp_bytes written = {NULL, 0};
            memory = (struct memory){.fail_at = n};
            status = inspect(image, (enum ilp_native_call)call, &allocator, &written, reasons);
            memory_is_empty(&memory);
            if (status != ILP_OK) {
                assert_int_equal(status, ILP_E_NO_MEMORY);
            }
            free((void *)written.data);
            assert_true(n < 2000);
        }
        close_built(image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_locals),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_referents),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_no_core),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_calli_again),
        cmocka_unit_test(test_then),
        cmocka_unit_test(test_context),
        cmocka_unit_test(test_context_of_exceptions),
        cmocka_unit_test(test_context_of_core),
        cmocka_unit_test(test_no_context),
        cmocka_unit_test(test_context_refused),
        cmocka_unit_test(test_context_again),
        cmocka_unit_test(test_typed),
        cmocka_unit_test(test_itself),
        cmocka_unit_test(test_itself_again),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_ends_with_arguments),
        cmocka_unit_test(test_constructors),
        cmocka_unit_test(test_no_ends),
        cmocka_unit_test(test_ends_again),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
