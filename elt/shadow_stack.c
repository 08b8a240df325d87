/* The rare paths of a shadow stack: reserving and freeing its memory, and searching it. See
 * shadow_stack.h. */
#include "elt/shadow_stack.h"

#include "base/pages.h"

/* The size of all frames, including the one before the oldest; 0: there are none, or too many. */
static size_t size_of(uint32_t limit)
{
    size_t frames = (size_t)limit + 1;
    return limit == 0 || frames > SIZE_MAX / sizeof(struct shadow_frame)
               ? 0
               : frames * sizeof(struct shadow_frame);
}

bool shadow_stack_open(struct shadow_stack *stack, uint32_t limit)
{
    size_t size = size_of(limit);
    struct shadow_frame *memory = size == 0 ? NULL : ilpi_pages_open(size);
    *stack = (struct shadow_stack){.frames = NULL};
    if (!memory) {
        return false;
    }
    memory[0] = (struct shadow_frame){.function = NULL, .note = UINTPTR_MAX};
    stack->frames = memory + 1;
    stack->limit = limit;
    return true;
}

void shadow_stack_close(struct shadow_stack *stack)
{
    if (stack->frames) {
        ilpi_pages_close(stack->frames - 1, size_of(stack->limit));
    }
    *stack = (struct shadow_stack){.frames = NULL};
}

uint32_t shadow_stack_above(const struct shadow_stack *stack, const void *function)
{
    if (stack->depth > stack->limit) {
        return 0;
    }
    for (uint32_t younger = 0; younger < stack->depth; younger++) {
        if (stack->frames[stack->depth - younger - 1].function == function) {
            return younger;
        }
    }
    return SHADOW_STACK_ABSENT;
}
