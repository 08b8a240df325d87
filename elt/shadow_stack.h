/* A shadow stack: the functions that a thread has entered and not left, kept by the hooks of the
 * profiling interface.
 *
 *   Enter       push
 *   Leave       pop
 *   Tailcall    pop at once: the frame is gone. The next event is the Enter of the callee, or
 *               another one, since the callee may be native or have no hook. Then waiting for its
 *               Leave ("deferred pop") would go wrong
 *   exception   pop, once for each function that is unwound
 *
 * A stack belongs to one thread, so it needs no lock, and may be used in cooperative mode. Pushing
 * never allocates: memory for all frames is reserved at once, and the system commits pages when
 * they are touched. Frames past the limit are only counted: the depth stays right, and they are
 * nameless when they are popped. */
#ifndef ILPI_SHADOW_STACK_H
#define ILPI_SHADOW_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Default limit of frames: 4 MB of addresses on 64-bit systems. The 8 MB stack of a main thread has
 * room for about 170,000 of the smallest frames that call something. */
#define SHADOW_STACK_LIMIT ((uint32_t)1 << 18)

struct shadow_frame {
    const void *function; /* the hooks' identifier of it; NULL: past the limit */
    uintptr_t note;       /* the caller's */
};

struct shadow_stack {
    /* The oldest first. Before it is a sentinel without a function, with the largest note. */
    struct shadow_frame *frames;
    uint32_t limit;
    uint32_t depth;      /* may be above the limit */
    uint64_t past_limit; /* number of pushes past the limit */
};

/* Reserves room for `limit` frames. Without memory the limit is 0, so that frames are only counted,
 * and the result is false. */
bool shadow_stack_open(struct shadow_stack *stack, uint32_t limit);
void shadow_stack_close(struct shadow_stack *stack);

static inline void shadow_stack_push(struct shadow_stack *stack, const void *function,
                                     uintptr_t note)
{
    if (stack->depth < stack->limit) {
        stack->frames[stack->depth] = (struct shadow_frame){function, note};
    } else {
        stack->past_limit++;
    }
    stack->depth++;
}

/* Pops the youngest frame; false: there is none. `frame` may be NULL. */
static inline bool shadow_stack_pop(struct shadow_stack *stack, struct shadow_frame *frame)
{
    if (stack->depth == 0) {
        return false;
    }
    stack->depth--;
    if (frame) {
        *frame = stack->depth < stack->limit ? stack->frames[stack->depth]
                                             : (struct shadow_frame){NULL, 0};
    }
    return true;
}

/* The frame with that many younger ones; NULL: there is none, or it is past the limit. */
static inline struct shadow_frame *shadow_stack_at(const struct shadow_stack *stack,
                                                   uint32_t younger)
{
    if (younger >= stack->depth || stack->depth - younger > stack->limit) {
        return NULL;
    }
    return &stack->frames[stack->depth - younger - 1];
}

#define SHADOW_STACK_ABSENT UINT32_MAX

/* How many frames are younger than the youngest one of `function`. For a function that is being
 * left this is 0, unless hooks were missed; then these frames have no end of their own.
 * SHADOW_STACK_ABSENT: it was never pushed. Past the limit frames are nameless, and the youngest
 * one is taken as the function's. */
uint32_t shadow_stack_above(const struct shadow_stack *stack, const void *function);

#endif
