/* What an object is, by what the runtime says of its type.
 *
 *   classes with the places of their fields --object_build()--> shape, for struct object_types */
#ifndef ILPI_VALUES_OBJECT_H
#define ILPI_VALUES_OBJECT_H

#include "types/value_size.h"
#include "values/shape.h"

/* Where a field of a class is, from where a reference to the object leads. */
struct object_field {
    ilp_token field;
    uint32_t offset;
};

/* A class of which objects are, or one that it is derived from. */
struct object_class {
    struct ilpi_sized_value type; /* with its type arguments; a value type has its layout */
    struct ilpi_type_def def;
    const struct object_field *fields; /* its own */
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
    struct ilp_arena *scratch;         /* and what is needed meanwhile */
};

/* The shape of objects of a class, boxed values included. What does not fit together is hidden.
 * Errors are for memory. */
ilp_status object_build(const struct shape **out, const struct object_source *source,
                        struct ilp_error *error);

/* An array's. */
struct array_source {
    struct ilpi_sized_value type; /* SZARRAY or ARRAY */
    struct ilpi_sized_value element;
    uint32_t element_size;
    uint32_t rank; /* 0: T[] */
    uint32_t data; /* where its elements begin */
    const struct ilp_resolver *resolver;
    const struct ilpi_layout_source *layouts;
    const struct redaction *redaction;
    struct ilp_arena *arena;
    struct ilp_arena *scratch;
};
ilp_status object_build_array(const struct shape **out, const struct array_source *source,
                              struct ilp_error *error);

/* Of what is not known at all. */
extern const struct shape object_hidden;

#endif
