/* Writes values of the types in known.def: one function for each kind. `base` is what field offsets
 * count from; for an object, the object. */
#ifndef ILPI_VALUES_WRITE_KNOWN_H
#define ILPI_VALUES_WRITE_KNOWN_H

#include "values/writer.h"

#define KNOWN_KIND(name, form, function)                                                       \
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

/* The shape of an object of this kind; NULL: it is of another kind. */
const struct shape *own_known(const struct value_writer *writer, const uint8_t *object,
                              enum known_kind kind);

/* ---- for texts in pieces ---- */

/* How many characters of a longer text are read past the limit: enough for a surrogate pair at the
 * end. */
enum { CHARS_MORE = 2, MOST_CHARS = VALUE_MOST_TEXT + CHARS_MORE };

static inline int32_t known_chars_read(const struct value_writer *writer)
{
    return (int32_t)writer->limits->text + CHARS_MORE;
}

/* ---- for collections ---- */

/* A part of an array; in a ring it continues at the array's start. */
struct known_range {
    const struct shape *shape; /* NULL: there is no array */
    const uint8_t *array;
    int32_t first, count, length; /* `length` is of the whole array; the others are clamped to it */
};

/* False: it is neither an array nor null. */
bool known_open_range(const struct value_writer *writer, const uint8_t *array,
                      struct known_range *range);

static inline const uint8_t *known_element(const struct known_range *range, int32_t index)
{
    return range->array + range->shape->data + (size_t)index * range->shape->inner->size;
}

/* Elements of an array, or none without an array; in a ring they continue at its start. */
void known_put_part(struct value_writer *writer, const uint8_t *array, int32_t first, int32_t count,
                    bool ring, unsigned depth);

/* The owner of memory and sequences: an array, or for chars a string. False: it is none of them,
 * nor null. */
bool known_open_owner(const struct value_writer *writer, const uint8_t *object, bool of_chars,
                      struct known_range *range);

/* The part described by a Memory or ReadOnlyMemory. */
bool known_open_memory(const struct value_writer *writer, const struct shape *shape,
                       const uint8_t *base, struct known_range *range);

/* Whether the elements of memory, a span or a sequence are chars. */
bool known_is_of_chars(const struct shape *shape);

/* Clamps to 0 ... `most`. */
int32_t known_clamp(int32_t number, int32_t most);

#endif
