/* src/inspect/async/iterator.c and rewrite_machine.c: which field of an iterator's machine holds
 * the value, where MoveNext reports that there is one, and what is inserted there: bytes, locals,
 * clauses, answers. That it runs is for tests/runtime/programs/iterators. */
#include "tests/unit/inspect_image.h"
#include "tests/unit/one_request.h"

static const struct ilp_rule_action current = {.iterators = ILP_ITERATORS_CURRENT};
static const struct ilp_rule_action guarded = {.iterators = ILP_ITERATORS_CURRENT, .guard = true};

#define OBJECT   "00 01 01 1C"
#define FIELD(n) "0" #n " 00 00 04 "

/* Of the machine, fields 1 to 4: state, current, promise, and another of the promise's type.
 * MemberRef 2 is the promise's SetResult(!0), 3 that of another type. MethodDefs: 1 the kickoff
 * method, then those of the machine. */
enum { KICKOFF = 1, MOVE_NEXT, CURRENT, CURRENT_OBJECT, STATUS, DISPOSE };

#define LOAD(n)  "1E 02 7B " FIELD(n) "2A"       /* ldarg.0; ldfld; ret */
#define QUERY(n) "2A 02 7C " FIELD(n) "03 26 2A" /* ldarg.0; ldflda; ldarg.1; pop; ret */
#define SET(n)   "02 7C " FIELD(n) "17 28 02 00 00 0A"

/* leave; pop; report; and, in a filter, ldc.i4.1; endfilter; pop; or leave, in a handler; ret. */
#define FILTERED                                                                                   \
    "1B 30 02 00 16 00 00 00 00 00 00 00 DE 13 26 " SET(3) "17 FE 11 26 DE 00 2A 00 00 " TABLE_OF( \
        "10") "01 00 00 00 02 12 00 03 02 00 00 00"
#define HANDLED                                                                        \
    "1B 30 02 00 12 00 00 00 00 00 00 00 DE 0F 26 " SET(3) "DE 00 2A 00 00 " TABLE_OF( \
        "10") "00 00 00 00 02 02 00 0F 04 00 00 01"
#define TABLE_OF(size) "01 " size " 00 00 "

struct machine {
    const char *name;
    bool async;
    const char *type; /* of the field `current` */
    const char *returns;
    const char *current[2]; /* the bodies of both get_Current; NULL: none */
    const char *status;
    const char *move_next;
    const char *form; /* of the inspector */
    const struct ilp_rule_action *action;
    enum ilp_reason reason;
    const char *text; /* in the detail */
    const char *after;
    const char *locals;
};

/* What comes after the tests of the bool: ldfld; box; call. */
#define SHOW   "02 7B " FIELD(2) "8C 01 01 00 01 28 04 01 00 0A "
#define CHANGE "02 02 7B " FIELD(2) "28 03 01 00 0A 7D " FIELD(2)
#define CATCH  "DE 03 26 DE 00 "
#define TABLE  TABLE_OF("10")

