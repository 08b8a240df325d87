/* What a shape is made of: shape.c builds it, write.c reads it. */
#ifndef ILPI_SHAPE_KINDS_H
#define ILPI_SHAPE_KINDS_H

#include "ilpatch.h"
#include "values/line.h"

enum shape_kind {
    SHAPE_BYTES, /* not known */
    SHAPE_BOOLEAN,
    SHAPE_CHAR,
    SHAPE_SIGNED, /* of 1, 2, 4 or 8 bytes */
    SHAPE_UNSIGNED,
    SHAPE_SINGLE,
    SHAPE_DOUBLE,
    SHAPE_ADDRESS, /* a native integer: as hex */
    SHAPE_POINTER, /* T*, and T& within a struct */
    SHAPE_BYREF,   /* T&: inner */
    SHAPE_STRING,
    SHAPE_OBJECT,
    SHAPE_ARRAY,    /* rank, element */
    SHAPE_STRUCT,   /* fields */
    SHAPE_NULLABLE, /* fields: hasValue, value */
    SHAPE_DECIMAL,
    SHAPE_GUID,
    SHAPE_TIME_SPAN,
    SHAPE_DATE_TIME
};

struct shape_field {
    const char *name;
    uint32_t offset;
    const struct shape *shape;
};

struct shape {
    enum shape_kind kind;
    uint32_t size;
    bool references;
    bool deep;    /* a struct whose fields are not told */
    bool more;    /* it has fields behind those that are */
    uint8_t rank; /* 0: a vector, as T[] */
    uint32_t field_count;
    const struct shape_field *fields;
    const struct shape *inner;
    const char *element; /* of an array: its elements' type */
    const char *name;    /* of the type, as reflection tells it */
};

/* Structs within structs are told to this depth, and of each so many fields; as Format.cs has
 * it. */
enum { SHAPE_MAX_DEPTH = 3, SHAPE_MAX_FIELDS = 16 };

/* name.c: the name of a value's type as Type.ToString() has it, NULL: no memory. */
struct ilpi_sized_value;
struct ilp_type;
const char *shape_name(const struct ilpi_sized_value *value, const struct ilp_type *type,
                       struct ilp_arena *arena);

/* core.c: structs of the core library that have a notation of their own. False: the bytes are no
 * such value, and nothing is put. */
bool shape_put_decimal(struct line *line, const uint8_t *value);
bool shape_put_date_time(struct line *line, const uint8_t *value);
void shape_put_guid(struct line *line, const uint8_t *value);
void shape_put_time_span(struct line *line, const uint8_t *value);

/* float_text.c: the shortest digits that give the same number back, as .NET 10 lays them out. */
void float_put_double(struct line *line, double value);
void float_put_single(struct line *line, float value);

#endif
