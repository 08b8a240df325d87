/* Called by the IL of traced methods. See passages.h.
 *
 * Each frame of the shadow stack has the caller's stack pointer. A method entered now is younger
 * than all open ones, so frames that are not above it have ended unreported: for example by an
 * exception that continued into native code. Frames that unwind.c was notified of are popped
 * already; it is still needed, since finally and catch blocks run on top of the frames that the
 * exception ended.
 *
 * Called like managed code, without a GC transition: nothing here locks, allocates or calls the
 * runtime (except for --check-stacks). */
#include "profiler/hooks/passages.h"

#include "profiler/hooks/check.h"
#include "profiler/hooks/frames.h"
#include "profiler/hooks/methods.h"
#include "profiler/hooks/threads.h"

/* The stack pointer of the calling code at the call of the function that uses this. */
#define CALLERS_STACK ((uintptr_t)__builtin_dwarf_cfa())

/* The youngest frame if its address is below `least`; NULL: it is not, or the stack is past its
 * limit, where addresses are unknown. */
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

/* ---- the general path ---- */

/* The cases that the fast way leaves out: a thread that is met for the first time, a switched-off
 * trace, checks. Calls that have ended without being reported are dropped first, by their place on
 * the stack. */
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
        ilpi_spool_call(&thread->spool, SPOOL_ENTER, hooks_now(), method->id);
    }
}

/* The stack pointer may be higher than at the enter, since the JIT turns a call before ret into a
 * jump, and lower in a method with localloc or one that continues in code of another tier. */
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

/* ---- the fast path ---- */

/* Whether calls are recorded, by a thread that has begun, and whose stack is not full. */
static inline bool is_ready(const struct hooks_thread *thread)
{
    return thread &&
           thread->epoch == atomic_load_explicit(&hooks_listening, memory_order_relaxed) &&
           thread->stack.depth < thread->stack.limit;
}

/* The youngest frame of a ready thread; for an empty stack a sentinel above all addresses, without
 * a method. */
static inline struct shadow_frame *youngest(const struct hooks_thread *thread)
{
    return thread->stack.frames + thread->stack.depth - 1;
}

static inline void push(struct hooks_thread *thread, const struct hooked *method, uintptr_t place)
{
    youngest(thread)[1] = (struct shadow_frame){method, place};
    thread->stack.depth++;
}

static inline void put(struct hooks_thread *thread, enum ilpi_spool_kind kind, uint64_t time,
                       const struct hooked *method)
{
    ilpi_spool_short(&thread->spool, kind, time, method->id, method->short_id);
}

/* A retired method has an id of no size. */
static inline bool has_short_id(const struct hooked *method)
{
    return method->short_id.size != 0;
}

void hooks_il_enter(const struct hooked *method)
{
    struct hooks_thread *thread = hooks_current;
    if (is_ready(thread) && youngest(thread)->note > CALLERS_STACK && has_short_id(method)) {
        push(thread, method, CALLERS_STACK);
        hooks_count(&thread->counts.enters, 1);
        put(thread, SPOOL_ENTER, hooks_now(), method);
    } else {
        enter_slowly(method, CALLERS_STACK);
    }
}

void hooks_il_leave(const struct hooked *method)
{
    struct hooks_thread *thread = hooks_current;
    if (is_ready(thread) && youngest(thread)->function == method && has_short_id(method)) {
        uint64_t time = hooks_now();
        thread->stack.depth--;
        hooks_count(&thread->counts.leaves, 1);
        put(thread, SPOOL_LEAVE, time, method);
    } else {
        end_slowly(method, CALLERS_STACK, HOOKS_RETURN);
    }
}

static __attribute__((noinline)) void brief_slowly(const struct hooked *method, uintptr_t place)
{
    enter_slowly(method, place);
    end_slowly(method, place, HOOKS_RETURN);
}

/* A brief method that called nothing needs no frame, but ended ones must be popped. */
void hooks_il_brief(const struct hooked *method)
{
    struct hooks_thread *thread = hooks_current;
    if (is_ready(thread) && youngest(thread)->note > CALLERS_STACK && has_short_id(method)) {
        hooks_count(&thread->counts.enters, 1);
        hooks_count(&thread->counts.leaves, 1);
        put(thread, SPOOL_BRIEF, hooks_now(), method);
    } else {
        brief_slowly(method, CALLERS_STACK);
    }
}

static void count_brief(const struct hooked *method)
{
    struct hooks_thread *thread = hooks_current;
    if (is_ready(thread) && youngest(thread)->note > CALLERS_STACK && has_short_id(method)) {
        hooks_paths_enter(&thread->paths, method);
        hooks_paths_leave(&thread->paths);
    } else {
        brief_slowly(method, CALLERS_STACK);
    }
}

static void count_enter(const struct hooked *method)
{
    struct hooks_thread *thread = hooks_current;
    if (is_ready(thread) && youngest(thread)->note > CALLERS_STACK && has_short_id(method)) {
        push(thread, method, CALLERS_STACK);
        hooks_paths_enter(&thread->paths, method);
    } else {
        enter_slowly(method, CALLERS_STACK);
    }
}

static void count_leave(const struct hooked *method)
{
    struct hooks_thread *thread = hooks_current;
    if (is_ready(thread) && youngest(thread)->function == method) {
        thread->stack.depth--;
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

/* The functions that code calls are chosen once, by the settings, so that none of them has to look
 * at these. */
struct ilpi_tracer hooks_tracer(void)
{
    struct ilpi_tracer tracer = {.enter = (uintptr_t)hooks_il_enter,
                                 .leave = (uintptr_t)hooks_il_leave,
                                 .tailcall = (uintptr_t)tailcall,
                                 .brief = (uintptr_t)hooks_il_brief,
                                 .method = find_method};
    if (hooks_only_count()) {
        tracer.enter = (uintptr_t)count_enter;
        tracer.leave = (uintptr_t)count_leave;
        tracer.brief = (uintptr_t)count_brief;
    }
    if (hooks.settings.check_stacks != 0) {
        tracer.enter = (uintptr_t)check_enter;
        tracer.brief = 0; /* every call is compared */
    }
    return tracer;
}
