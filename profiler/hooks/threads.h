/* What a thread has for its hooks: begun at the first of them, ended with the thread. */
#ifndef ILPI_HOOKS_THREADS_H
#define ILPI_HOOKS_THREADS_H

#include "profiler/hooks/state.h"

/* For hooks: begins what has to be begun; NULL: no memory, or the end of the process. */
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

/* Puts functions of its own into the table. */
void hooks_threads_answer(struct callback_table *table);

/* With nothing of an earlier watch. */
void hooks_threads_open(void);

/* Writes what the threads have not written yet; their counts together. */
struct hook_counts hooks_threads_close(void);

/* Then, when none is in a hook: leaves the rooms that they have in the spool. */
void hooks_threads_release(void);

#endif
