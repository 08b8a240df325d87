/* Threads of the profiler's own, which the runtime does not know: they never run managed code. */
#ifndef ILPI_OWN_THREAD_H
#define ILPI_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Signals are the program's: none is taken by the thread, but those of its own faults. False: there
 * are too many threads, or no memory is left. */
bool own_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

#endif
