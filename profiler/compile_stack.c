/* Tracks nested compilations. See compile_stack.h. */
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
