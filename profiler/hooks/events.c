/* What hooks do: the thread's shadow stack and its spool. Nothing here locks, allocates or calls
 * the runtime, but for values, which only the slow path has.
 *
 * Times are taken last in Enter and first in Leave, so that little of the hooks' own time lies
 * within that of a call. */
#include "profiler/hooks/state.h"

static const struct ilp_bytes nothing = {NULL, 0};

/* Frames that are gone without a hook that said so: they ended with what is below them, by an
 * exception that was not reported. */
static void drop(struct hooks_thread *thread, uint32_t count, uint64_t time)
{
    struct shadow_frame frame;
    while (count-- > 0 && shadow_stack_pop(&thread->stack, &frame)) {
        const struct hooked *method = frame.function;
        thread->counts.missed++;
        if (method) {
            ilpi_spool_unwind(&thread->spool, time, method->id);
        }
    }
}

static bool pop(struct hooks_thread *thread, const struct hooked *method, uint64_t time)
{
    uint32_t above = shadow_stack_above(&thread->stack, method);
    if (above == SHADOW_STACK_ABSENT) {
        thread->counts.orphans++;
        return false;
    }
    drop(thread, above, time);
    return shadow_stack_pop(&thread->stack, NULL);
}

void hooks_enter(const struct hooked *method, COR_PRF_ELT_INFO info)
{
    struct hooks_thread *thread = hooks_here();
    if (!thread) {
        return;
    }
    shadow_stack_push(&thread->stack, method, 0);
    thread->counts.enters++;
    if (hooks.settings.check_stacks != 0 && ++thread->since_check >= hooks.settings.check_stacks) {
        hooks_check(thread);
    }
    struct ilp_bytes arguments = method->values ? hooks_arguments(thread, method, info) : nothing;
    ilpi_spool_enter(&thread->spool, hooks_now(), method->id, arguments);
}

void hooks_leave(const struct hooked *method, COR_PRF_ELT_INFO info)
{
    uint64_t time = hooks_now();
    struct hooks_thread *thread = hooks_here();
    if (thread && pop(thread, method, time)) {
        thread->counts.leaves++;
        struct ilp_bytes value = method->values ? hooks_value(thread, method, info) : nothing;
        ilpi_spool_leave(&thread->spool, time, method->id, value);
    }
}

void hooks_tailcall(const struct hooked *method)
{
    uint64_t time = hooks_now();
    struct hooks_thread *thread = hooks_here();
    if (thread && pop(thread, method, time)) {
        thread->counts.tailcalls++;
        ilpi_spool_tailcall(&thread->spool, time, method->id);
    }
}

void hooks_unwind(struct hooks_thread *thread, const struct hooked *method)
{
    uint64_t time = hooks_now();
    if (pop(thread, method, time)) {
        thread->counts.unwound++;
        ilpi_spool_unwind(&thread->spool, time, method->id);
    }
}

void hooks_catch(struct hooks_thread *thread, const struct hooked *method)
{
    uint32_t above = shadow_stack_above(&thread->stack, method);
    if (above != SHADOW_STACK_ABSENT) {
        drop(thread, above, hooks_now());
    }
}
