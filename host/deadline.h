/* How long something may take, by the monotonic clock: setting the time of day changes nothing, and
 * neither does a signal that comes meanwhile, such as SIGCONT. */
#ifndef DEADLINE_H
#define DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/* A moment in nanoseconds. */
struct deadline {
    uint64_t at; /* 0: none */
};

#define DEADLINE_NONE ((struct deadline){0})

struct deadline deadline_after(unsigned milliseconds);

/* In milliseconds as poll() takes them: 0 when it has passed, -1 for ever. */
int deadline_left(struct deadline deadline);

#endif
