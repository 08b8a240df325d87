/* Threads, locks and events: src/'s only user of the system's. */
#ifndef ILPI_THREAD_H
#define ILPI_THREAD_H

#include <pthread.h>
#include <stdbool.h>

struct ilpi_mutex {
    pthread_mutex_t system;
};

struct ilpi_event {
    pthread_cond_t system;
};

/* Read by the thread when it starts. */
struct ilpi_thread {
    pthread_t system;
    void (*work)(void *user);
    void *user; /* borrowed */
};

/* False: the system is out of resources. */
bool ilpi_mutex_open(struct ilpi_mutex *mutex);
void ilpi_mutex_close(struct ilpi_mutex *mutex);
void ilpi_mutex_lock(struct ilpi_mutex *mutex);
void ilpi_mutex_unlock(struct ilpi_mutex *mutex);

/* False as above. */
bool ilpi_event_open(struct ilpi_event *event);
void ilpi_event_close(struct ilpi_event *event);

/* Unlocks the mutex until the event is announced. It may wake up without a reason, so check the
 * condition again. */
void ilpi_event_wait(struct ilpi_event *event, struct ilpi_mutex *mutex);
void ilpi_event_announce(struct ilpi_event *event);

/* Starts run(user) in a thread that gets no signals but its own faults: all others belong to the
 * program. False: too many threads, or no memory. */
bool ilpi_quiet_thread_start(pthread_t *thread, void *(*run)(void *user), void *user);

/* Starts work(user) in such a thread. False as above. *thread must not move until
 * ilpi_thread_join(). */
bool ilpi_thread_start(struct ilpi_thread *thread, void (*work)(void *user), void *user);
void ilpi_thread_join(struct ilpi_thread *thread);

#endif
