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
        ilpi_spool_call(&thread->spool, SPOOL_ENTER, hooks_now(), method->id);
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

/* Whether calls are recorded, by a thread that has begun, and whose stack is not full. */
static inline bool is_ready(const struct hooks_thread *thread)
{
    return thread &&
           thread->epoch == atomic_load_explicit(&hooks_listening, memory_order_relaxed) &&
           thread->stack.depth < thread->stack.limit;
}

/* Of a thread that is ready; of an empty stack one that is above all places, and of no method. */
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

/* One that is retired has an id of no size. */
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

/* One that has called nothing does not need the stack, but what has ended has to be off it. */
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
        tracer.brief = 0; /* all calls are compared */
    }
    return tracer;
}
