/* Threads of the profiler's own, unknown to the runtime: they never run managed code. */
#ifndef ILPI_OWN_THREAD_H
#define ILPI_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Signals are the program's: the thread gets none, except its own faults. False: too many threads,
 * or no memory. */
bool own_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

#endif
