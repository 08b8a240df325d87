/* Values of the types in known.def as text: a function for each kind. `base` is what the offsets of
 * fields are counted from, of an object the object. */
#ifndef ILPI_VALUES_WRITE_KNOWN_H
#define ILPI_VALUES_WRITE_KNOWN_H

#include "values/writer.h"

#define KNOWN_KIND(name, function)                                                             \
    void function(struct value_writer *writer, const struct shape *shape, const uint8_t *base, \
                  unsigned depth);
#include "values/known.def"

static inline const uint8_t *known_field(const struct shape *shape, unsigned field,
                                         const uint8_t *base)
{
    return base + shape->fields[field].offset;
}

static inline const uint8_t *known_reference(const struct shape *shape, unsigned field,
                                             const uint8_t *base)
{
    return read_pointer(known_field(shape, field, base));
}

static inline int32_t known_number(const struct shape *shape, unsigned field, const uint8_t *base)
{
    return read_length(known_field(shape, field, base));
}

#endif