static const struct machine machines[] = {
    {"an iterator",
     0,
     "08",
     "02",
     {LOAD(2), LOAD(2)},
     NULL,
     "0A 17 2A",
     OBJECT,
     &current,
     ILP_REASON_YIELDS,
     "",
     "56 17 25 2C 10 " SHOW "2A",
     NULL},
    {"one get_Current",
     0,
     "08",
     "02",
     {LOAD(2), NULL},
     NULL,
     "0A 17 2A",
     OBJECT,
     &current,
     ILP_REASON_YIELDS,
     "",
     "56 17 25 2C 10 " SHOW "2A",
     NULL},
    {"its value replaced",
     0,
     "08",
     "02",
     {LOAD(2), LOAD(2)},
     NULL,
     "0A 17 2A",
     "00 01 08 08",
     &current,
     ILP_REASON_YIELDS,
     "",
     "5A 17 25 2C 11 " CHANGE "2A",
     NULL},
    {"guarded",
     0,
     "08",
     "02",
     {LOAD(2), LOAD(2)},
     NULL,
     "0A 17 2A",
     OBJECT,
     &guarded,
     ILP_REASON_YIELDS,
     "",
     "1B 30 01 00 1F 00 00 00 06 01 00 11 17 13 00 11 00 2C 10 " SHOW CATCH "11 00 2A 00 " TABLE
     "00 00 03 00 16 19 00 03 05 01 00 01",
     "standalone_sig 07 01 02\n"},
    {"guarded and replaced",
     0,
     "08",
     "02",
     {LOAD(2), LOAD(2)},
     NULL,
     "0A 17 2A",
     "00 01 08 08",
     &guarded,
     ILP_REASON_YIELDS,
     "",
     "1B 30 02 00 20 00 00 00 05 01 00 11 17 13 00 11 00 2C 11 " CHANGE CATCH "11 00 2A " TABLE
     "00 00 03 00 17 1A 00 03 04 01 00 01",
     "standalone_sig 07 01 02\n"},
    {"two rets, one a branch target",
     0,
     "0E",
     "02",
     {LOAD(2), LOAD(2)},
     NULL,
     "1E 02 2D 02 16 2A 17 2A",
     OBJECT,
     &current,
     ILP_REASON_YIELDS,
     "",
     "8E 02 2D 10 16 25 2C 0B 02 7B " FIELD(2) "28 03 01 00 0A 2A 17 25 2C 0B 02 7B " FIELD(
         2) "28 03 01 00 0A 2A",
     NULL},
    {"an async iterator",
     1,
     "08",
     "01",
     {LOAD(2), NULL},
     QUERY(3),
     "36 " SET(3) "2A",
     OBJECT,
     &current,
     ILP_REASON_YIELDS,
     "",
     "82 02 7C " FIELD(3) "17 25 2C 10 " SHOW "28 02 00 00 0A 2A",
     NULL},
    {"guarded, too",
     1,
     "08",
     "01",
     {LOAD(2), NULL},
     QUERY(3),
     "36 " SET(3) "2A",
     OBJECT,
     &guarded,
     ILP_REASON_YIELDS,
     "",
     "1B 30 02 00 2E 00 00 00 06 01 00 11 02 7C " FIELD(
         3) "17 13 00 13 01 11 00 2C 10 " SHOW CATCH "11 01 11 00 28 02 00 00 0A 2A 00 00 " TABLE
            "00 00 0B 00 16 21 00 03 05 01 00 01",
     "standalone_sig 07 02 02 10 15 11 15 01 02\n"},
    {"promise and another",
     1,
     "08",
     "01",
     {LOAD(2), NULL},
     QUERY(3),
     "66 " SET(4) SET(3) "2A",
     OBJECT,
     &current,
     ILP_REASON_YIELDS,
     "",
     "B2 " SET(4) "02 7C " FIELD(3) "17 25 2C 10 " SHOW "28 02 00 00 0A 2A",
     NULL},
    {"something else below",
     1,
     "08",
     "01",
     {LOAD(2), NULL},
     QUERY(3),
     "3E 16 " SET(3) "26 2A",
     OBJECT,
     &current,
     ILP_REASON_YIELDS,
     "",
     "8A 16 02 7C " FIELD(3) "17 25 2C 10 " SHOW "28 02 00 00 0A 26 2A",
     NULL},
    {"the same guarded",
     1,
     "08",
     "01",
     {LOAD(2), NULL},
     QUERY(3),
     "3E 16 " SET(3) "26 2A",
     OBJECT,
     &guarded,
     ILP_REASON_LIMIT,
     "IL_0008: no room for a try block",
     NULL,
     NULL},
    {"in a filter, guarded",
     1,
     "08",
     "01",
     {LOAD(2), NULL},
     QUERY(3),
     FILTERED,
     OBJECT,
     &guarded,
     ILP_REASON_LIMIT,
     "IL_000a: no room for a try block",
     NULL,
     NULL},
    {"in a handler, guarded",
     1,
     "08",
     "01",
     {LOAD(2), NULL},
     QUERY(3),
     HANDLED,
     OBJECT,
     &guarded,
     ILP_REASON_YIELDS,
     "",
     "1B 30 02 00 33 00 00 00 06 01 00 11 DE 30 26 02 7C " FIELD(
         3) "17 13 00 13 01 11 00 2C 10 " SHOW CATCH
            "11 01 11 00 28 02 00 00 0A DE 00 2A 00 01 1C 00 00 00 00 0E 00 16 24 00 03 05 01 00 01"
            " 00 00 00 00 02 02 00 30 04 00 00 01",
     "standalone_sig 07 02 02 10 15 11 15 01 02\n"},
    /* what decides about returned values decides about these */
    {"a pointer",
     0,
     "0F 08",
     "02",
     {LOAD(2), LOAD(2)},
     NULL,
     "0A 17 2A",
     OBJECT,
     &current,
     ILP_REASON_POINTER,
     "",
     NULL,
     NULL},
    {"a typed reference",
     0,
     "16",
     "02",
     {LOAD(2), LOAD(2)},
     NULL,
     "0A 17 2A",
     OBJECT,
     &current,
     ILP_REASON_BYREF_LIKE,
     "",
     NULL,
     NULL},
    {"what is not found",
     0,
     "11 19",
     "02",
     {LOAD(2), LOAD(2)},
     NULL,
     "0A 17 2A",
     OBJECT,
     &current,
     ILP_REASON_UNRESOLVED,
     "G.What",
     NULL,
     NULL},
    {"no overload",
     0,
     "0E",
     "02",
     {LOAD(2), LOAD(2)},
     NULL,
     "0A 17 2A",
     "00 01 08 08",
     &current,
     ILP_REASON_NO_OVERLOAD,
     "",
     NULL,
     NULL},
    /* no form that is known */
    {"two fields",
     0,
     "08",
     "02",
     {LOAD(2), LOAD(1)},
     NULL,
     "0A 17 2A",
     OBJECT,
     &current,
     ILP_REASON_UNKNOWN_ITERATOR,
     "get_Current",
     NULL,
     NULL},
    {"two fields in one",
     0,
     "08",
     "02",
     {"3A 02 7B " FIELD(2) "02 7B " FIELD(1) "26 2A", NULL},
     NULL,
     "0A 17 2A",
     OBJECT,
     &current,
     ILP_REASON_UNKNOWN_ITERATOR,
     "get_Current",
     NULL,
     NULL},
    {"no field",
     0,
     "08",
     "02",
     {"0A 16 2A", NULL},
     NULL,
     "0A 17 2A",
     OBJECT,
     &current,
     ILP_REASON_UNKNOWN_ITERATOR,
     "get_Current",
     NULL,
     NULL},
    {"no get_Current",
     0,
     "08",
     "02",
     {NULL, NULL},
     NULL,
     "0A 17 2A",
     OBJECT,
     &current,
     ILP_REASON_UNKNOWN_ITERATOR,
     "get_Current",
     NULL,
     NULL},
    {"another type's field",
     0,
     "08",
     "02",
     {LOAD(5), LOAD(5)},
     NULL,
     "0A 17 2A",
     OBJECT,
     &current,
     ILP_REASON_UNKNOWN_ITERATOR,
     "get_Current",
     NULL,
     NULL},
    {"MoveNext returns a number",
     0,
     "08",
     "08",
     {LOAD(2), LOAD(2)},
     NULL,
     "0A 17 2A",
     OBJECT,
     &current,
     ILP_REASON_UNKNOWN_ITERATOR,
     "signature",
     NULL,
     NULL},
    {"no promise",
     1,
     "08",
     "01",
     {LOAD(2), NULL},
     NULL,
     "36 " SET(3) "2A",
     OBJECT,
     &current,
     ILP_REASON_UNKNOWN_ITERATOR,
     "GetStatus",
     NULL,
     NULL},
    {"another promise is completed",
     1,
     "08",
     "01",
     {LOAD(2), NULL},
     QUERY(3),
     "36 " SET(4) "2A",
     OBJECT,
     &current,
     ILP_REASON_UNKNOWN_ITERATOR,
     "MoveNext does not complete",
     NULL,
     NULL},
    {"of another type",
     1,
     "08",
     "01",
     {LOAD(2), NULL},
     QUERY(3),
     "36 02 7C " FIELD(3) "17 28 03 00 00 0A 2A",
     OBJECT,
     &current,
     ILP_REASON_UNKNOWN_ITERATOR,
     "MoveNext does not complete",
     NULL,
     NULL},
    /* what other methods say, too */
    {"get_Current is no code",
     0,
     "08",
     "02",
     {"0A 24 24", NULL},
     NULL,
     "0A 17 2A",
     OBJECT,
     &current,
     ILP_REASON_UNKNOWN_ITERATOR,
     "get_Current",
     NULL,
     NULL},
    {"get_Current has no body",
     0,
     "08",
     "02",
     {"", NULL},
     NULL,
     "0A 17 2A",
     OBJECT,
     &current,
     ILP_REASON_BAD_BODY,
     "",
     NULL,
     NULL},
    {"MoveNext is no code",
     0,
     "08",
     "02",
     {LOAD(2), NULL},
     NULL,
     "0A 24 2A",
     OBJECT,
     &current,
     ILP_REASON_BAD_BODY,
     "",
     NULL,
     NULL},
    {"never returns",
     0,
     "08",
     "02",
     {LOAD(2), NULL},
     NULL,
     "0A 14 7A",
     OBJECT,
     &current,
     ILP_REASON_NO_RETURN,
     "",
     NULL,
     NULL},
};

