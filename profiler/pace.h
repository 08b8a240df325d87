/* How many values of one method are shown in a while (--method-rate), and how many calls it has
 * had: what a value costs that is not shown is a look at one number, so no clock is read for it.
 * Time passes by ticks, which a thread of the profiler's own makes (attached.c). */
#ifndef ILPI_PACE_H
#define ILPI_PACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    PACE_TICK_MS = 50,
    /* of its calls a thread counts one for so many, so that threads share no number at each */
    PACE_CALLS_COUNTED = 64
};

/* Of a method; zeroed before its first value. */
struct pace {
    _Atomic uint64_t shown; /* in a tick: its number << 32 | values */
    _Atomic uint32_t calls; /* since the latest look, about */
    _Atomic uint32_t taken; /* values that were shown, since then */
};

/* What holds for all methods. */
struct pace_limits {
    _Atomic uint32_t tick;
    uint32_t values; /* of a method in a tick; 0: any number */
};
extern struct pace_limits pace_limits;

/* So many values of a method in each period, in ns; 0: any number. Before any value comes. */
void pace_open(uint32_t values, uint64_t period);
void pace_tick(void);

/* Whether a method has had as many as it may in this tick. */
static inline bool pace_is_over(const struct pace *pace)
{
    uint64_t shown = atomic_load_explicit(&pace->shown, memory_order_relaxed);
    uint32_t tick = atomic_load_explicit(&pace_limits.tick, memory_order_relaxed);
    return pace_limits.values != 0 && shown >> 32 == tick && (uint32_t)shown >= pace_limits.values;
}

/* One more, unless it has: what threads do at once may be some more. */
static inline bool pace_take(struct pace *pace)
{
    uint64_t shown = atomic_load_explicit(&pace->shown, memory_order_relaxed);
    uint32_t tick = atomic_load_explicit(&pace_limits.tick, memory_order_relaxed);
    if (pace_is_over(pace)) {
        return false;
    }
    shown = shown >> 32 == tick ? shown + 1 : (uint64_t)tick << 32 | 1;
    atomic_store_explicit(&pace->shown, shown, memory_order_relaxed);
    atomic_fetch_add_explicit(&pace->taken, 1, memory_order_relaxed);
    return true;
}

/* A call; `count` is its thread's own. */
static inline void pace_count(struct pace *pace, uint32_t *count)
{
    if (++*count % PACE_CALLS_COUNTED == 0) {
        atomic_fetch_add_explicit(&pace->calls, PACE_CALLS_COUNTED, memory_order_relaxed);
    }
}

#endif
