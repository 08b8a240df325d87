/* Unwinds native frames by their unwind information (including the stubs' CFI), up to the first
 * address outside of all libraries: compiled code. See seed.h. */
#include "profiler/hooks/seed.h"

#include <string.h>
#include <unwind.h>

#include "base/library.h"
#include "elt/stubs.h"
#include "profiler/clr/corprof.h"

#if defined ELT_X86_64
typedef struct context_x86_64 thread_context;

/* Callee-saved registers, by their numbers in unwind information. */
enum { DWARF_RBX = 3, DWARF_RBP = 6, DWARF_R12 = 12, DWARF_R13, DWARF_R14, DWARF_R15 };

static void take_registers(struct _Unwind_Context *frame, thread_context *context)
{
    context->rip = _Unwind_GetIP(frame);
    context->rsp = _Unwind_GetCFA(frame);
    context->rbx = _Unwind_GetGR(frame, DWARF_RBX);
    context->rbp = _Unwind_GetGR(frame, DWARF_RBP);
    context->r12 = _Unwind_GetGR(frame, DWARF_R12);
    context->r13 = _Unwind_GetGR(frame, DWARF_R13);
    context->r14 = _Unwind_GetGR(frame, DWARF_R14);
    context->r15 = _Unwind_GetGR(frame, DWARF_R15);
    context->flags = CONTEXT_X86_64_CONTROL_AND_INTEGER;
}
#elif defined ELT_AARCH64
typedef struct context_aarch64 thread_context;

/* Of the numbered registers a call preserves x19 to x28. */
static void take_registers(struct _Unwind_Context *frame, thread_context *context)
{
    enum { FIRST_KEPT = 19, FP = 29 };
    context->pc = _Unwind_GetIP(frame);
    context->sp = _Unwind_GetCFA(frame);
    context->fp = _Unwind_GetGR(frame, FP);
    for (int i = FIRST_KEPT; i < FP; i++) {
        context->x[i] = _Unwind_GetGR(frame, i);
    }
    context->flags = CONTEXT_AARCH64_CONTROL_AND_INTEGER;
}
#else
typedef struct {
    uint32_t flags;
} thread_context;

static void take_registers(struct _Unwind_Context *frame, thread_context *context)
{
    (void)frame, (void)context;
}
#endif

static _Unwind_Reason_Code find_compiled(struct _Unwind_Context *frame, void *data)
{
    thread_context *context = data;
    if (ilpi_library_has(_Unwind_GetIP(frame))) {
        return _URC_NO_REASON;
    }
    take_registers(frame, context);
    return _URC_NORMAL_STOP;
}

bool hooks_seed_find(struct hooks_seed *seed)
{
    thread_context context = {.flags = 0};
    _Unwind_Backtrace(find_compiled, &context);
    *seed = (struct hooks_seed){.size = sizeof context};
    memcpy(seed->context, &context, sizeof context);
    return context.flags != 0;
}
