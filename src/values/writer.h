/* Writing values, for the files of this folder. */
#ifndef ILPI_VALUES_WRITER_H
#define ILPI_VALUES_WRITER_H

#include "values/kinds.h"
#include "values/read.h"
#include "values/shape.h"

/* An object being shown, inside others. */
struct shown_object {
    const uint8_t *object;
    const struct shown_object *outer;
};

/* A value while it is written. Functions are pointers so that the files of this folder need not
 * include each other. */
struct value_writer {
    struct line *line;
    /* write.c; values inside others come back to it */
    void (*value)(struct value_writer *writer, const struct shape *shape, const uint8_t *value,
                  unsigned depth);
    /* known.def's kinds; for an object, the object itself */
    void (*known)(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                  unsigned depth);
    const struct shaped_value *shaped; /* the whole value */
    bool json;                         /* notation.h */
    unsigned scalars;                  /* number of scalars being written, nested */
    const char *type_name; /* JSON: of the object whose bracket or mark comes next; NULL: none */
    const struct value_limits *limits; /* its own, or the defaults */
    const struct shown_object *within; /* list of enclosing objects, so that none is shown inside
                                          itself; NULL: none */
};

/* The shape of an object; NULL: unknown, or null. */
static inline const struct shape *own_shape(const struct value_writer *writer,
                                            const uint8_t *object)
{
    return object && writer->shaped->types
               ? writer->shaped->types->of(writer->shaped->types->user, object)
               : NULL;
}

/* Whether the content of a value at this depth is left out. */
static inline bool is_too_deep(const struct value_writer *writer, unsigned depth)
{
    return depth > writer->limits->depth;
}

/* How many of its elements are shown. */
static inline int32_t shown_elements(const struct value_writer *writer, int32_t count)
{
    int32_t most = (int32_t)writer->limits->elements;
    return count < most ? count : most;
}

/* The value at `value`; the outermost one has depth 1. */
static inline void write_value(struct value_writer *writer, const struct shape *shape,
                               const uint8_t *value, unsigned depth)
{
    writer->value(writer, shape, value, depth);
}

static inline void write_known(struct value_writer *writer, const struct shape *shape,
                               const uint8_t *base, unsigned depth)
{
    writer->known(writer, shape, base, depth);
}

/* write_hidden.c: the value at `value`, whose name may make it secret. */
void write_secret(struct value_writer *writer, enum secrecy secrecy, const struct shape *shape,
                  const uint8_t *value, unsigned depth);

/* The value at `value`, hidden if its name is secret. */
static inline void write_named(struct value_writer *writer, enum secrecy secrecy,
                               const struct shape *shape, const uint8_t *value, unsigned depth)
{
    if (secrecy == SECRECY_NONE) {
        write_value(writer, shape, value, depth);
    } else {
        write_secret(writer, secrecy, shape, value, depth);
    }
}

/* The secrecy by a key, if it is a string, even if declared as object. */
enum secrecy secrecy_of_key(const struct value_writer *writer, const struct shape *shape,
                            const uint8_t *key);

/* "a"=1, of a dictionary: the key decides the secrecy of its value. */
void write_pair_of(struct value_writer *writer, const struct shape *key_shape, const uint8_t *key,
                   const struct shape *shape, const uint8_t *value, unsigned depth);

/* The same for two fields of one struct or object. */
static inline void write_pair(struct value_writer *writer, const struct shape_field *key,
                              const struct shape_field *value, const uint8_t *base, unsigned depth)
{
    write_pair_of(writer, key->shape, base + key->offset, value->shape, base + value->offset,
                  depth);
}

/* write_object.c: "{X=1, Y=2}", of fields at offsets from `base`. */
void write_fields(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                  unsigned depth);

/* "Circle(2.5)", "Empty". */
void write_union(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                 unsigned depth);

/* An object, or null. */
void write_reference(struct value_writer *writer, const struct shape *declared,
                     const uint8_t *object, unsigned depth);

#endif
