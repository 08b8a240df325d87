/* Writing values, for the files of this folder. */
#ifndef ILPI_VALUES_WRITER_H
#define ILPI_VALUES_WRITER_H

#include "values/kinds.h"
#include "values/read.h"
#include "values/shape.h"

/* An object that is being shown, within others. */
struct shown_object {
    const uint8_t *object;
    const struct shown_object *outer;
};

struct value_writer {
    struct line *line;
    /* write.c, which what is in a value comes back to */
    void (*value)(struct value_writer *writer, const struct shape *shape, const uint8_t *value,
                  unsigned depth);
    /* known.def's kinds; of an object the object itself */
    void (*known)(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                  unsigned depth);
    const struct shaped_value *shaped; /* what all is about */
    bool json;                         /* notation.h */
    unsigned scalars;                  /* that are being written, within each other */
    const char *type_name;             /* that belongs to what comes next */
    const struct value_limits *limits; /* its own, or the usual ones */
    const struct shown_object *within; /* so that none is shown within itself; NULL: none */
};

/* What an object is; NULL: not known, or none. */
static inline const struct shape *own_shape(const struct value_writer *writer,
                                            const uint8_t *object)
{
    return object && writer->shaped->types
               ? writer->shaped->types->of(writer->shaped->types->user, object)
               : NULL;
}

/* Whether what a value at this depth holds is left out. */
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

/* What lies at `value`; the depth is 1 for what the line is about. */
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

/* write_hidden.c: what lies at `value`, whose name says something of it. */
void write_secret(struct value_writer *writer, enum secrecy secrecy, const struct shape *shape,
                  const uint8_t *value, unsigned depth);

/* What lies at `value`, unless its name says that it is a secret. */
static inline void write_named(struct value_writer *writer, enum secrecy secrecy,
                               const struct shape *shape, const uint8_t *value, unsigned depth)
{
    if (secrecy == SECRECY_NONE) {
        write_value(writer, shape, value, depth);
    } else {
        write_secret(writer, secrecy, shape, value, depth);
    }
}

/* What a key says of its value, if it is a string, be it declared as object. */
enum secrecy secrecy_of_key(const struct value_writer *writer, const struct shape *shape,
                            const uint8_t *key);

/* "a"=1, of a dictionary: what the key says of its value. */
void write_pair_of(struct value_writer *writer, const struct shape *key_shape, const uint8_t *key,
                   const struct shape *shape, const uint8_t *value, unsigned depth);

/* The same of two fields of one thing. */
static inline void write_pair(struct value_writer *writer, const struct shape_field *key,
                              const struct shape_field *value, const uint8_t *base, unsigned depth)
{
    write_pair_of(writer, key->shape, base + key->offset, value->shape, base + value->offset,
                  depth);
}

/* write_object.c: "{X=1, Y=2}", of fields from `base` on. */
void write_fields(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                  unsigned depth);

/* "Circle(2.5)", "Empty". */
void write_union(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                 unsigned depth);

/* An object, or null. */
void write_reference(struct value_writer *writer, const struct shape *declared,
                     const uint8_t *object, unsigned depth);

#endif
