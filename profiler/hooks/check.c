/* The shadow stack held against the runtime's own walk of the same thread (DoStackSnapshot), within
 * an enter hook. Frames that have no hooks are passed over: native ones, the runtime's stubs,
 * methods that no rule chooses; methods that are inlined have no frame of their own. All others
 * have to be the same, in the same order, down to the first. */
#include "profiler/hooks/check.h"

#include <unwind.h>

#include "base/library.h"
#include "profiler/hooks/methods.h"
#include "profiler/status.h"

enum { SNAPSHOT_DEFAULT = 0 }; /* COR_PRF_SNAPSHOT_INFO */

#define TOLD 8u /* differences that are reported one by one */

struct frame_walk {
    const struct shadow_stack *stack;
    bool in_filter;
    uint32_t younger; /* frames that were the same */
    bool different;
    const struct hooked *found; /* then: what the runtime has there, NULL: no more frames */
};

/* Generic methods whose instantiations share code have one frame, but may have several ids. */
static bool is_same(const struct hooked *a, const struct hooked *b)
{
    return a == b || (a->module == b->module && a->token == b->token);
}

/* While a filter runs, all is still there that the exception will unwind, but the runtime goes from
 * the filter's frame to that of its method at once. */
static const struct shadow_frame *frame_of(struct frame_walk *walk, const struct hooked *found)
{
    const struct shadow_frame *frame = shadow_stack_at(walk->stack, walk->younger);
    while (walk->in_filter && frame && !is_same(frame->function, found)) {
        frame = shadow_stack_at(walk->stack, ++walk->younger);
    }
    return frame;
}

/* Tracing may have begun when there were frames already. */
static bool is_whole(void)
{
    return atomic_load(&hooks.epoch) == 1 && !hooks.settings.paused;
}

static HRESULT STDCALL take_frame(FunctionID function, uintptr_t ip, COR_PRF_FRAME_INFO frame,
                                  ULONG context_size, uint8_t *context, void *data)
{
    struct frame_walk *walk = data;
    const struct hooked *found = function != 0 ? hooks_find(function) : NULL;
    (void)ip, (void)frame, (void)context_size, (void)context;
    if (!found || walk->different) {
        return S_OK;
    }
    if (walk->younger == walk->stack->depth) {
        walk->different = is_whole();
        walk->found = found;
        return S_OK;
    }
    const struct shadow_frame *shadow = frame_of(walk, found);
    if (shadow && !is_same(shadow->function, found)) {
        walk->different = true;
        walk->found = found;
    } else {
        walk->younger++;
    }
    return S_OK;
}

static void tell_difference(const struct frame_walk *walk)
{
    static atomic_uint told;
    const struct shadow_frame *shadow = shadow_stack_at(walk->stack, walk->younger);
    const struct hooked *method = shadow ? shadow->function : NULL;
    if (atomic_fetch_add(&told, 1) < TOLD) {
        status_line("trace",
                    "stacks differ: frame %u of %u: the shadow stack has %08X, the runtime %08X",
                    walk->younger, walk->stack->depth, method ? method->token : 0,
                    walk->found ? walk->found->token : 0);
    }
}

/* ---- where to begin ----
 *
 * The runtime would begin at the last frame that it has noted, which is not the method that called
 * the hook. So the native frames are unwound here, by what they say of themselves (the stubs, too:
 * their CFI is put to use), up to the first that no library has: compiled code. */

#if defined __x86_64__ && !defined _WIN32
typedef struct context_x86_64 thread_context;

/* The registers that a call keeps, by their numbers in unwind information. */
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
#define KNOWS_CONTEXT
#elif defined __aarch64__ && !defined _WIN32
typedef struct context_aarch64 thread_context;

/* Of the numbered registers a call keeps x19 to x28. */
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
#define KNOWS_CONTEXT
#endif

#ifdef KNOWS_CONTEXT
/* What the runtime reads may be longer than what is published: vector registers came later. */
struct seed {
    _Alignas(16) thread_context context;
    uint8_t newer[0x1000];
};

static _Unwind_Reason_Code find_managed(struct _Unwind_Context *frame, void *data)
{
    thread_context *context = data;
    if (ilpi_library_has(_Unwind_GetIP(frame))) {
        return _URC_NO_REASON;
    }
    take_registers(frame, context);
    return _URC_NORMAL_STOP;
}

static HRESULT walk_stack(struct frame_walk *walk)
{
    struct seed seed = {.context = {.flags = 0}};
    _Unwind_Backtrace(find_managed, &seed.context);
    return seed.context.flags == 0 ? E_FAIL
                                   : CALL(ICorProfilerInfo2, DoStackSnapshot,
                                          hooks.info)(hooks.info, 0, take_frame, SNAPSHOT_DEFAULT,
                                                      walk, (uint8_t *)&seed, sizeof seed.context);
}
#else
static HRESULT walk_stack(struct frame_walk *walk)
{
    return CALL(ICorProfilerInfo2, DoStackSnapshot, hooks.info)(hooks.info, 0, take_frame,
                                                                SNAPSHOT_DEFAULT, walk, NULL, 0);
}
#endif

void hooks_check_nth(struct hooks_thread *thread)
{
    if (++thread->since_check < hooks.settings.check_stacks) {
        return;
    }
    struct frame_walk walk = {.stack = &thread->stack,
                              .in_filter = thread->exceptions.filter_count != 0};
    thread->since_check = 0;
    if (walk_stack(&walk) < 0) {
        hooks_count(&thread->counts.unwalked, 1);
        return;
    }
    hooks_count(&thread->counts.snapshots, 1);
    if (walk.different || walk.younger < walk.stack->depth) {
        hooks_count(&thread->counts.different, 1);
        tell_difference(&walk);
    }
}
