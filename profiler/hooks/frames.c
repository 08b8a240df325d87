/* Ends calls. See frames.h. */
#include "profiler/hooks/frames.h"

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

void hooks_end_in_native(struct hooks_thread *thread)
{
    struct unwinding *ended = hooks_unwinding(&thread->exceptions);
    thread->epoch = thread->exceptions.epoch;
    if (ended && ended->method && thread->epoch == atomic_load(&hooks.epoch)) {
        hooks_unwind(thread, ended->method);
        ended->method = NULL;
    }
}
