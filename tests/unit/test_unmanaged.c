/* profiler/unmanaged.c, in a played runtime: calls with their arguments, their values and the
 * exceptions that leave them; as lines, as JSON, in a spool, and counted. */
#include "tests/unit/session_app.h"

#include <pthread.h>

#include "il/body.h"
#include "il/code.h"

enum { ADD = 0x06000001, NOTE };

/* What inspected methods call. */
typedef void by_address_fn(const void *value, uint32_t size, int64_t id);
typedef void exception_fn(const void *object, const void *local, int64_t id);
typedef void act_fn(void);

/* N.C::Add(int, string) returns an int; N.C::Note(int) nothing. */
static void begin(struct session *session, const char *options)
{
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "N", "C", II_OBJECT);
    ii_body(&b, ii_method(&b, "Add", "00 02 08 08 0E"), "0A 02 2A");
    ii_body(&b, ii_method(&b, "Note", "00 01 01 08"), "06 2A");
    session_begin(session, options, 14);
    drop(session->app);
    session->app = session_file(&b);
    session->host.modules[APP - 1].image = session->app;
}

/* By the numbers in the bodies. */
static struct {
    int64_t add, note; /* ids */
    by_address_fn *enter, *reference, *object, *show, *leave;
    exception_fn *exception;
    act_fn *write_out; /* NULL: no lines are written */
} played;

static void write_line(void)
{
    if (played.write_out) {
        played.write_out();
    }
}

static void pass(const int32_t *number, const int32_t *local, int64_t id)
{
    played.enter(local, 0, id);
    played.reference(number, sizeof *number, id);
    if (id == played.add) {
        played.object(NULL, sizeof(void *), id);
    }
}

/* In a thread, whose end is seen, too: calls that return and one that throws. */
static void *play(void *unused)
{
    const int32_t first = 3, second = -1;
    int32_t local = 42;
    (void)unused;
    pass(&first, &local, played.add);
    played.show(&local, sizeof local, played.add);
    write_line();
    local = 43;
    played.show(&local, sizeof local, played.add); /* its entry was not seen */
    write_line();
    pass(&second, &local, played.add);
    played.exception(NULL, &local, played.add);
    write_line();
    pass(&first, &local, played.note);
    played.leave(&local, 0, played.note);
    write_line();
    return NULL;
}

/* The numbers that a body loads, each once, in their order: the id of its method, and addresses. */
static unsigned numbers_of(const struct session *session, ilp_token method, int64_t numbers[8])
{
    const uint8_t *bytes = session->host.modules[APP - 1].bodies[ILP_TOKEN_RID(method)];
    unsigned count = 0;
    struct ilp_body body;
    struct ilp_arena *arena;
    struct ilpi_insn insn;
    assert_non_null(bytes);
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_body_read(&body, (struct ilp_bytes){bytes, 1024}, 0, arena, NULL), ILP_OK);
    for (uint32_t at = 0; at < body.code.size; at += insn.size) {
        int64_t number;
        assert_true(ilpi_insn_read(body.code, at, &insn));
        if (insn.op != ILPI_OP_LDC_I8) {
            continue;
        }
        memcpy(&number, body.code.data + at + 1, sizeof number);
        bool known = false;
        for (unsigned i = 0; i < count; i++) {
            known = known || numbers[i] == number;
        }
        if (!known) {
            assert_true(count < 8);
            numbers[count++] = number;
        }
    }
    ilp_arena_close(arena);
    return count;
}

/* The methods are compiled, and the numbers are theirs. */
static void start(struct session *session, bool writes)
{
    session_start(session);
    session_compile(session, APP, ADD);
    session_compile(session, APP, NOTE);
    int64_t add[8] = {0}, note[8] = {0};
    assert_int_equal(numbers_of(session, ADD, add), 6 + writes);
    assert_int_equal(numbers_of(session, NOTE, note), 4 + writes);
    played.add = add[0];
    played.note = note[0];
    played.enter = (by_address_fn *)(uintptr_t)add[1];
    played.reference = (by_address_fn *)(uintptr_t)add[2];
    played.object = (by_address_fn *)(uintptr_t)add[3];
    played.exception = (exception_fn *)(uintptr_t)add[4];
    played.write_out = writes ? (act_fn *)(uintptr_t)add[5] : NULL;
    played.show = (by_address_fn *)(uintptr_t)add[5 + writes];
    played.leave = (by_address_fn *)(uintptr_t)note[3];
}

static void in_thread(void *(*function)(void *))
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, function, NULL), 0);
    pthread_join(thread, NULL);
}

static void run(struct session *session, bool writes)
{
    start(session, writes);
    in_thread(play);
    session_end(session);
}

#define ALL "--inspector unmanaged --inspect-returns --args --exceptions"

static void test_lines(void **state)
{
    struct session session;
    (void)state;
    begin(&session, ALL);
    run(&session, true);
    assert_string_equal(session.output, "N.C::Add(#1: 3, #2: null) -> 42 (System.Int32)\n"
                                        "N.C::Add -> 43 (System.Int32)\n"
                                        "N.C::Add(#1: -1, #2: null) threw null\n"
                                        "N.C::Note(#1: 3) -> void\n");
}

/* Of those that meet a condition. */
static void test_conditions(void **state)
{
    static const struct {
        const char *when, *lines;
    } rounds[] = {
        {"args.0==3", "N.C::Add(#1: 3, #2: null) -> 42 (System.Int32)\n"
                      "N.C::Note(#1: 3) -> void\n"},
        {"args.0<0", "N.C::Add(#1: -1, #2: null) threw null\n"},
        {"value==43", "N.C::Add -> 43 (System.Int32)\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct session session;
        char options[256];
        snprintf(options, sizeof options, ALL " --when %s", rounds[i].when);
        begin(&session, options);
        run(&session, true);
        assert_string_equal(session.output, rounds[i].lines);
    }
}

static void test_json(void **state)
{
    static const char *const parts[] = {"\"args\":{\"#1\":3,\"#2\":null}", "\"value\":\"42\"",
                                        "\"exception\":{", "\"System.Void\""};
    struct session session;
    (void)state;
    begin(&session, ALL " --json");
    run(&session, true);
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (!strstr(session.output, parts[i])) {
            fail_msg("no %s: %s", parts[i], session.output);
        }
    }
}

static void test_spool(void **state)
{
    struct session session;
    char options[512];
    (void)state;
    begin(&session, "");
    snprintf(options, sizeof options, ALL " --spool %s", session.spool_path);
    setenv("ILPATCH_OPTIONS", options, 1);
    run(&session, false);
    assert_string_equal(session.output, "");
    session_says(&session, "recorded\t");
}

static void test_counts(void **state)
{
    struct session session;
    (void)state;
    begin(&session, ALL " --count");
    run(&session, false);
    assert_string_equal(session.output, "           2  N.C::Add\n");
    begin(&session, ALL " --count --when value>42");
    run(&session, false);
    assert_string_equal(session.output, "           1  N.C::Add\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),  cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_json),   cmocka_unit_test(test_spool),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
