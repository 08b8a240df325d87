/* Ends calls. See frames.h. Enter has pushed a frame for each call; what ends it without Leave is
 * handled here.
 *
 *   oldest | A | B | C | youngest
 *     an exception is caught in A      C and B are dropped, A stays     hooks_catch()
 *     an exception unwinds B           C is dropped, B ends as unwound  hooks_unwind()
 *     Leave of a method not there      nothing is popped: an orphan     hooks_pop()
 *
 * Dropped frames have the time of what showed that they had ended, since theirs is not known. */
#include "profiler/hooks/frames.h"

/* Youngest first, so that the records in the spool stay nested. */
void hooks_drop(struct hooks_thread *thread, uint32_t count, uint64_t time)
{
    struct shadow_frame frame;
    while (count-- > 0 && shadow_stack_pop(&thread->stack, &frame)) {
        const struct hooked *method = frame.function;
        hooks_count(&thread->counts.missed, 1);
        if (method || hooks_only_count()) { /* past the limit frames are nameless */
            hooks_put_end(thread, HOOKS_UNWIND, time, method ? method->id : 0);
        }
    }
}

void hooks_unwind(struct hooks_thread *thread, const struct hooked *method)
{
    uint64_t time = hooks_time();
    if (hooks_pop(thread, method, time)) {
        hooks_count(&thread->counts.unwound, 1);
        hooks_put_end(thread, HOOKS_UNWIND, time, method->id);
    }
}

/* Nothing is done if the method has no frame: it is not traced, or was entered before the trace
 * began. */
void hooks_catch(struct hooks_thread *thread, const struct hooked *method)
{
    uint32_t above = shadow_stack_above(&thread->stack, method);
    if (above != SHADOW_STACK_ABSENT) {
        hooks_drop(thread, above, hooks_time());
    }
}

struct unwinding *hooks_unwinding(struct exceptions *exceptions)
{
    return exceptions->unwinding_count != 0
               ? &exceptions->unwinding[exceptions->unwinding_count - 1]
               : NULL;
}

/* Only if the epoch is the current one: a frame of an earlier trace is not on this stack. */
void hooks_end_in_native(struct hooks_thread *thread)
{
    struct unwinding *ended = hooks_unwinding(&thread->exceptions);
    thread->epoch = thread->exceptions.epoch;
    if (ended && ended->method && thread->epoch == atomic_load(&hooks.epoch)) {
        hooks_unwind(thread, ended->method);
        ended->method = NULL;
    }
}
