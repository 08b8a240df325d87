/* Nanoseconds of the system's monotonic clock, read as fast as possible: half of a hook's time is
 * for this.
 *
 * If the system's clock is based on the processor's counter, that is read here directly, without
 * the library: 9 ns instead of 23 (x86-64, Linux 6.1). Its rate and offset are measured at the
 * start and again every second, so that the time stays the system's. Otherwise, and in case of
 * doubt, the system's clock is read. */
#ifndef ILPI_HOOKS_CLOCK_H
#define ILPI_HOOKS_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* time = ns + (counter - then) * rate / 2^CLOCK_SHIFT, while `version` is even and unchanged (a
 * seqlock). Each member is stored with release and loaded with acquire, so that a reader of any
 * changed member also sees an odd `version`: ThreadSanitizer does not support fences. */
struct hooks_clock {
    atomic_uint_least32_t version; /* 0: the counter is not used */
    atomic_uint_least64_t ns;
    atomic_uint_least64_t then;
    atomic_uint_least64_t rate;
};

#define CLOCK_SHIFT 24
/* counter units, a minute or more: beyond it the product would overflow */
#define CLOCK_REACH ((uint64_t)1 << 38)

extern struct hooks_clock hooks_clock;
extern atomic_uint_least64_t hooks_clock_next_look; /* the time of the next measurement */
void hooks_clock_look(uint64_t now);

/* Takes two milliseconds. */
void hooks_clock_open(void);

/* Every second, by one thread. */
void hooks_clock_adjust(void);

/* Instead of the two, where no time may be spent and no thread adjusts the clock: starts it;
 * readers report their times, which triggers a measurement when it is due. */
void hooks_clock_begin(void);
static inline void hooks_clock_keep(uint64_t now)
{
    if (now >= atomic_load_explicit(&hooks_clock_next_look, memory_order_relaxed)) {
        hooks_clock_look(now);
    }
}

/* Nanoseconds since 1970: wall clock. */
uint64_t hooks_clock_wall(void);

static inline uint64_t hooks_clock_query(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline uint64_t hooks_now(void)
{
#if defined __x86_64__
    uint32_t version = atomic_load_explicit(&hooks_clock.version, memory_order_acquire);
    uint64_t ns = atomic_load_explicit(&hooks_clock.ns, memory_order_acquire);
    uint64_t then = atomic_load_explicit(&hooks_clock.then, memory_order_acquire);
    uint64_t rate = atomic_load_explicit(&hooks_clock.rate, memory_order_acquire);
    uint64_t counts = __builtin_ia32_rdtsc() - then;
    if (version != 0 && version % 2 == 0 && counts < CLOCK_REACH &&
        version == atomic_load_explicit(&hooks_clock.version, memory_order_relaxed)) {
        return ns + (counts * rate >> CLOCK_SHIFT);
    }
#endif
    return hooks_clock_query();
}

/* The two times may be read in different ways, so an earlier one can be later by a little. */
static inline uint64_t hooks_since(uint64_t begin)
{
    uint64_t now = hooks_now();
    return now > begin ? now - begin : 0;
}

#endif
