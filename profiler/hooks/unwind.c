/* Exceptions, which end methods without Leave. The runtime reports them in two passes:
 *
 *   ExceptionSearchFunctionEnter(F)   is there a catcher in F? Filters run on top of the frames
 *                                     that threw
 *   ExceptionSearchFunctionLeave()
 *   ExceptionUnwindFunctionEnter(F)   finally blocks of F: calls in them are F's, and may throw
 *                                     exceptions of their own
 *   ExceptionUnwindFunctionLeave()    F is gone
 *   ExceptionUnwindFunctionEnter(F)
 *   ExceptionCatcherEnter(F)          F stays: it continues in its catch block
 *
 * All methods are reported, including those without hooks. Exceptions to these pairs:
 *
 *  - An exception leaves a finally block. The functions that were being unwound have no Leave: the
 *    entries of their frames are below those that the new exception unwinds, and are removed with
 *    them.
 *  - An exception leaves a filter, which counts as "no". .NET 9 and 10 report an
 *    UnwindFunctionLeave that ends the search in the filter's function, unwind the filter's
 *    callees, and report an UnwindFunctionEnter for the filter's function, which stays; .NET 8 one
 *    with its Leave, like any other. So frames that existed when a filter began are not unwound
 *    before it ends, and its end restores the state at its beginning.
 *  - An exception propagates into native code: out of a static constructor, or of a method called
 *    by reflection. The last function has no Leave. But a function that is being unwound and runs
 *    none of its finally blocks (these are reported, too) can only end or catch: any other event
 *    means that it is gone. */
#include "profiler/hooks/unwind.h"

#include <string.h>

#include "profiler/hooks/frames.h"
#include "profiler/hooks/methods.h"
#include "profiler/hooks/threads.h"

/* The number of threads in callbacks of this file, where the runtime does not always wait for
 * them. */
static atomic_uint inside;

static struct hooks_thread *listening(void)
{
    return hooks_current && hooks_are_on() ? hooks_here() : NULL;
}

/* ---- a function about to end ---- */

/* Makes the next hook call hooks_resume(). */
static void expect_end(struct hooks_thread *thread)
{
    if (thread->epoch != EPOCH_ENDING) {
        thread->exceptions.epoch = thread->epoch;
        thread->epoch = EPOCH_ENDING;
    }
}

/* For callbacks that may follow. */
static struct hooks_thread *listening_to_end(void)
{
    if (hooks_current && hooks_current->epoch == EPOCH_ENDING) {
        hooks_current->epoch = hooks_current->exceptions.epoch;
    }
    return listening();
}

/* ---- the search ---- */

static HRESULT STDCALL search_enter(void *self, FunctionID function)
{
    struct hooks_thread *thread = listening();
    (void)self, (void)function;
    if (thread) {
        thread->exceptions.searching++;
    }
    return S_OK;
}

/* NULL: no filter runs, or too many nested ones to be kept. */
static const struct filter *innermost(const struct exceptions *exceptions)
{
    uint32_t count = exceptions->filter_count;
    return count == 0 || count > FILTER_LIMIT ? NULL : &exceptions->filters[count - 1];
}

/* Whether a search ends here: one inside this filter, not of the exception that the filter
 * tests. */
static bool end_search(struct exceptions *exceptions)
{
    const struct filter *filter = innermost(exceptions);
    uint32_t before = filter ? filter->searching : 0;
    bool searching = exceptions->searching > before;
    exceptions->searching -= searching;
    return searching;
}

static HRESULT STDCALL search_leave(void *self)
{
    struct hooks_thread *thread = listening();
    (void)self;
    if (thread) {
        end_search(&thread->exceptions);
    }
    return S_OK;
}

/* A filter runs during the first pass, and may throw and catch itself: the state of the outer
 * exception is kept until it ends. */
static HRESULT STDCALL filter_enter(void *self, FunctionID function)
{
    struct hooks_thread *thread = listening();
    (void)self, (void)function;
    if (thread) {
        struct exceptions *exceptions = &thread->exceptions;
        uint32_t count = exceptions->filter_count++;
        if (count < FILTER_LIMIT) {
            exceptions->filters[count] = (struct filter){
                exceptions->searching, exceptions->unwinding_count, thread->stack.depth};
        }
    }
    return S_OK;
}

static HRESULT STDCALL filter_leave(void *self)
{
    struct hooks_thread *thread = listening_to_end();
    (void)self;
    if (thread && thread->exceptions.filter_count > 0) {
        struct exceptions *exceptions = &thread->exceptions;
        const struct filter *filter = innermost(exceptions);
        exceptions->filter_count--;
        if (filter) {
            exceptions->searching = filter->searching;
            exceptions->unwinding_count = filter->unwinding_count;
        }
    }
    return S_OK;
}

/* ---- unwinding ---- */

/* Whether a frame belongs to a function that waits for a filter. */
static bool stays(const struct hooks_thread *thread, const struct hooked *method)
{
    const struct filter *filter = innermost(&thread->exceptions);
    uint32_t above = filter && method ? shadow_stack_above(&thread->stack, method)
                                      : SHADOW_STACK_ABSENT;
    return above != SHADOW_STACK_ABSENT && thread->stack.depth - above <= filter->depth;
}

