/* A shadow stack: the functions that a thread has entered and not left, kept by the hooks of the
 * profiling interface.
 *
 *   Enter       push
 *   Leave       pop
 *   Tailcall    pop, now: the frame is gone. What comes next is the Enter of the callee, or of
 *               something else entirely, for the callee may be native or have no hook. Waiting for
 *               its Leave ("deferred pop") goes wrong then
 *   exception   pop, once for each function that is unwound
 *
 * A stack belongs to one thread, so nothing here locks, and it may be used where managed objects
 * must not move. Pushing never allocates: memory for all frames is reserved at once, and the system
 * makes pages of it as they are touched. Frames past that limit are counted, not kept: the depth
 * stays right, and they are nameless when they are popped. */
#ifndef ILPI_SHADOW_STACK_H
#define ILPI_SHADOW_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Frames that are kept if nothing else is said: 4 MB of addresses on 64-bit systems. The 8 MB of a
 * main thread have room for about 170,000 of the smallest frames that call something. */
#define SHADOW_STACK_LIMIT ((uint32_t)1 << 18)

struct shadow_frame {
    const void *function; /* what the hooks name it by; NULL: past the limit */
    uintptr_t note;       /* the caller's */
};

struct shadow_stack {
    /* The oldest first. Before it is one that is of no function, and has the largest note. */
    struct shadow_frame *frames;
    uint32_t limit;
    uint32_t depth;      /* may be above the limit */
    uint64_t past_limit; /* pushes that were only counted */
};

/* Reserves room for `limit` frames. Without memory the limit is 0, so that all is counted, and the
 * answer is false. */
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

/* Takes the youngest frame; false: there is none. `frame` may be NULL. */
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

/* The frame with so many younger ones; NULL: there is none, or it is past the limit. */
static inline struct shadow_frame *shadow_stack_at(const struct shadow_stack *stack,
                                                   uint32_t younger)
{
    if (younger >= stack->depth || stack->depth - younger > stack->limit) {
        return NULL;
    }
    return &stack->frames[stack->depth - younger - 1];
}

#define SHADOW_STACK_ABSENT UINT32_MAX

/* How many frames are younger than the youngest one of `function`. For one that is being left this
 * is 0, unless hooks were missed, and these frames have no end of their own. SHADOW_STACK_ABSENT:
 * it was never pushed. While the stack is past its limit frames are nameless, and the youngest one
 * is taken for it. */
uint32_t shadow_stack_above(const struct shadow_stack *stack, const void *function);

#endif
