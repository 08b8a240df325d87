/* What the IL of traced methods calls, called by functions of this test: frames that have gone
 * without a word are found by the stack pointer. That the runtime's own methods call in that way is
 * seen in tests/runtime/by_il. */
#include "profiler/hooks/passages.h"

#include <alloca.h>
#include <setjmp.h>

#include "profiler/hooks/paths.h"
#include "profiler/hooks/threads.h"
/* after them: both have a macro COUNT, and state.h undefines its own */
#include "tests/unit/spool_builder.h"

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

typedef void passage(const struct hooked *method);

#define METHOD(number)                             \
    {                                              \
        .id = (number), .short_id = {(number), 1 } \
    }
static const struct hooked methods[] = {METHOD(1), METHOD(2), METHOD(3), METHOD(4)};
static const struct hooked *const a = &methods[0], *const b = &methods[1], *const c = &methods[2],
                                  *const d = &methods[3];
static struct ilpi_tracer tracer;
static jmp_buf out;
static volatile int nothing; /* keeps calls from being the last thing that a function does */

static void enter(const struct hooked *method)
{
    ((passage *)(uintptr_t)tracer.enter)(method);
    nothing++;
}

static void leave(const struct hooked *method)
{
    ((passage *)(uintptr_t)tracer.leave)(method);
    nothing++;
}

/* Inlined into each of the calls below, so that the stack pointer is theirs. */
#define ENTER(method) (((passage *)(uintptr_t)tracer.enter)(method), nothing++)
#define LEAVE(method) (((passage *)(uintptr_t)tracer.leave)(method), nothing++)

static NOINLINE void returns(const struct hooked *method)
{
    ENTER(method);
    LEAVE(method);
}

static NOINLINE void throws(const struct hooked *method)
{
    ENTER(method);
    longjmp(out, 1);
}

static NOINLINE void lets_through(const struct hooked *method, const struct hooked *callee)
{
    ENTER(method);
    throws(callee);
    LEAVE(method);
}

static NOINLINE void calls_twice(void)
{
    ENTER(a);
    returns(b);
    returns(b);
    LEAVE(a);
}

static NOINLINE void catches(void)
{
    ENTER(a);
    if (setjmp(out) == 0) {
        lets_through(b, c);
    }
    returns(d);
    LEAVE(a);
}

/* Nothing is called before it ends. */
static NOINLINE void catches_and_ends(void)
{
    ENTER(a);
    if (setjmp(out) == 0) {
        lets_through(b, c);
    }
    LEAVE(a);
}

/* What it was, of the same method. */
static NOINLINE void catches_itself(void)
{
    ENTER(a);
    if (setjmp(out) == 0) {
        lets_through(a, b);
    }
    returns(a);
    LEAVE(a);
}

static NOINLINE void makes_tail_calls(void)
{
    ENTER(a);
    ((passage *)(uintptr_t)tracer.tailcall)(a);
    nothing++;
    returns(b);
}

static NOINLINE void has_localloc(void)
{
    ENTER(a);
    volatile char *room = alloca(4096 + (size_t)nothing % 2);
    room[0] = 1;
    returns(b);
    LEAVE(a);
}

static NOINLINE void begins_alone(void)
{
    ENTER(b);
}

/* The end is a jump: it comes from below. */
__attribute__((unused)) static NOINLINE void is_left_by_a_jump(void)
{
    enter(a);
    begins_alone();
    leave(b);
    leave(a);
}

static NOINLINE void was_not_entered(void)
{
    LEAVE(c);
    returns(a);
}

static NOINLINE void brief(const struct hooked *method)
{
    ((passage *)(uintptr_t)tracer.brief)(method);
    nothing++;
}

static NOINLINE void has_brief_calls(void)
{
    brief(b);
    ENTER(a);
    brief(b);
    brief(c);
    brief(b);
    LEAVE(a);
}

/* What the exception has ended is off the stack before the next one. */
static NOINLINE void catches_before_a_brief_call(void)
{
    ENTER(a);
    if (setjmp(out) == 0) {
        throws(b);
    }
    brief(d);
    LEAVE(a);
}

static const struct {
    const char *name;
    void (*run)(void);
    const char *said;
    const char *counted;
} cases[] = {
    {"calls", calls_twice, "+1 +2 -2 +2 -2 -1", "1:1(2:2)"},
    {"an exception that was not reported", catches, "+1 +2 +3 !3 !2 +4 -4 -1",
     "1:1(2:1!1(3:1!1)4:1)"},
    {"and nothing after it", catches_and_ends, "+1 +2 +3 !3 !2 -1", "1:1(2:1!1(3:1!1))"},
    {"of the same method", catches_itself, "+1 +1 +2 !2 !1 +1 -1 -1", "1:1(1:2!1(2:1!1))"},
    {"a tail call", makes_tail_calls, "+1 ~1 +2 -2", "1:1~12:1"},
    {"localloc", has_localloc, "+1 +2 -2 -1", "1:1(2:1)"},
#ifdef __OPTIMIZE__ /* else the functions that are called have frames of other sizes */
    {"a jump", is_left_by_a_jump, "+1 +2 -2 -1", "1:1(2:1)"},
#endif
    {"brief calls", has_brief_calls, "+2 -2 +1 .2 .3 .2 -1", "2:11:1(2:23:1)"},
    {"a brief call after an exception", catches_before_a_brief_call, "+1 +2 !2 +4 -4 -1",
     "1:1(2:1!14:1)"},
    {"an end alone", was_not_entered, "+1 -1", "1:1"},
};

