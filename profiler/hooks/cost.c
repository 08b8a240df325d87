/* Measures the cost of a traced call when the process starts: pairs of enter and leave, called like
 * compiled code calls them on the fast path, in a thread whose chunks are discarded. The slow path
 * goes through the runtime, which cannot be called from here: only our part of it is measured.
 *
 *   time: |---enter---|t1              t2|---leave---|
 *                       <--- inside --->              an empty call would seem to take this
 *         <------------------ pair ------------------>  and costs its caller this
 */
#include "profiler/hooks/cost.h"

#include <stdlib.h>

#include "elt/call.h"
#include "profiler/hooks/events.h"
#include "profiler/hooks/passages.h"

#define ROUNDS 40u
#define PAIRS  1000u

static void call_enter(const struct hooked *method)
{
    elt_call_enter3(method);
}

static void call_leave(const struct hooked *method)
{
    elt_call_leave3(method);
}

static void call_slow_enter(const struct hooked *method)
{
    hooks_enter(method, 0);
}

static void call_slow_leave(const struct hooked *method)
{
    hooks_leave(method, 0);
}

/* The functions to call. */
struct pair {
    void (*enter)(const struct hooked *method);
    void (*leave)(const struct hooked *method);
};

static struct pair pair_in_use(void)
{
    if (hooks_by_il()) {
        return (struct pair){hooks_il_enter, hooks_il_leave};
    }
    return hooks.slow ? (struct pair){call_slow_enter, call_slow_leave}
                      : (struct pair){call_enter, call_leave};
}

/* In nanoseconds. `inside` is the time between those that Enter and Leave read: the apparent
 * duration of an empty call. */
struct cost {
    uint64_t pair;
    uint64_t inside;
    uint64_t brief; /* a call with a BRIEF record */
};

/* `inside` is in the clock of the records, which enter and leave have read themselves. */
static struct cost measure_round(const struct hooks_thread *thread, const struct hooked *method,
                                 const struct pair *pair)
{
    uint64_t inside = 0;
    uint64_t begin = hooks_now();
    for (unsigned i = 0; i < PAIRS; i++) {
        pair->enter(method);
        uint64_t entered = thread->spool.time;
        pair->leave(method);
        inside += thread->spool.time - entered;
    }
    return (struct cost){.pair = (hooks_now() - begin) / PAIRS, .inside = inside / PAIRS};
}

static uint64_t measure_brief_round(const struct hooked *method)
{
    uint64_t begin = hooks_now();
    for (unsigned i = 0; i < PAIRS; i++) {
        hooks_il_brief(method);
    }
    return (hooks_now() - begin) / PAIRS;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The minimum of several rounds: all other activity only adds. */
static struct cost measure(struct hooks_thread *thread)
{
    const struct hooked method = {.id = 1, .short_id = ilpi_short_id(1)};
    struct pair pair = pair_in_use();
    struct cost least = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct cost cost = measure_round(thread, &method, &pair);
        least.pair = least_of(least.pair, cost.pair);
        least.inside = least_of(least.inside, cost.inside);
        if (hooks_by_il()) {
            least.brief = least_of(least.brief, measure_brief_round(&method));
        }
    }
    return least;
}

/* A separate thread record, and its room: no other thread's records are affected. */
struct measured {
    struct hooks_thread thread;
    struct ilpi_spool_rooms rooms;
    bool is_taken;
    _Alignas(8) uint8_t room[ILPI_CHUNK_SIZE];
};

/* One room, once: there is nothing to write it to. */
static uint8_t *take_room(void *user, bool needed)
{
    struct measured *measured = user;
    uint8_t *room = measured->is_taken ? NULL : measured->room;
    (void)needed;
    measured->is_taken = true;
    return room;
}

static ilp_status forget(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return ILP_OK;
}

static ilp_status forget_parts(void *user, const struct ilp_bytes *parts, size_t count)
{
    (void)user, (void)parts, (void)count;
    return ILP_OK;
}

/* With a spool that discards, and a thread record of its own in place of the current one: hooks
 * find all that they need, and leave no trace. */
static void measure_here(void)
{
    struct ilpi_spool nowhere;
    struct measured *measured = calloc(1, sizeof *measured);
    struct hooks_thread *before = hooks_current;
    if (!measured || !shadow_stack_open(&measured->thread.stack, 8)) {
        free(measured);
        return;
    }
    struct hooks_thread *thread = &measured->thread;
    measured->rooms =
        (struct ilpi_spool_rooms){.user = measured, .take = take_room, .append = forget_parts};
    ilpi_spool_init(&nowhere, (struct ilp_sink){NULL, forget}, &measured->rooms, 0);
    ilpi_spool_thread_begin(&thread->spool, &nowhere, 1, hooks_now(), 0);
    thread->watch = hooks.watch;
    thread->epoch = atomic_load(&hooks.epoch);
    hooks_current = thread;
    struct cost cost = measure(thread);
    hooks_current = before;
    if (hooks_are_on()) { /* else it was switched off meanwhile, and the measurement is wrong */
        ilpi_spool_cost(&hooks.spool, hooks_now(), cost.pair, cost.inside);
        if (hooks_by_il()) {
            ilpi_spool_brief_cost(&hooks.spool, hooks_now(), cost.brief);
        }
    }
    shadow_stack_close(&thread->stack);
    free(measured);
}

/* Values and checks of stacks are switched off meanwhile, as there is no compiled caller. */
void hooks_measure(void)
{
    struct trace_settings settings = hooks.settings;
    hooks.settings.values = false;
    hooks.settings.check_stacks = 0;
    elt_switch(true);
    measure_here();
    elt_switch(false);
    hooks.settings = settings;
}

void hooks_measure_late(void)
{
    if (hooks_are_on() && hooks.settings.check_stacks == 0) {
        measure_here();
    }
}
