/* Loaded in front of the C library: how often the thread that turns a trace on and off has done so.
 * It waits for a semaphore, and what it was woken for is done when it waits again. */
#include <dlfcn.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int done;

int switched(void)
{
    return atomic_load(&done);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
    static _Thread_local int woken;
    int (*next)(sem_t *, const struct timespec *) =
        (int (*)(sem_t *, const struct timespec *))dlsym(RTLD_NEXT, "sem_timedwait");
    atomic_fetch_add(&done, woken);
    int result = next(semaphore, until);
    woken = result == 0;
    return result;
}
