/* The shape of an object, from what the runtime reports about its type.
 *
 *   classes with the offsets of their fields --object_build()--> shape, for struct object_types */
#ifndef ILPI_VALUES_OBJECT_H
#define ILPI_VALUES_OBJECT_H

#include "types/value_size.h"
#include "values/shape.h"

/* The offset of a class's field, from the address of the object. */
struct object_field {
    ilp_token field;
    uint32_t offset;
};

/* The class of objects, or one of its base classes. */
struct object_class {
    struct ilpi_sized_value type; /* with its type arguments; a value type has its layout */
    struct ilpi_type_def def;
    const struct object_field *fields; /* declared by itself */
    uint32_t field_count;
};

struct object_source {
    const struct object_class *classes; /* from the object's own to System.Object */
    uint32_t class_count;
    uint32_t size; /* of the object, with the pointer to its type */
    const struct ilp_resolver *resolver;
    const struct ilpi_layout_source *layouts;
    const struct redaction *redaction; /* NULL: nothing is hidden */
    struct ilp_arena *arena;           /* that the shape is in, */
    struct ilp_arena *scratch;         /* and scratch memory */
};

/* The shape of objects of a class, including boxed values. Inconsistent types are hidden. Errors
 * are for memory. */
ilp_status object_build(const struct shape **out, const struct object_source *source,
                        struct ilp_error *error);

/* The source of an array type. */
struct array_source {
    struct ilpi_sized_value type; /* SZARRAY or ARRAY */
    struct ilpi_sized_value element;
    uint32_t element_size;
    uint32_t rank; /* 0: T[] */
    uint32_t data; /* the offset of its elements */
    const struct ilp_resolver *resolver;
    const struct ilpi_layout_source *layouts;
    const struct redaction *redaction;
    struct ilp_arena *arena;
    struct ilp_arena *scratch;
};
ilp_status object_build_array(const struct shape **out, const struct array_source *source,
                              struct ilp_error *error);

/* The shape of unknown objects. */
extern const struct shape object_hidden;

#endif
