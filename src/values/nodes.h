/* What collections of nodes have in common, for the files that write them: elements one by one, and
 * nodes by their fields. */
#ifndef ILPI_VALUES_NODES_H
#define ILPI_VALUES_NODES_H

#include "values/notation.h"
#include "values/write_known.h"

/* The number of elements that are counted if the collection keeps no count. */
enum { MAX_COUNT = 256 };

/* ---- elements one by one ---- */

static inline void put_element(const struct elements *elements, const struct shape_field *field,
                               const uint8_t *holder)
{
    write_value(elements->writer, field->shape, holder + field->offset, elements->depth + 1);
}

static inline void put_pair(const struct elements *elements, const struct shape_field *key,
                            const struct shape_field *value, const uint8_t *holder)
{
    if (key) {
        write_pair(elements->writer, key, value, holder, elements->depth);
    } else {
        put_element(elements, value, holder);
    }
}

/* elements_end() if later elements may not have been found. `goes_on`: elements_next() has not yet
 * reported that there are more than are shown. */
static inline void end_elements(struct elements *elements, bool goes_on)
{
    if (goes_on && elements->shown < elements->count &&
        elements->shown == shown_elements(elements->writer, INT32_MAX)) {
        elements_next(elements);
    }
    elements_end(elements);
}

/* ---- nodes, by the fields that they have ---- */

/* The field with either name, which must be a reference. */
static inline const struct shape_field *find_reference(const struct shape *shape, const char *name,
                                                       const char *other)
{
    const struct shape_field *field = shape_find_field(shape, name);
    field = field ? field : shape_find_field(shape, other);
    return field && shape_is_reference(field->shape) ? field : NULL;
}

static inline const struct shape *node_shape(const struct value_writer *writer, const uint8_t *node)
{
    const struct shape *shape = own_shape(writer, node);
    return shape && shape->kind == SHAPE_CLASS ? shape : NULL;
}

/* The node that a node's field refers to; NULL: none, or an object of another class. */
static inline const uint8_t *follow(const struct value_writer *writer, const struct shape *shape,
                                    const struct shape_field *field, const uint8_t *node)
{
    const uint8_t *next = read_pointer(node + field->offset);
    return own_shape(writer, next) == shape ? next : NULL;
}

static inline void put_hidden(struct value_writer *writer)
{
    put_mark(writer, "...");
}

#endif
