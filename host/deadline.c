/* Deadlines by the monotonic clock. See deadline.h. A time of 0 is "none", and setting the system's
 * clock changes nothing. */
#include "host/deadline.h"

#include <limits.h>
#include <time.h>

#include "host/process.h"

#define MILLION 1000000u

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 * MILLION + (uint64_t)time.tv_nsec;
}

struct deadline deadline_after(unsigned milliseconds)
{
    return (struct deadline){now() + (uint64_t)milliseconds * MILLION};
}

/* In ms, rounded up, so that a wait of this length does not end before the deadline; -1 for none,
 * as poll() has it. */
int deadline_left(struct deadline deadline)
{
    if (deadline.at == 0) {
        return -1;
    }
    uint64_t time = now();
    uint64_t left = deadline.at > time ? (deadline.at - time + MILLION - 1) / MILLION : 0;
    return left < INT_MAX ? (int)left : INT_MAX;
}

bool deadline_await(bool (*holds)(void), unsigned milliseconds)
{
    const struct deadline until = deadline_after(milliseconds);
    while (!holds() && deadline_left(until) != 0) {
        process_pause(1);
    }
    return holds();
}
