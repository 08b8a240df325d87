/* Compares the shadow stack with the runtime's own walk of the same thread (DoStackSnapshot),
 * inside an enter hook. Frames without hooks are skipped: native ones, the runtime's stubs, methods
 * that no rule selects; inlined methods have no frame of their own. All others must be the same, in
 * the same order, down to the first. */
#include "profiler/hooks/check.h"

#include "profiler/hooks/methods.h"
#include "profiler/hooks/seed.h"
#include "profiler/status.h"

enum { SNAPSHOT_DEFAULT = 0 }; /* COR_PRF_SNAPSHOT_INFO */

#define MOST_REPORTED 8u /* number of differences reported one by one */

struct frame_walk {
    const struct shadow_stack *stack;
    bool in_filter;
    uint32_t younger; /* number of equal frames */
    bool different;
    const struct hooked *found; /* then: the runtime's next frame, NULL: none */
};

/* Generic methods with shared code have one frame, but may have several ids. */
static bool is_same(const struct hooked *a, const struct hooked *b)
{
    return a == b || (a->module == b->module && a->token == b->token);
}

/* While a filter runs, everything is still there that the exception will unwind, but the runtime's
 * walk skips from the filter's frame to that of its method. */
static const struct shadow_frame *frame_of(struct frame_walk *walk, const struct hooked *found)
{
    const struct shadow_frame *frame = shadow_stack_at(walk->stack, walk->younger);
    while (walk->in_filter && frame && !is_same(frame->function, found)) {
        frame = shadow_stack_at(walk->stack, ++walk->younger);
    }
    return frame;
}

/* Tracing may have begun with frames on the stack. */
static bool is_whole(void)
{
    return atomic_load(&hooks.epoch) == 1 && !hooks.settings.paused;
}

/* From the youngest frame on. A frame that has no counterpart, or the other way round, makes the
 * walk different; the rest is then not compared. */
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

static void report_difference(const struct frame_walk *walk)
{
    static atomic_uint reported;
    const struct shadow_frame *shadow = shadow_stack_at(walk->stack, walk->younger);
    const struct hooked *method = shadow ? shadow->function : NULL;
    if (atomic_fetch_add(&reported, 1) < MOST_REPORTED) {
        status_line("trace",
                    "stacks differ: frame %u of %u: the shadow stack has %08X, the runtime %08X",
                    walk->younger, walk->stack->depth, method ? method->token : 0,
                    walk->found ? walk->found->token : 0);
    }
}

/* Without a seed the runtime would begin at its last explicit frame, which is not the method that
 * called the hook. */
static HRESULT walk_stack(struct frame_walk *walk)
{
    struct hooks_seed seed;
    return hooks_seed_find(&seed)
               ? CALL(ICorProfilerInfo2, DoStackSnapshot, hooks.info)(
                     hooks.info, 0, take_frame, SNAPSHOT_DEFAULT, walk, seed.context, seed.size)
               : E_FAIL;
}

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
        report_difference(&walk);
    }
}
