/* Of C11's threads what is used. */
#ifndef PORT_THREADS_H
#define PORT_THREADS_H

#include <sched.h>

#define thrd_yield() sched_yield()

#endif
