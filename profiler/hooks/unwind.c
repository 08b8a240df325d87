/* Exceptions, which end methods without Leave. The runtime reports them in two passes:
 *
 *   ExceptionSearchFunctionEnter(F)   is there a catcher in F? Filters run on top of what has
 *                                     thrown
 *   ExceptionSearchFunctionLeave()
 *   ExceptionUnwindFunctionEnter(F)   finally blocks of F: calls in them are F's, and may have
 *                                     exceptions of their own
 *   ExceptionUnwindFunctionLeave()    F is gone
 *   ExceptionUnwindFunctionEnter(F)
 *   ExceptionCatcherEnter(F)          F stays: it goes on in its catch block
 *
 * All methods are reported, those without hooks, too. What does not come in such pairs:
 *
 *  - An exception leaves a finally block. The functions that were being unwound have no Leave: what
 *    is remembered of them stands below what the new exception unwinds, and goes with it.
 *  - An exception leaves a filter, which counts as "no". .NET 9 and 10 report an
 *    UnwindFunctionLeave that ends the search in the filter's function, unwind what the filter had
 *    called, and report an UnwindFunctionEnter for the filter's function, which stays; .NET 8 one
 *    with its Leave, like any other. So what was there when a filter began is not unwound before
 *    it ends, and its end restores what was known at its beginning.
 *  - An exception goes on into native code: out of a static constructor, or of what reflection
 *    calls. The last function has no Leave. But of a function that is being unwound, and none of
 *    whose finally blocks runs (they are reported, too), nothing can be heard except that it is
 *    gone, or catches: whatever else comes, it is gone. */
#include "profiler/hooks/unwind.h"

#include <string.h>

#include "profiler/hooks/frames.h"
#include "profiler/hooks/methods.h"
#include "profiler/hooks/threads.h"

/* So many threads are in what is reported here, where the runtime does not always wait for them. */
static atomic_uint inside;

static struct hooks_thread *listening(void)
{
    return hooks_current && hooks_are_on() ? hooks_here() : NULL;
}

/* ---- while nothing can be heard ---- */

/* From here on the next hook finds its way to hooks_resume(). */
static void expect_end(struct hooks_thread *thread)
{
    if (thread->epoch != EPOCH_ENDING) {
        thread->exceptions.epoch = thread->epoch;
        thread->epoch = EPOCH_ENDING;
    }
}

/* What may be heard. */
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

/* NULL: no filter runs, or so many within each other that this one is not kept. */
static const struct filter *innermost(const struct exceptions *exceptions)
{
    uint32_t count = exceptions->filter_count;
    return count == 0 || count > FILTER_LIMIT ? NULL : &exceptions->filters[count - 1];
}

/* Whether a search was to be ended here: one of this filter, not of the exception that the filter
 * is asked about. */
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

/* A frame that waits for a filter. */
static bool stays(const struct hooks_thread *thread, const struct hooked *method)
{
    const struct filter *filter = innermost(&thread->exceptions);
    uint32_t above = filter && method ? shadow_stack_above(&thread->stack, method)
                                      : SHADOW_STACK_ABSENT;
    return above != SHADOW_STACK_ABSENT && thread->stack.depth - above <= filter->depth;
}

static HRESULT STDCALL unwind_enter(void *self, FunctionID function)
{
    struct hooks_thread *thread = listening();
    (void)self;
    if (!thread) {
        return S_OK;
    }
    struct exceptions *exceptions = &thread->exceptions;
    if (exceptions->unwinding_count == UNWINDING_LIMIT) { /* the oldest goes */
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
        /* went with an exception that native code kept */
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

/* What is deeper than the shadow stack is now was ended by another exception. */
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

/* ---- counted, for who waits ---- */

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
