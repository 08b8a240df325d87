/* Threads with their own counters, so that counting a value needs no shared one: each is in a list
 * until it ends, and sums go through the list. */
#ifndef ILPI_THREAD_LIST_H
#define ILPI_THREAD_LIST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The first member of a thread's record; zeroed before it is added. */
struct listed_thread {
    struct listed_thread *next;
    bool listed;
};

/* The lock is held for a few instructions, and nothing that waits is called under it. */
struct thread_list {
    pthread_mutex_t lock;
    struct listed_thread *first;
};
#define THREAD_LIST_EMPTY               \
    {                                   \
        PTHREAD_MUTEX_INITIALIZER, NULL \
    }

/* Adds a thread's counts to the sum, or processes its record otherwise: with the list's lock
 * held. */
typedef void listed_sum(struct listed_thread *thread);

/* By the thread itself. A no-op the second time. */
void thread_list_add(struct thread_list *list, struct listed_thread *thread);

/* By the thread itself, at its end. One that is no longer in the list has been summed. */
void thread_list_end(struct thread_list *list, struct listed_thread *thread, listed_sum *sum);

/* Visits all threads, which may continue. They stay in the list. */
void thread_list_visit(struct thread_list *list, listed_sum *sum);

/* The same, and empties the list. */
void thread_list_sum(struct thread_list *list, listed_sum *sum);

/* Increments a counter that only its thread writes. */
static inline void count_own(_Atomic uint64_t *counter)
{
    uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, value + 1, memory_order_relaxed);
}

/* Reads it from any thread. */
static inline uint64_t counted_so_far(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

#endif