struct bench {
    struct ii_inspector inspector;
    struct ii_emitter emitter;
    struct ib_image built;
    struct ilp_image *app;
    struct ilp_rewriter *rewriter;
};

static void add_method(struct ib_image *b, const char *name, const char *signature,
                       const char *body)
{
    ilp_token method = ii_method(b, body ? name : "None", signature);
    ib_set(b, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_Flags, 0x6);
    if (body && body[0] != '\0') {
        ii_body(b, method, body);
    }
}

static void add_field(struct ib_image *b, const char *name, const char *type)
{
    char signature[64];
    snprintf(signature, sizeof signature, "06 %s", type);
    IB_ROW(b, Field, 1, ib_string(b, name), ii_blob(b, signature));
}

static void add_machine(struct ib_image *b, const struct machine *machine)
{
    char returns[16];
    snprintf(returns, sizeof returns, "20 00 %s", machine->returns);
    ii_type(b, "", "m", II_OBJECT); /* TypeDef 3 */
    add_field(b, "state", "08");
    add_field(b, "current", machine->type);
    add_field(b, "promise", "15 11 15 01 02");
    add_field(b, "other", "15 11 15 01 02");
    add_method(b, "MoveNext", returns, machine->move_next);
    add_method(b, "get_Current", "20 00 08", machine->current[0]);
    add_method(b, "System.Collections.IEnumerator.get_Current", "20 00 1C", machine->current[1]);
    add_method(b, "System.Threading.Tasks.Sources.IValueTaskSource.GetStatus", "20 01 01 06",
               machine->status);
    add_method(b, "Dispose", "20 00 08", "0A 16 2A");
    ii_type(b, "", "Other", II_OBJECT);
    add_field(b, "current", "08");
}

