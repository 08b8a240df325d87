/* Starts threads. See own_thread.h. */
#include "profiler/own_thread.h"

#include "base/thread.h"

bool own_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
    return ilpi_quiet_thread_start(thread, run, argument);
}
