/* The stack effect of a call, from its token's signature (III.3.19, III.3.20, III.4.2,
 * III.4.21). */
#ifndef ILPI_CALL_SHAPE_H
#define ILPI_CALL_SHAPE_H

#include "il/stack.h"
#include "metadata/image.h"

/* The blob of the signature that a MethodDef, a MemberRef or a StandAloneSig has; 0 for others. */
uint32_t ilpi_call_signature(const struct ilp_image *image, ilp_token token);

/* The stack effect of a call token, read now. */
ilp_status ilpi_call_shape_read(const struct ilp_image *image, enum ilpi_op op, ilp_token token,
                                struct ilpi_call_shape *shape, struct ilp_error *error);

/* The stack effects of calls, by token, each read once: most methods are called many times. */
struct ilpi_call_shapes {
    const struct ilp_image *image;
    uint32_t *methods; /* per MethodDef row, in the arena; packed (call_shape.c), 0: not read yet */
    uint32_t *members; /* per MemberRef row, the same */
};
ilp_status ilpi_call_shapes_init(struct ilpi_call_shapes *shapes, const struct ilp_image *image,
                                 struct ilp_arena *arena, struct ilp_error *error);

/* The same from memory; user is a struct ilpi_call_shapes. */
ilp_status ilpi_call_shape_of(void *user, enum ilpi_op op, ilp_token token,
                              struct ilpi_call_shape *shape, struct ilp_error *error);

#endif
