/* The hooks' work: the thread's shadow stack and its spool. Nothing here locks, allocates or calls
 * the runtime, except for values, on the slow path only.
 *
 * Enter reads the time last, and Leave first, so that a call includes little of the hooks' own
 * time. */
#include "profiler/hooks/events.h"

#include "profiler/hooks/check.h"
#include "profiler/hooks/frames.h"
#include "profiler/hooks/threads.h"
#include "profiler/hooks/values.h"

static const struct ilp_bytes nothing = {NULL, 0};

void hooks_enter(const struct hooked *method, COR_PRF_ELT_INFO info)
{
    struct hooks_thread *thread = hooks_here();
    if (!thread) {
        return;
    }
    shadow_stack_push(&thread->stack, method, 0);
    if (hooks.settings.check_stacks != 0) {
        hooks_check_nth(thread);
    }
    if (hooks_only_count()) {
        hooks_paths_enter(&thread->paths, method);
        return;
    }
    hooks_count(&thread->counts.enters, 1);
    struct ilp_bytes arguments = method->values ? hooks_arguments(thread, method, info) : nothing;
    ilpi_spool_enter(&thread->spool, hooks_time(), method->id, arguments);
}

void hooks_leave(const struct hooked *method, COR_PRF_ELT_INFO info)
{
    uint64_t time = hooks_time();
    struct hooks_thread *thread = hooks_here();
    if (!thread || !hooks_pop(thread, method, time)) {
        return;
    }
    if (hooks_only_count()) {
        hooks_paths_leave(&thread->paths);
    } else {
        hooks_count(&thread->counts.leaves, 1);
        struct ilp_bytes value = method->values ? hooks_value(thread, method, info) : nothing;
        ilpi_spool_leave(&thread->spool, time, method->id, value);
    }
}

void hooks_tailcall(const struct hooked *method)
{
    uint64_t time = hooks_time();
    struct hooks_thread *thread = hooks_here();
    if (thread && hooks_pop(thread, method, time)) {
        hooks_count(&thread->counts.tailcalls, 1);
        hooks_put_end(thread, HOOKS_TAILCALL, time, method->id);
    }
}
