/* Threads that count for themselves, so that a value costs none that they share: each is in a list
 * until it ends, and whoever wants the sum goes through that. */
#ifndef ILPI_THREAD_LIST_H
#define ILPI_THREAD_LIST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The first member of what a thread has; zeroed before it is added. */
struct listed_thread {
    struct listed_thread *next;
    bool listed;
};

/* The lock is held for a few instructions, in which nothing is called that waits. */
struct thread_list {
    pthread_mutex_t lock;
    struct listed_thread *first;
};
#define THREAD_LIST_EMPTY               \
    {                                   \
        PTHREAD_MUTEX_INITIALIZER, NULL \
    }

/* What a thread has counted is added to the sum, or something else is done with what it has: with
 * the list's lock held. */
typedef void listed_sum(struct listed_thread *thread);

/* By the thread itself. The second time nothing happens. */
void thread_list_add(struct thread_list *list, struct listed_thread *thread);

/* By the thread itself, at its end. One that is not in the list any more has been summed. */
void thread_list_end(struct thread_list *list, struct listed_thread *thread, listed_sum *sum);

/* All that are there, though they may go on. They stay in the list; */
void thread_list_visit(struct thread_list *list, listed_sum *sum);

/* or it is empty after that. */
void thread_list_sum(struct thread_list *list, listed_sum *sum);

/* One more, in a counter that its thread alone writes. */
static inline void count_own(_Atomic uint64_t *counter)
{
    uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, value + 1, memory_order_relaxed);
}

/* What any thread finds there. */
static inline uint64_t counted_so_far(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

#endif
