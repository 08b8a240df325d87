/* What the IL of traced methods calls. See passages.h.
 *
 * The caller's stack pointer is noted with each frame of the shadow stack. What is entered now is
 * younger than all that has not ended, so frames that are not above it have ended without a word:
 * by an exception that went on into native code, say. Those that unwind.c has heard of are gone
 * already; it is needed besides, for finally and catch blocks run on top of the frames that the
 * exception has ended.
 *
 * Called as managed code, without a GC transition: nothing here locks, allocates or calls the
 * runtime (but where stacks are checked). */
#include "profiler/hooks/passages.h"

#include "profiler/hooks/check.h"
#include "profiler/hooks/frames.h"
#include "profiler/hooks/methods.h"
#include "profiler/hooks/threads.h"

static const struct ilp_bytes nothing = {NULL, 0};

/* Of the function that asks: the stack pointer of the code that has called it, at the call. */
#define CALLERS_STACK ((uintptr_t)__builtin_dwarf_cfa())

/* The youngest frame if its place is below `least`; NULL: it is not, or the stack is past its
 * limit, where places are not known. */
static inline const struct shadow_frame *youngest_below(const struct shadow_stack *stack,
                                                        uintptr_t least)
{
    uint32_t depth = stack->depth;
    bool below = depth != 0 && depth <= stack->limit && stack->frames[depth - 1].note < least;
    return below ? &stack->frames[depth - 1] : NULL;
}

/* Down to the frame of `method`, if it is not NULL. */
static void drop_ended(struct hooks_thread *thread, uintptr_t least, const struct hooked *method)
{
    uint64_t time = hooks_time();
    const struct shadow_frame *frame;
    while ((frame = youngest_below(&thread->stack, least)) != NULL && frame->function != method) {
        hooks_drop(thread, 1, time);
    }
}

/* ---- whatever there is to do ---- */

static __attribute__((noinline)) void enter_slowly(const struct hooked *method, uintptr_t place)
{
    struct hooks_thread *thread = hooks_are_on() ? hooks_here() : NULL;
    if (!thread || hooked_is_retired(method)) {
        return;
    }
    drop_ended(thread, place + 1, NULL);
    shadow_stack_push(&thread->stack, method, place);
    if (hooks.settings.check_stacks != 0) {
        hooks_check_nth(thread);
    }
    if (hooks_only_count()) {
        hooks_paths_enter(&thread->paths, method);
    } else {
        hooks_count(&thread->counts.enters, 1);
        ilpi_spool_enter(&thread->spool, hooks_now(), method->id, nothing);
    }
}

/* The stack pointer may be further up than it was at the enter, for the JIT makes a jump of a call
 * that a ret follows, and further down in a method with localloc or in one that goes on in code of
 * another tier. */
static __attribute__((noinline)) void end_slowly(const struct hooked *method, uintptr_t place,
                                                 enum hooks_end how)
{
    uint64_t time = hooks_time();
    struct hooks_thread *thread = hooks_are_on() ? hooks_here() : NULL;
    if (!thread) {
        return;
    }
    drop_ended(thread, place, method);
    if (hooks_pop(thread, method, time)) {
        hooks_count(how == HOOKS_TAILCALL ? &thread->counts.tailcalls : &thread->counts.leaves,
                    how == HOOKS_TAILCALL || !hooks_only_count());
        hooks_put_end(thread, how, time, method->id);
    }
}

/* ---- where that is not much ---- */

/* The thread, if calls are recorded and it has begun; NULL: it is not so simple. */
static inline struct hooks_thread *ready_thread(void)
{
    struct hooks_thread *thread = hooks_current;
    bool ready = hooks_are_on() && thread &&
                 thread->epoch == atomic_load_explicit(&hooks.epoch, memory_order_relaxed);
    return ready ? thread : NULL;
}

/* The youngest frame of one that is not empty, nor full. */
static inline const struct shadow_frame *youngest(const struct shadow_stack *stack)
{
    return stack->depth - 1 < stack->limit - 1 ? &stack->frames[stack->depth - 1] : NULL;
}

static inline bool can_push(const struct shadow_stack *stack, uintptr_t place)
{
    const struct shadow_frame *frame = youngest(stack);
    return frame && frame->note > place;
}

static inline bool can_pop(const struct shadow_stack *stack, const struct hooked *method)
{
    const struct shadow_frame *frame = youngest(stack);
    return frame && frame->function == method;
}

void hooks_il_enter(const struct hooked *method)
{
    struct hooks_thread *thread = ready_thread();
    if (thread && can_push(&thread->stack, CALLERS_STACK) && !hooked_is_retired(method)) {
        shadow_stack_push(&thread->stack, method, CALLERS_STACK);
        hooks_count(&thread->counts.enters, 1);
        ilpi_spool_enter(&thread->spool, hooks_now(), method->id, nothing);
    } else {
        enter_slowly(method, CALLERS_STACK);
    }
}

void hooks_il_leave(const struct hooked *method)
{
    struct hooks_thread *thread = ready_thread();
    if (thread && can_pop(&thread->stack, method)) {
        uint64_t time = hooks_now();
        shadow_stack_pop(&thread->stack, NULL);
        hooks_count(&thread->counts.leaves, 1);
        ilpi_spool_leave(&thread->spool, time, method->id, nothing);
    } else {
        end_slowly(method, CALLERS_STACK, HOOKS_RETURN);
    }
}

static void count_enter(const struct hooked *method)
{
    struct hooks_thread *thread = ready_thread();
    struct hooks_path *path = thread ? hooks_paths_now(&thread->paths)->recent : NULL;
    if (path && path->method == method && can_push(&thread->stack, CALLERS_STACK)) {
        shadow_stack_push(&thread->stack, method, CALLERS_STACK);
        hooks_count(&path->calls, 1);
        hooks_paths_set(&thread->paths, path);
    } else {
        enter_slowly(method, CALLERS_STACK);
    }
}

static void count_leave(const struct hooked *method)
{
    struct hooks_thread *thread = ready_thread();
    if (thread && can_pop(&thread->stack, method)) {
        shadow_stack_pop(&thread->stack, NULL);
        hooks_paths_leave(&thread->paths);
    } else {
        end_slowly(method, CALLERS_STACK, HOOKS_RETURN);
    }
}

static void check_enter(const struct hooked *method)
{
    enter_slowly(method, CALLERS_STACK);
}

static void tailcall(const struct hooked *method)
{
    end_slowly(method, CALLERS_STACK, HOOKS_TAILCALL);
}

static uint64_t find_method(void *module, ilp_token token)
{
    return (uintptr_t)hooks_map_il(module, token);
}

struct ilpi_tracer hooks_tracer(void)
{
    struct ilpi_tracer tracer = {.enter = (uintptr_t)hooks_il_enter,
                                 .leave = (uintptr_t)hooks_il_leave,
                                 .tailcall = (uintptr_t)tailcall,
                                 .method = find_method};
    if (hooks_only_count()) {
        tracer.enter = (uintptr_t)count_enter;
        tracer.leave = (uintptr_t)count_leave;
    }
    if (hooks.settings.check_stacks != 0) {
        tracer.enter = (uintptr_t)check_enter;
    }
    return tracer;
}