static void begin(struct bench *bench, const struct machine *machine)
{
    static const uint8_t named[] = "\x01\x00\x05N.C+m\x00";
    struct ib_image *b = &bench->built;
    *bench = (struct bench){.inspector = ii_inspector(machine->form)};
    ii_emitter_begin(&bench->emitter);
    ii_begin(b, "App");
    ilp_token attribute = ii_type_ref(b, II_MSCORLIB, "System.Runtime.CompilerServices",
                                      machine->async ? "AsyncIteratorStateMachineAttribute"
                                                     : "IteratorStateMachineAttribute");
    ii_type_ref(b, II_MSCORLIB, "N", "Promise`1"); /* TypeRef 5 */
    ii_type_ref(b, ii_assembly_ref(b, "Gone"), "G", "What");
    ii_type(b, "N", "C", II_OBJECT);
    ii_method(b, "M", "00 00 1C");
    ii_body(b, ILP_TOKEN(ILP_MethodDef, KICKOFF), "0A 14 2A");
    add_machine(b, machine);
    IB_ROW(b, NestedClass, 3, 2);
    ilp_token promise = ILP_TOKEN(ILP_TypeSpec, IB_ROW(b, TypeSpec, ii_blob(b, "15 11 15 01 02")));
    ilp_token other = ILP_TOKEN(ILP_TypeSpec, IB_ROW(b, TypeSpec, ii_blob(b, "15 11 15 01 08")));
    uint32_t set = ib_string(b, "SetResult");
    ilp_rid constructor = IB_ROW(b, MemberRef, attribute, ib_string(b, ".ctor"),
                                 ii_blob(b, "20 01 01 1C"));
    IB_ROW(b, MemberRef, promise, set, ii_blob(b, "20 01 01 13 00"));
    IB_ROW(b, MemberRef, other, set, ii_blob(b, "20 01 01 13 00"));
    IB_ROW(b, CustomAttribute, ILP_TOKEN(ILP_MethodDef, KICKOFF),
           ILP_TOKEN(ILP_MemberRef, constructor), ib_blob(b, named, 10));
    bench->app = built_pe(b, (struct ib_pe){0});
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

static struct ilp_method_result rewrite(struct bench *bench, ilp_rid method,
                                        const struct ilp_rule_action *action, struct ilp_bytes body)
{
    struct ilp_method_result result;
    assert_int_equal(ilp_rewrite_method(bench->rewriter, ILP_TOKEN(ILP_MethodDef, method), action,
                                        body, &result, NULL),
                     ILP_OK);
    return result;
}

static const struct ilp_bytes own = {NULL, 0};

static void check_body(const struct machine *machine, struct bench *bench,
                       const struct ilp_method_result *result)
{
    struct ii_hex expected = ii_hex(machine->after ? machine->after : "");
    if (result->body.size != expected.size ||
        (expected.size != 0 && memcmp(result->body.data, expected.data, expected.size) != 0)) {
        for (size_t i = 0; i < result->body.size; i++) {
            print_message("%02X ", result->body.data[i]);
        }
        fail_msg("%s", machine->name);
    }
    ib_number(&bench->emitter.lines, 0, 1);
    if (machine->locals) {
        assert_non_null(strstr((const char *)bench->emitter.lines.data, machine->locals));
    }
}

static void test_move_next(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(machines); i++) {
        const struct machine *machine = &machines[i];
        struct bench bench;
        begin(&bench, machine);
        struct ilp_method_result result = rewrite(&bench, MOVE_NEXT, machine->action, own);
        if (result.reason != machine->reason || !strstr(result.detail, machine->text)) {
            fail_msg("%s: %s (%s)", machine->name, ilp_reason_code(result.reason), result.detail);
        }
        check_body(machine, &bench, &result);
        assert_int_equal(result.inspected != 0, machine->reason == ILP_REASON_YIELDS);
        assert_int_equal(bench.emitter.calls != 0, machine->reason == ILP_REASON_YIELDS);
        end(&bench);
    }
}

