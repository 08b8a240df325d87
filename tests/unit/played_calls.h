/* What inspected methods call of the profiler, called by a test in their place, in a played
 * runtime. */
#ifndef PLAYED_CALLS_H
#define PLAYED_CALLS_H

#include "tests/unit/session_app.h"

#include <pthread.h>

#include "il/body.h"
#include "il/code.h"

enum { ADD = 0x06000001, NOTE };

/* What inspected methods call. */
typedef void by_address_fn(const void *value, uint32_t size, int64_t id);
typedef void exception_fn(const void *object, const void *local, int64_t id);
typedef void act_fn(void);
typedef int32_t wants_fn(void);
typedef void thread_fn(const void *object);

enum { MOST_NUMBERS = 10 };

/* N.C::Add(int, string) returns an int; N.C::Note(int) nothing. */
static inline void begin(struct session *session, const char *options)
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
    wants_fn *wants; /* NULL: lines have no activity */
    thread_fn *thread;
    act_fn *write_out; /* NULL: no lines are written */
} played;

static inline void write_line(void)
{
    bool wanted = true;
    if (played.wants && (wanted = played.wants()) != 0) {
        played.thread(NULL);
    }
    if (played.write_out && wanted) {
        played.write_out();
    }
}

/* The numbers that a body loads, each once, in their order: the id of its method, and addresses. */
static inline unsigned numbers_of(const struct session *session, ilp_token method,
                                  int64_t numbers[MOST_NUMBERS])
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
            assert_true(count < MOST_NUMBERS);
            numbers[count++] = number;
        }
    }
    ilp_arena_close(arena);
    return count;
}

/* The methods are compiled, and the numbers are theirs. */
static inline void start(struct session *session, bool writes)
{
    session_start(session);
    session_compile(session, APP, ADD);
    session_compile(session, APP, NOTE);
    int64_t add[MOST_NUMBERS] = {0}, note[MOST_NUMBERS] = {0};
    unsigned count = numbers_of(session, ADD, add);
    unsigned context = count > 6u + writes ? 2 : 0;
    assert_int_equal(count, 6 + context + writes);
    assert_int_equal(numbers_of(session, NOTE, note), 4 + context + writes);
    played.add = add[0];
    played.note = note[0];
    played.enter = (by_address_fn *)(uintptr_t)add[1];
    played.reference = (by_address_fn *)(uintptr_t)add[2];
    played.object = (by_address_fn *)(uintptr_t)add[3];
    played.exception = (exception_fn *)(uintptr_t)add[4];
    played.wants = context ? (wants_fn *)(uintptr_t)add[5] : NULL;
    played.thread = context ? (thread_fn *)(uintptr_t)add[6] : NULL;
    played.write_out = writes ? (act_fn *)(uintptr_t)add[5 + context] : NULL;
    played.show = (by_address_fn *)(uintptr_t)add[5 + context + writes];
    played.leave = (by_address_fn *)(uintptr_t)note[3];
}

static inline void in_thread(void *(*function)(void *))
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, function, NULL), 0);
    pthread_join(thread, NULL);
}

#endif
