/* A type's DebuggerDisplay attribute, if it only refers to fields and automatic properties; the
 * same as data/inspector/Display.cs. */
#ifndef ILPI_VALUES_DISPLAY_H
#define ILPI_VALUES_DISPLAY_H

#include "types/value_size.h"
#include "values/kinds.h"

/* A DebuggerDisplay text, cut at its braces. */
struct display_part {
    const char *before;              /* the text up to the field; in the shape's arena */
    const struct shape_field *field; /* of the shape; NULL: the text ends here */
    bool plain;                      /* ",nq": a string without quotes */
};

/* Ends with a part that has no field. */
struct display {
    uint32_t field_count;
    struct display_part parts[];
};

/* The origin of a shape's field. */
struct field_origin {
    const struct ilp_image *image;
    ilp_rid field;
};

/* The type and its base classes. */
struct display_type {
    struct ilpi_type_def (*at)(const void *user, uint32_t index);
    const void *user;
    uint32_t count;
    const struct field_origin *origins; /* of the shape's fields */
};

/* shape->display stays NULL if there is no attribute, or one that needs code. */
ilp_status display_build(struct shape *shape, const struct display_type *type,
                         struct ilp_arena *arena, struct ilp_error *error);

#endif
