/* Ends of calls: pops the thread's shadow stack, and writes its records. In hooks and callbacks:
 * nothing here locks, allocates or calls the runtime. */
#ifndef ILPI_HOOKS_FRAMES_H
#define ILPI_HOOKS_FRAMES_H

#include "profiler/hooks/paths.h"

/* How a call ends. */
enum hooks_end { HOOKS_RETURN, HOOKS_TAILCALL, HOOKS_UNWIND };

/* Records that the call of the method with that id ended. */
static inline void hooks_put_end(struct hooks_thread *thread, enum hooks_end how, uint64_t time,
                                 uint64_t method)
{
    static const struct ilp_bytes nothing = {NULL, 0};
    if (hooks_only_count()) {
        struct hooks_path *path = hooks_paths_leave(&thread->paths);
        hooks_count(&path->tailcalls, how == HOOKS_TAILCALL);
        hooks_count(&path->unwound, how == HOOKS_UNWIND);
        return;
    }
    switch (how) {
    case HOOKS_RETURN: ilpi_spool_leave(&thread->spool, time, method, nothing); break;
    case HOOKS_TAILCALL: ilpi_spool_tailcall(&thread->spool, time, method); break;
    case HOOKS_UNWIND: ilpi_spool_unwind(&thread->spool, time, method); break;
    }
}

/* Pops frames that ended without a hook: together with those below, by an exception that was not
 * reported. */
void hooks_drop(struct hooks_thread *thread, uint32_t count, uint64_t time);

/* Pops the method's frame, and all above it. False: it was entered before hooks were active. */
static inline bool hooks_pop(struct hooks_thread *thread, const struct hooked *method,
                             uint64_t time)
{
    uint32_t above = shadow_stack_above(&thread->stack, method);
    if (above == SHADOW_STACK_ABSENT) {
        hooks_count(&thread->counts.orphans, 1);
        return false;
    }
    if (above != 0) {
        hooks_drop(thread, above, time);
    }
    return shadow_stack_pop(&thread->stack, NULL);
}

/* An exception has ended a method, or is caught in one: that one's frame is then the youngest. */
void hooks_unwind(struct hooks_thread *thread, const struct hooked *method);
void hooks_catch(struct hooks_thread *thread, const struct hooked *method);

/* The function that is being unwound, the last to begin; NULL: none. */
struct unwinding *hooks_unwinding(struct exceptions *exceptions);

/* Any callback while the thread's epoch is EPOCH_ENDING, which it then no longer is: the function
 * that was about to end has done so in native code. */
void hooks_end_in_native(struct hooks_thread *thread);

#endif
