/* A thread's record for hooks: begun at its first hook, ended with the thread. */
#ifndef ILPI_HOOKS_THREADS_H
#define ILPI_HOOKS_THREADS_H

#include "profiler/hooks/state.h"

/* For hooks: begins a record if needed; NULL: no memory, or the process ends. */
struct hooks_thread *hooks_begin(void);
struct hooks_thread *hooks_resume(struct hooks_thread *thread);

static inline struct hooks_thread *hooks_here(void)
{
    struct hooks_thread *thread = hooks_current ? hooks_current : hooks_begin();
    if (thread && thread->epoch != atomic_load_explicit(&hooks.epoch, memory_order_relaxed)) {
        return hooks_resume(thread);
    }
    return thread;
}

/* Installs callbacks. */
void hooks_threads_answer(struct callback_table *table);

/* Resets the state of an earlier watch. */
void hooks_threads_open(void);

/* Writes the threads' remaining records; the sum of their counts. */
struct hook_counts hooks_threads_close(void);

/* Then, when no thread is in a hook: gives up their rooms in the spool. */
void hooks_threads_release(void);

#endif
