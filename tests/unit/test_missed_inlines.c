/* profiler/clr/missed_inlines.c: events whole, cut and of others; methods noted, claimed and
 * taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profiler/clr/missed_inlines.c" /* the library has no profiler in it */
#include "profiler/compile_stack.c"
#include "host/memory.h"

enum { OF_RUNTIME = 7, COLLECTIBLE = 9 };

static bool runs;

bool event_pipe_start(struct event_pipe *pipe, void *unknown, const char *word)
{
    (void)pipe, (void)unknown, (void)word;
    runs = true;
    return true;
}

void event_pipe_stop(struct event_pipe *pipe)
{
    (void)pipe;
    runs = false;
}

void event_pipe_close(struct event_pipe *pipe)
{
    (void)pipe;
}

bool event_pipe_is_of_runtime(struct event_pipe *pipe, uintptr_t provider)
{
    (void)pipe;
    return provider == OF_RUNTIME;
}

bool own_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
    return pthread_create(thread, NULL, run, argument) == 0;
}

void status_line(const char *word, const char *format, ...)
{
    (void)word, (void)format;
}

bool module_is_collectible(struct profiler *profiler, ModuleID id)
{
    (void)profiler;
    return id == COLLECTIBLE;
}

struct payload {
    uint8_t bytes[1024];
    size_t size;
};

static void put_text(struct payload *payload, const char *text)
{
    do {
        payload->bytes[payload->size++] = (uint8_t)*text;
        payload->bytes[payload->size++] = 0;
    } while (*text++ != '\0');
}

static struct payload failed(const char *reason)
{
    struct payload payload = {.size = 0};
    for (unsigned i = 0; i < 9; i++) {
        put_text(&payload, i % 3 == 0 ? "N.C" : "M");
    }
    payload.size += 4; /* FailAlways */
    put_text(&payload, reason);
    payload.size += 2; /* ClrInstanceID */
    return payload;
}

/* An event while a method is compiled, from a copy of just that size, so that a read too far shows
 * under ASan. */
static void deliver(struct profiler *profiler, struct compiled_method method, uintptr_t provider,
                    uint32_t id, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size != 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    method.function = 1;
    compile_stack_push(&method);
    missed_inlines_event(profiler, provider, id, (struct ilp_bytes){copy, size});
    missed_inlines_event(profiler, provider, id,
                         (struct ilp_bytes){copy, size}); /* a second call */
    compile_stack_pop(1);
    free(copy);
}

static void compile(struct profiler *profiler, ModuleID module, ilp_token token, bool rejit)
{
    struct payload payload = failed("ReJIT methods cannot be inlined.");
    deliver(profiler, (struct compiled_method){.module = module, .token = token, .is_rejit = rejit},
            OF_RUNTIME, EVENT_INLINING_FAILED, payload.bytes, payload.size);
}

static ULONG take(struct profiler *profiler, ilp_token *first)
{
    ModuleID *modules;
    ilp_token *methods;
    ULONG count;
    missed_inlines_take(profiler->missed, &modules, &methods, &count);
    *first = count != 0 ? methods[0] : 0;
    free(modules);
    free(methods);
    return count;
}

static int begin(void **state)
{
    static struct profiler profiler;
    profiler = (struct profiler){.info = NULL};
    pthread_mutex_init(&profiler.lock, NULL);
    missed_inlines_listen(&profiler);
    *state = &profiler;
    return !profiler.missed || !runs;
}

static int end(void **state)
{
    struct profiler *profiler = *state;
    struct missed_inlines *missed = profiler->missed;
    missed_inlines_stop(missed);
    missed_inlines_stop(NULL);
    ILPI_LIST_FREE(&missed->alloc, &missed->methods);
    ilpi_map_free(&missed->places, &missed->alloc);
    free(missed);
    pthread_mutex_destroy(&profiler->lock);
    return runs;
}

