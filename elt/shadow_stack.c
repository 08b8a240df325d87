/* The parts of a shadow stack that are not on every path. See shadow_stack.h. */
#include "elt/shadow_stack.h"

#include "base/pages.h"

bool shadow_stack_open(struct shadow_stack *stack, uint32_t limit)
{
    size_t size = (size_t)limit * sizeof *stack->frames;
    void *memory = limit == 0 || size / sizeof *stack->frames != limit ? NULL
                                                                       : ilpi_pages_open(size);
    *stack = (struct shadow_stack){.frames = NULL};
    if (!memory) {
        return false;
    }
    stack->frames = memory;
    stack->limit = limit;
    return true;
}

void shadow_stack_close(struct shadow_stack *stack)
{
    ilpi_pages_close(stack->frames, (size_t)stack->limit * sizeof *stack->frames);
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