/* ---- rooms, where records are written at once; without them each is looked at ---- */

static _Alignas(8) uint8_t room[ILPI_CHUNK_SIZE];
static bool room_is_taken;

static uint8_t *take_room(void *user, bool needed)
{
    (void)user, (void)needed;
    uint8_t *taken_room = room_is_taken ? NULL : room;
    room_is_taken = true;
    return taken_room;
}

static void give_room_back(void *user, uint8_t *given)
{
    (void)user;
    assert_ptr_equal(given, room);
    room_is_taken = false;
}

static ilp_status append_room(void *user, const struct ilp_bytes *parts, size_t count)
{
    struct built *built = *(struct built **)user;
    for (size_t i = 0; i < count; i++) {
        ib_put(&built->bytes, parts[i].data, parts[i].size);
    }
    return ILP_OK;
}

static struct built *in_rooms;
static const struct ilpi_spool_rooms rooms = {&in_rooms, take_room, give_room_back, NULL,
                                              append_room};

/* ---- the cases ---- */

static void begin(struct built *built, bool count, bool has_rooms)
{
    hooks.settings = (struct trace_settings){.by = {true, TRACE_BY_IL}, .no_times = count};
    tracer = hooks_tracer();
    in_rooms = built;
    ilpi_spool_init(&hooks.spool, (struct ilp_sink){&built->bytes, built_append},
                    has_rooms ? &rooms : NULL, 7);
    atomic_store(&hooks.closed, false);
    if (!hooks.profiler) {
        static struct profiler profiler;
        hooks.profiler = &profiler;
        hooks.watch = 1;
        hooks_threads_open();
    }
    hooks_listen(true);
    if (hooks_current) { /* of a case before */
        ilpi_spool_thread_begin(&hooks_current->spool, &hooks.spool, 1, 0, 0);
    }
    if (count && hooks_current) {
        hooks_paths_begin(hooks_current);
    }
}

static void say_record(const struct ilpi_spool_record *record, char *to)
{
    const uint64_t *numbers = record->numbers;
    static const struct {
        enum ilpi_spool_kind kind;
        char sign;
    } signs[] = {{SPOOL_ENTER, '+'},
                 {SPOOL_LEAVE, '-'},
                 {SPOOL_TAILCALL, '~'},
                 {SPOOL_UNWIND, '!'},
                 {SPOOL_BRIEF, '.'}};
    for (size_t i = 0; i < COUNT(signs); i++) {
        if (record->kind == signs[i].kind) {
            sprintf(to + strlen(to), "%s%c%u", *to != '\0' ? " " : "", signs[i].sign,
                    (unsigned)numbers[FIELD_METHOD]);
        }
    }
}

/* Paths as text: "method:calls~tail calls!unwound(children)". */
static void say_count(const struct ilpi_spool_record *record, bool *open, char *to)
{
    const uint64_t *numbers = record->numbers;
    char *end = to + strlen(to);
    if (record->kind == SPOOL_CALLS) {
        end += *open ? sprintf(end, "(") : 0;
        end += sprintf(end, "%u:%u", (unsigned)numbers[FIELD_METHOD],
                       (unsigned)numbers[FIELD_CALLS]);
        end += numbers[FIELD_TAILCALLS] != 0
                   ? sprintf(end, "~%u", (unsigned)numbers[FIELD_TAILCALLS])
                   : 0;
        if (numbers[FIELD_UNWOUND] != 0) {
            sprintf(end, "!%u", (unsigned)numbers[FIELD_UNWOUND]);
        }
        assert_int_equal(numbers[FIELD_OPEN], 0);
        *open = true;
    } else if (record->kind == SPOOL_LEAVE) {
        sprintf(end, "%s", *open ? "" : ")");
        *open = false;
    }
}

static void end(struct built *built, bool count, char *said)
{
    struct ilpi_spool_file file;
    struct ilpi_spool_walk walk;
    struct ilpi_spool_record record;
    struct ilp_error error;
    bool open = false;
    hooks_listen(false);
    if (count) {
        hooks_paths_write(hooks_current, &hooks_current->spool);
    }
    ilpi_spool_thread_end(&hooks_current->spool, hooks_now());
    struct ilp_bytes bytes = {built->bytes.data, built->bytes.size};
    assert_int_equal(ilpi_spool_open(&file, bytes, NULL, &error), ILP_OK);
    ilpi_spool_walk_begin(&walk, &file, &file.processes.items[0].threads.items[0]);
    while (ilpi_spool_walk_next(&walk, &record)) {
        count ? say_count(&record, &open, said) : say_record(&record, said);
    }
    assert_int_equal(file.damaged, 0);
    assert_int_equal(hooks_current->stack.depth, 0);
    ilpi_spool_close(&file);
    ib_free(&built->bytes);
}

static void run_cases(bool count, bool has_rooms)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built = {.now = 0};
        char said[512] = "";
        print_message("%s\n", cases[i].name);
        begin(&built, count, has_rooms);
        cases[i].run();
        end(&built, count, said);
        assert_string_equal(said, count ? cases[i].counted : cases[i].said);
    }
}

static void calls_are_recorded(void **state)
{
    (void)state;
    run_cases(false, false);
    run_cases(false, true);
}

static void calls_are_counted(void **state)
{
    (void)state;
    run_cases(true, false);
    run_cases(true, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_recorded),
        cmocka_unit_test(calls_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
