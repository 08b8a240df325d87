/* Stack depths for users of the library: those of il/stack.h, with the calls of an image. */
#include "types/call_shape.h"

#include "il/body.h"

/* Instructions that no path reaches have no depth: they get ILP_NO_DEPTH. */
static ilp_status take_depths(struct ilp_stack *out, const struct ilpi_stack *stack,
                              const struct ilpi_code *code, struct ilp_arena *arena,
                              struct ilp_error *error)
{
    uint32_t *depths = ilpi_arena_array(arena, code->count, sizeof *depths);
    if (!depths) {
        return ilpi_fail_memory(error, code->count * sizeof *depths);
    }
    for (size_t i = 0; i < code->count; i++) {
        depths[i] = (code->insns[i].marks & ILPI_INSN_SEEN) != 0 ? stack->depth[i] : ILP_NO_DEPTH;
    }
    *out = (struct ilp_stack){.depths = depths, .count = code->count, .max = (uint16_t)stack->max};
    return ILP_OK;
}

/* What is needed for it exists only during the call; the result is in the caller's arena. */
ilp_status ilp_body_stack(struct ilp_stack *out, const struct ilp_image *image,
                          const struct ilp_body *body, bool returns, struct ilp_arena *arena,
                          struct ilp_error *error)
{
    struct ilpi_call_shapes shapes;
    struct ilpi_calls calls = {&shapes, ilpi_call_shape_of};
    struct ilpi_code code = {.alloc = arena->alloc};
    struct ilpi_stack stack = {.alloc = arena->alloc};
    ilp_status status = ilpi_call_shapes_init(&shapes, image, arena, error);
    if (status == ILP_OK) {
        status = ilpi_code_decode(&code, body, error);
    }
    if (status == ILP_OK) {
        status = ilpi_stack_compute(&stack, &code, body, &calls, returns, error);
    }
    if (status == ILP_OK) {
        status = take_depths(out, &stack, &code, arena, error);
    }
    ilpi_stack_free(&stack);
    ilpi_code_free(&code);
    return status;
}