/* The other methods, and all of them where no code requests the values. */
static void test_others(void **state)
{
    (void)state;
    static const struct ilp_rule_action none = {.async = ILP_ASYNC_RESULT};
    struct bench bench;
    ilp_token kickoff;
    begin(&bench, &machines[0]);
    assert_int_equal(rewrite(&bench, KICKOFF, &current, own).reason, ILP_REASON_ITERATOR);
    for (ilp_rid method = CURRENT; method <= DISPOSE; method++) {
        bool here = method != STATUS; /* which has no body */
        assert_int_equal(rewrite(&bench, method, &current, own).reason,
                         here ? ILP_REASON_ITERATOR_PART : ILP_REASON_NO_BODY);
        assert_int_equal(
            ilp_rewriter_kickoff(bench.rewriter, ILP_TOKEN(ILP_MethodDef, method), &kickoff, NULL),
            ILP_OK);
        assert_int_equal(kickoff, ILP_TOKEN(ILP_MethodDef, KICKOFF));
    }
    assert_int_equal(bench.emitter.calls, 0);
    for (ilp_rid method = KICKOFF; method <= CURRENT_OBJECT; method++) {
        assert_int_equal(rewrite(&bench, method, &none, own).reason, ILP_REASON_INSPECTED);
        assert_int_equal(rewrite(&bench, method, NULL, own).reason, ILP_REASON_INSPECTED);
    }
    end(&bench);
}

/* Fails at every question to the emitter in turn, and with every bit of memory less than is
 * needed. */
static void test_failures(void **state)
{
    (void)state;
    const struct machine *machine = &machines[3];
    for (unsigned fail_at = 1; fail_at < 20; fail_at++) {
        struct bench bench;
        struct ilp_method_result result;
        begin(&bench, machine);
        bench.emitter.fail_at = fail_at;
        bench.emitter.failure = ILP_E_CALLBACK;
        ilp_status status = ilp_rewrite_method(bench.rewriter, ILP_TOKEN(ILP_MethodDef, MOVE_NEXT),
                                               &guarded, own, &result, NULL);
        assert_int_equal(status, bench.emitter.calls < fail_at ? ILP_OK : ILP_E_CALLBACK);
        end(&bench);
    }
    size_t left = 0;
    for (ilp_status status = ILP_E_NO_MEMORY; status != ILP_OK; left += 8) {
        struct bench bench;
        struct ilp_method_result result;
        begin(&bench, machine);
        bench.rewriter->alloc.hook.limit = bench.rewriter->alloc.used + left + 1;
        status = ilp_rewrite_method(bench.rewriter, ILP_TOKEN(ILP_MethodDef, MOVE_NEXT), &guarded,
                                    own, &result, NULL);
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        bench.rewriter->alloc.hook.limit = 0; /* it stays usable */
        assert_int_equal(rewrite(&bench, MOVE_NEXT, &guarded, own).reason, ILP_REASON_YIELDS);
        end(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_move_next),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