static void a_method_is_due_once(void **state)
{
    struct profiler *profiler = *state;
    ilp_token first;
    compile(profiler, 1, 0x06000001, false);
    compile(profiler, 1, 0x06000001, false);
    assert_int_equal(take(profiler, &first), 1);
    assert_int_equal(first, 0x06000001);
    assert_int_equal(take(profiler, &first), 0);
    assert_int_equal(missed_inlines_take_kept(profiler->missed), 0);
}

static void what_was_noted_is_not_reverted(void **state)
{
    struct profiler *profiler = *state;
    ilp_token first;
    compile(profiler, 1, 0x06000001, false);
    assert_int_equal(take(profiler, &first), 1);
    assert_false(missed_inlines_claim(profiler->missed, 2, 0x06000001));
    assert_false(missed_inlines_claim(profiler->missed, 1, 0x06000002));
    assert_int_equal(take(profiler, &first), 0);
    assert_true(missed_inlines_claim(profiler->missed, 1, 0x06000001));
    assert_int_equal(take(profiler, &first), 1);
    compile(profiler, 1, 0x06000001, true); /* of the version that it has since */
    assert_int_equal(take(profiler, &first), 1);
    assert_false(missed_inlines_claim(NULL, 1, 0x06000001));
}

static void rejit_of_others_is_reverted(void **state)
{
    struct profiler *profiler = *state;
    ilp_token first;
    compile(profiler, 1, 0x06000001, true);
    assert_int_equal(take(profiler, &first), 0);
    assert_int_equal(missed_inlines_take_kept(profiler->missed), 0);
}

static void what_is_compiled_once_is_counted(void **state)
{
    struct profiler *profiler = *state;
    ilp_token first;
    compile(profiler, 1, 0, false); /* a dynamic method */
    compile(profiler, COLLECTIBLE, 0x06000001, false);
    assert_int_equal(take(profiler, &first), 0);
    assert_int_equal(missed_inlines_take_kept(profiler->missed), 2);
    assert_int_equal(missed_inlines_take_kept(profiler->missed), 0);
}

static void other_events_are_left_alone(void **state)
{
    struct profiler *profiler = *state;
    const struct compiled_method method = {.module = 1, .token = 0x06000001};
    struct payload whole = failed("ReJIT methods cannot be inlined.");
    struct payload other = failed("too many il bytes");
    ilp_token first;
    for (size_t size = 0; size + 6 < whole.size;
         size++) { /* ".", NUL and ClrInstanceID are not read */
        deliver(profiler, method, OF_RUNTIME, EVENT_INLINING_FAILED, whole.bytes, size);
    }
    deliver(profiler, method, OF_RUNTIME, EVENT_INLINING_FAILED, other.bytes, other.size);
    deliver(profiler, method, OF_RUNTIME, EVENT_TAIL_CALL_FAILED, whole.bytes, whole.size);
    deliver(profiler, method, OF_RUNTIME + 1, EVENT_INLINING_FAILED, whole.bytes, whole.size);
    missed_inlines_event(profiler, OF_RUNTIME, EVENT_INLINING_FAILED,
                         (struct ilp_bytes){whole.bytes, whole.size}); /* nothing is compiled */
    assert_int_equal(take(profiler, &first), 0);
    assert_int_equal(missed_inlines_take_kept(profiler->missed), 0);
}

static void there_is_a_limit(void **state)
{
    struct profiler *profiler = *state;
    ilp_token first;
    for (ilp_token rid = 1; rid <= MISSED_LIMIT + 3; rid++) {
        compile(profiler, 1, 0x06000000 + rid, false);
    }
    assert_int_equal(take(profiler, &first), MISSED_LIMIT);
    assert_int_equal(missed_inlines_take_kept(profiler->missed), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_method_is_due_once, begin, end),
        cmocka_unit_test_setup_teardown(what_was_noted_is_not_reverted, begin, end),
        cmocka_unit_test_setup_teardown(rejit_of_others_is_reverted, begin, end),
        cmocka_unit_test_setup_teardown(what_is_compiled_once_is_counted, begin, end),
        cmocka_unit_test_setup_teardown(other_events_are_left_alone, begin, end),
        cmocka_unit_test_setup_teardown(there_is_a_limit, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
