/* Deadlines by the monotonic clock: independent of changes to the time of day, and of signals, such
 * as SIGCONT. */
#ifndef DEADLINE_H
#define DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/* A time in nanoseconds. */
struct deadline {
    uint64_t at; /* 0: none */
};

#define DEADLINE_NONE ((struct deadline){0})

struct deadline deadline_after(unsigned milliseconds);

/* In milliseconds for poll(): 0 if it has passed, -1 for none. */
int deadline_left(struct deadline deadline);

/* Waits until `holds` says so, looking each millisecond, but not longer than this; what it says
 * then. */
bool deadline_await(bool (*holds)(void), unsigned milliseconds);

#endif
