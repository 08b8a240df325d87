/* Threads by POSIX. See thread.h. */
#include "base/thread.h"

#include <signal.h>
#include <stddef.h>

bool ilpi_mutex_open(struct ilpi_mutex *mutex)
{
    return pthread_mutex_init(&mutex->system, NULL) == 0;
}

void ilpi_mutex_close(struct ilpi_mutex *mutex)
{
    pthread_mutex_destroy(&mutex->system);
}

void ilpi_mutex_lock(struct ilpi_mutex *mutex)
{
    pthread_mutex_lock(&mutex->system);
}

void ilpi_mutex_unlock(struct ilpi_mutex *mutex)
{
    pthread_mutex_unlock(&mutex->system);
}

bool ilpi_event_open(struct ilpi_event *event)
{
    return pthread_cond_init(&event->system, NULL) == 0;
}

void ilpi_event_close(struct ilpi_event *event)
{
    pthread_cond_destroy(&event->system);
}

void ilpi_event_wait(struct ilpi_event *event, struct ilpi_mutex *mutex)
{
    pthread_cond_wait(&event->system, &mutex->system);
}

void ilpi_event_announce(struct ilpi_event *event)
{
    pthread_cond_broadcast(&event->system);
}

/* Signals to the process must be handled by its own threads, so a thread of this library blocks
 * them. Those of faults are for the thread that causes them: if they are blocked, the process ends
 * without its handler. */
bool ilpi_quiet_thread_start(pthread_t *thread, void *(*run)(void *user), void *user)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        sigdelset(&all, faults[i]);
    }
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a new thread inherits its creator's mask */
    bool started = pthread_create(thread, NULL, run, user) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void *run(void *user)
{
    const struct ilpi_thread *thread = user;
    thread->work(thread->user);
    return NULL;
}

bool ilpi_thread_start(struct ilpi_thread *thread, void (*work)(void *user), void *user)
{
    thread->work = work;
    thread->user = user;
    return ilpi_quiet_thread_start(&thread->system, run, thread);
}

void ilpi_thread_join(struct ilpi_thread *thread)
{
    pthread_join(thread->system, NULL);
}
