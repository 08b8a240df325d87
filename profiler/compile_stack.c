/* Tracks nested compilations: an array for each thread, youngest last. See compile_stack.h. A
 * compilation that failed has no end, so its entry stays until the enclosing one ends: popping a
 * function removes all above it as well. What is left by an earlier watch is recognised by the
 * number of its session, since only a thread itself can change its own array. */
#include "profiler/compile_stack.h"

#include <stdatomic.h>

/* Deeper ones are not distinguished. */
enum { MAX_NESTED = 32 };

static _Thread_local struct {
    unsigned session; /* the session in which all of it began */
    unsigned depth;
    struct compiled_method methods[MAX_NESTED];
} compiling;

/* Number of resets. */
static atomic_uint session;

static void leave_other_session(void)
{
    unsigned now = atomic_load(&session);
    if (compiling.session != now) {
        compiling.session = now;
        compiling.depth = 0;
    }
}

void compile_stack_reset(void)
{
    atomic_fetch_add(&session, 1);
}

void compile_stack_push(const struct compiled_method *method)
{
    leave_other_session();
    if (compiling.depth++ < MAX_NESTED) {
        compiling.methods[compiling.depth - 1] = *method;
    }
}

/* From the top: the first of that name is the innermost. A function that is not there removes
 * nothing, except what is too deep to be known. */
void compile_stack_pop(FunctionID function)
{
    leave_other_session();
    for (unsigned i = compiling.depth; i > 0; i--) {
        if (i > MAX_NESTED || compiling.methods[i - 1].function == function) {
            compiling.depth = i - 1;
            return;
        }
    }
}

struct compiled_method *compile_stack_top(void)
{
    leave_other_session();
    return compiling.depth != 0 && compiling.depth <= MAX_NESTED
               ? &compiling.methods[compiling.depth - 1]
               : NULL;
}
