/* Reads time, from the processor's counter where the system's clock is based on it. See clock.h.
 *
 *   ns = hooks_clock.ns + ((counter - hooks_clock.then) * rate >> CLOCK_SHIFT)
 *   version: odd while the three are being replaced; 0: no counter, the system's clock is read
 *
 * The rate and the offset of the counter are adjusted each second against the system's clock. */
#include "profiler/hooks/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct hooks_clock hooks_clock;
atomic_uint_least64_t hooks_clock_next_look = UINT64_MAX;

uint64_t hooks_clock_wall(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#if defined __x86_64__

#define CALIBRATION 2000000u /* ns */
#define SECOND      1000000000u

/* Counter and time at one moment. */
struct moment {
    uint64_t counter;
    uint64_t ns;
};

static struct moment first;

/* The fastest of several tries: it was not interrupted. */
static struct moment look(void)
{
    struct moment best = {0, 0};
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t before = __builtin_ia32_rdtsc();
        uint64_t ns = hooks_clock_query();
        uint64_t took = __builtin_ia32_rdtsc() - before;
        if (took < least) {
            least = took;
            best = (struct moment){before + took / 2, ns};
        }
    }
    return best;
}

/* The system has verified that the counter is synchronized on all processors and never stops. */
static bool system_uses_counter(void)
{
    char name[8] = "";
    int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                    O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : read(file, name, sizeof name - 1);
    if (file >= 0) {
        close(file);
    }
    return size == 4 && memcmp(name, "tsc\n", 4) == 0;
}

/* The rate is the average since the start; the offset is current. */
static void set(struct moment now)
{
    uint32_t version = atomic_load(&hooks_clock.version);
    uint64_t rate = (uint64_t)((double)(now.ns - first.ns) / (double)(now.counter - first.counter) *
                               (1u << CLOCK_SHIFT));
    atomic_store(&hooks_clock.version, version + 1);
    atomic_store_explicit(&hooks_clock.ns, now.ns, memory_order_release);
    atomic_store_explicit(&hooks_clock.then, now.counter, memory_order_release);
    atomic_store_explicit(&hooks_clock.rate, rate, memory_order_release);
    atomic_store(&hooks_clock.version, version + 2);
}

void hooks_clock_open(void)
{
    if (!system_uses_counter()) {
        return;
    }
    first = look();
    while (hooks_clock_query() - first.ns < CALIBRATION) {
    }
    set(look());
}

/* Whether it may still be used. */
static bool measure(void)
{
    bool right = system_uses_counter();
    if (right) {
        set(look());
    } else {
        atomic_store(&hooks_clock.version, 0);
    }
    return right;
}

void hooks_clock_adjust(void)
{
    if (atomic_load(&hooks_clock.version) != 0) {
        measure();
    }
}

/* The rate is known only after some time. */
void hooks_clock_begin(void)
{
    atomic_store(&hooks_clock.version, 0); /* an earlier time would be converted wrongly */
    if (system_uses_counter()) {
        first = look();
        atomic_store(&hooks_clock_next_look, first.ns + CALIBRATION);
    } else {
        atomic_store(&hooks_clock_next_look, UINT64_MAX);
    }
}

void hooks_clock_look(uint64_t now)
{
    static atomic_flag busy = ATOMIC_FLAG_INIT; /* a thread may be suspended for longer than that */
    if (atomic_flag_test_and_set(&busy)) {
        return;
    }
    if (now >= atomic_load(&hooks_clock_next_look)) {
        /* a rate predicts the next interval as well as it measured an equal one */
        uint64_t known = now - first.ns < SECOND ? now - first.ns : SECOND;
        atomic_store(&hooks_clock_next_look, measure() ? now + known : UINT64_MAX);
    }
    atomic_flag_clear(&busy);
}

#else

void hooks_clock_open(void)
{
}

void hooks_clock_adjust(void)
{
}

void hooks_clock_begin(void)
{
}

void hooks_clock_look(uint64_t now)
{
    (void)now;
}

#endif
