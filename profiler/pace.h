/* How many values of one method are shown per period (--method-rate), and how many calls it has
 * had. A value that is not shown costs a read of one number, and no clock. Time advances by ticks
 * of a profiler thread (attached.c). */
#ifndef ILPI_PACE_H
#define ILPI_PACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    PACE_TICK_MS = 50,
    /* a thread counts one per this many calls, so that threads rarely write the shared number */
    PACE_CALLS_COUNTED = 64
};

/* Of a method; zeroed before its first value. */
struct pace {
    _Atomic uint64_t shown; /* in a tick: its number << 32 | values */
    _Atomic uint32_t calls; /* approximately, since the last check */
    _Atomic uint32_t taken; /* values shown since then */
};

/* The limits for all methods. */
struct pace_limits {
    _Atomic uint32_t tick;
    uint32_t values; /* per method and tick; 0: unlimited */
};
extern struct pace_limits pace_limits;

/* `values` of a method per period, in ns; 0: unlimited. Call it before any value. */
void pace_open(uint32_t values, uint64_t period);
void pace_tick(void);

/* Whether a method has used up its values of this tick. */
static inline bool pace_is_over(const struct pace *pace)
{
    uint64_t shown = atomic_load_explicit(&pace->shown, memory_order_relaxed);
    uint32_t tick = atomic_load_explicit(&pace_limits.tick, memory_order_relaxed);
    return pace_limits.values != 0 && shown >> 32 == tick && (uint32_t)shown >= pace_limits.values;
}

/* Takes one, unless used up: concurrent threads may take a few more. */
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

/* Counts a call; `count` is the thread's own. */
static inline void pace_count(struct pace *pace, uint32_t *count)
{
    if (++*count % PACE_CALLS_COUNTED == 0) {
        atomic_fetch_add_explicit(&pace->calls, PACE_CALLS_COUNTED, memory_order_relaxed);
    }
}

#endif