/* The limit is of nested exceptions in one thread; the oldest is the least likely to be needed. */
static HRESULT STDCALL unwind_enter(void *self, FunctionID function)
{
    struct hooks_thread *thread = listening();
    (void)self;
    if (!thread) {
        return S_OK;
    }
    struct exceptions *exceptions = &thread->exceptions;
    if (exceptions->unwinding_count == UNWINDING_LIMIT) { /* drop the oldest */
        memmove(exceptions->unwinding, exceptions->unwinding + 1,
                sizeof exceptions->unwinding - sizeof *exceptions->unwinding);
        exceptions->unwinding_count--;
    }
    struct unwinding *unwinding = &exceptions->unwinding[exceptions->unwinding_count++];
    const struct hooked *method = hooks_find(function);
    *unwinding = (struct unwinding){stays(thread, method) ? NULL : method, thread->stack.depth,
                                    false};
    if (unwinding->method) {
        expect_end(thread);
    }
    return S_OK;
}

static HRESULT STDCALL finally_enter(void *self, FunctionID function)
{
    struct hooks_thread *thread = listening_to_end();
    struct unwinding *unwinding = thread ? hooks_unwinding(&thread->exceptions) : NULL;
    (void)self, (void)function;
    if (unwinding) {
        unwinding->in_finally = true;
    }
    return S_OK;
}

/* The innermost frame whose finally block is running; those above it were left without a
 * callback. */
static HRESULT STDCALL finally_leave(void *self)
{
    struct hooks_thread *thread = listening();
    (void)self;
    if (!thread) {
        return S_OK;
    }
    struct exceptions *exceptions = &thread->exceptions;
    uint32_t count = exceptions->unwinding_count;
    while (count != 0 && !exceptions->unwinding[count - 1].in_finally) {
        /* ended by an exception that native code caught */
        count--;
    }
    if (count != 0) {
        exceptions->unwinding_count = count;
        exceptions->unwinding[count - 1].in_finally = false;
        expect_end(thread);
    }
    return S_OK;
}

static HRESULT STDCALL unwind_leave(void *self)
{
    struct hooks_thread *thread = listening_to_end();
    (void)self;
    if (!thread || end_search(&thread->exceptions) || thread->exceptions.unwinding_count == 0) {
        return S_OK;
    }
    const struct hooked *method =
        thread->exceptions.unwinding[--thread->exceptions.unwinding_count].method;
    if (method) {
        hooks_unwind(thread, method);
    }
    return S_OK;
}

/* Entries deeper than the current shadow stack were ended by another exception. */
static void forget_ended(struct hooks_thread *thread)
{
    struct exceptions *exceptions = &thread->exceptions;
    while (exceptions->unwinding_count > 0 &&
           exceptions->unwinding[exceptions->unwinding_count - 1].depth > thread->stack.depth) {
        exceptions->unwinding_count--;
    }
}

static HRESULT STDCALL catcher_enter(void *self, FunctionID function, ObjectID exception)
{
    struct hooks_thread *thread = listening_to_end();
    (void)self, (void)exception;
    if (!thread) {
        return S_OK;
    }
    const struct hooked *method = hooks_find(function);
    if (method) {
        hooks_catch(thread, method);
    }
    forget_ended(thread);
    if (thread->exceptions.unwinding_count > 0) { /* its own */
        thread->exceptions.unwinding_count--;
    }
    forget_ended(thread);
    return S_OK;
}

/* ---- counting, for waiters ---- */

#define COUNTED(name, parameters, arguments)         \
    static HRESULT STDCALL counted_##name parameters \
    {                                                \
        atomic_fetch_add(&inside, 1);                \
        HRESULT result = name arguments;             \
        atomic_fetch_sub(&inside, 1);                \
        return result;                               \
    }
COUNTED(search_enter, (void *self, FunctionID function), (self, function))
COUNTED(search_leave, (void *self), (self))
COUNTED(filter_enter, (void *self, FunctionID function), (self, function))
COUNTED(filter_leave, (void *self), (self))
COUNTED(unwind_enter, (void *self, FunctionID function), (self, function))
COUNTED(unwind_leave, (void *self), (self))
COUNTED(finally_enter, (void *self, FunctionID function), (self, function))
COUNTED(finally_leave, (void *self), (self))
COUNTED(catcher_enter, (void *self, FunctionID function, ObjectID exception),
        (self, function, exception))
#undef COUNTED

bool hooks_unwind_is_quiet(void)
{
    return atomic_load(&inside) == 0;
}

void hooks_unwind_answer(struct callback_table *table)
{
    table->ExceptionSearchFunctionEnter = counted_search_enter;
    table->ExceptionSearchFunctionLeave = counted_search_leave;
    table->ExceptionSearchFilterEnter = counted_filter_enter;
    table->ExceptionSearchFilterLeave = counted_filter_leave;
    table->ExceptionUnwindFunctionEnter = counted_unwind_enter;
    table->ExceptionUnwindFunctionLeave = counted_unwind_leave;
    table->ExceptionUnwindFinallyEnter = counted_finally_enter;
    table->ExceptionUnwindFinallyLeave = counted_finally_leave;
    table->ExceptionCatcherEnter = counted_catcher_enter;
}
