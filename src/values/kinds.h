/* The contents of a shape: shape.c builds it, write.c reads it. */
#ifndef ILPI_SHAPE_KINDS_H
#define ILPI_SHAPE_KINDS_H

#include "ilpatch.h"
#include "values/limits.h"
#include "values/line.h"
#include "values/read.h"
#include "values/redaction.h"

/* How a value's bytes are read: scalars, values with parts, references, and objects by their own
 * types. */
enum shape_kind {
    SHAPE_BYTES, /* unknown */
    SHAPE_BOOLEAN,
    SHAPE_CHAR,
    SHAPE_SIGNED, /* of 1, 2, 4 or 8 bytes */
    SHAPE_UNSIGNED,
    SHAPE_SINGLE,
    SHAPE_DOUBLE,
    SHAPE_ADDRESS,  /* a native integer: as hex */
    SHAPE_POINTER,  /* T*, and T& inside a struct */
    SHAPE_BYREF,    /* T&: inner */
    SHAPE_ENUM,     /* inner, members */
    SHAPE_STRUCT,   /* fields */
    SHAPE_NULLABLE, /* fields: hasValue, value */
    SHAPE_DECIMAL,
    SHAPE_GUID,
    SHAPE_TIME_SPAN,
    SHAPE_DATE_TIME,
    SHAPE_UNION,     /* of F#: cases, tagged, fields. Also an object */
    SHAPE_HIDDEN,    /* "{...}": a value, or an object */
    SHAPE_FRAMEWORK, /* known, fields; of spans, memory, sequences: inner. Also an object */
    /* references, by declared type */
    SHAPE_STRING,
    SHAPE_OBJECT,
    SHAPE_ARRAY, /* rank, element */
    /* objects by their own type; any kind above except the last two may be one as well: a boxed
     * value, a string */
    SHAPE_ROOT,      /* System.Object */
    SHAPE_CLASS,     /* fields */
    SHAPE_EXCEPTION, /* fields: the message, the inner exception, and others */
    SHAPE_ELEMENTS   /* an array: rank, data, inner */
};

/* How framework types are shown: known.def. */
enum known_kind {
#define KNOWN_KIND(name, form, function) KNOWN_##name,
#include "values/known.def"
};

/* What is written of them: known.def. */
enum known_form { FORM_PARTS, FORM_ELEMENTS, FORM_NAMED, FORM_WORD, FORM_INTEGER, FORM_REAL };
enum known_form known_form(enum known_kind kind);

/* CancellationToken and its source, in any form. */
static inline bool known_is_cancellation(enum known_kind kind)
{
    return kind == KNOWN_CANCELLATION || kind == KNOWN_OLD_CANCELLATION;
}

enum { SHAPE_LABEL = 32 };

/* A field, with what a writer would otherwise compute for each value: whether its name needs
 * escapes, and its label. */
struct shape_field {
    const char *name;          /* as in the source, or as known.def shows it; in the arena */
    uint32_t offset;           /* from the value's first byte; of an object from its address */
    const struct shape *shape; /* never NULL once the field counts */
    enum secrecy secrecy;      /* secrecy by the name */
    uint32_t plain_size;       /* size of the name if it is plain (line.h); else 0 */
    uint32_t again;      /* how many earlier fields have the same name: those of base classes */
    uint32_t label_size; /* size of ", Name=" if it is plain and shorter than here; else 0 */
    char label[SHAPE_LABEL];
};

/* A type for writers: everything that they need to know is computed when it is built. One shape
 * serves all values of its type. */
struct shape {
    enum shape_kind kind;
    enum known_kind known; /* SHAPE_FRAMEWORK: which writer, and what `fields` are by index */
    uint32_t size;       /* in bytes, of an object with its type pointer; 0: unknown, or an array */
    bool references;     /* it is an object reference, or may hold one */
    bool deep;           /* a struct nested too deeply: its fields are unknown */
    bool more;           /* it has more fields than are shown */
    bool partial;        /* some of those are unknown */
    bool is_class;       /* of an object that is no boxed value: offsets are from its address */
    bool secret;         /* values of this type are hidden */
    bool activity_local; /* AsyncLocal<Activity> (activity.h) */
    bool tagged;         /* of a union: the first field is the case; else there is one case */
    uint8_t rank;        /* 0: a vector, as T[] */
    uint32_t field_count;             /* shown ones */
    uint32_t further_count;           /* those after them, which conditions find by name */
    const struct shape_field *fields; /* both */
    const struct shape *inner;        /* of elements, of an enum's number, of what a T& refers to */
    const struct enum_members *members; /* SHAPE_ENUM */
    const struct union_cases *cases;    /* SHAPE_UNION */
    const struct display *display;      /* of a class or struct: shown instead of its fields; NULL:
                                      fields */
    uint32_t data;                      /* of an array: the offset of its elements */
    const char *element;                /* of an array: its elements' type */
    const char *name;                   /* of the type, as in reflection; NULL: unknown */
    const char *short_name;             /* of an object's type; "": not shown */
    uint32_t short_plain_size;          /* as plain_size of a field */
    const char *const *bases;           /* the names of its base classes */
    uint32_t base_count;
};

/* The number of an object's fields that are shown, as in Format.cs; nested structs are known as
 * deep as values can be shown. */
enum { SHAPE_MAX_FIELDS = 16, SHAPE_MAX_DEPTH = VALUE_MOST_DEPTH };

static inline bool shape_is_reference(const struct shape *shape)
{
    return shape->kind == SHAPE_STRING || shape->kind == SHAPE_OBJECT || shape->kind == SHAPE_ARRAY;
}

/* Whether an object of this shape is a boxed value, which is stored after the pointer to its
 * type. */
static inline bool shape_is_boxed(const struct shape *own)
{
    switch (own->kind) {
    case SHAPE_HIDDEN:
    case SHAPE_STRING:
    case SHAPE_OBJECT:
    case SHAPE_ARRAY:
    case SHAPE_ROOT:
    case SHAPE_CLASS:
    case SHAPE_EXCEPTION:
    case SHAPE_ELEMENTS: return false;
    default: return !own->is_class;
    }
}

/* Whether a value of this shape is null. */
static inline bool shape_is_null(const struct shape *shape, const uint8_t *value)
{
    if (shape_is_reference(shape) || shape->kind == SHAPE_BYREF) {
        return !read_pointer(value);
    }
    return shape->kind == SHAPE_NULLABLE && value[shape->fields[0].offset] == 0;
}

/* An integer extended to 64 bits according to its sign. */
static inline uint64_t shape_bits(const struct shape *integer, const uint8_t *value)
{
    return integer->kind == SHAPE_SIGNED ? (uint64_t)read_signed(value, integer->size)
                                         : read_unsigned(value, integer->size);
}

/* A field by its name, shown or not; NULL: there is none. */
static inline const struct shape_field *shape_find_field(const struct shape *shape,
                                                         const char *name)
{
    size_t size = strlen(name);
    for (uint32_t i = 0; i < shape->field_count + shape->further_count; i++) {
        const struct shape_field *field = &shape->fields[i];
        bool may_be = field->plain_size == 0 || field->plain_size == size;
        if (may_be && strcmp(field->name, name) == 0) {
            return field;
        }
    }
    return NULL;
}

/* shape.c: sets the name of a field, and the secrecy that follows from it. */
void shape_set_field_name(struct shape_field *field, const char *name,
                          const struct redaction *redaction);

/* shape.c: counts earlier fields with the same name. */
void shape_count_names(struct shape_field *fields, uint32_t count);

/* name.c: the name of a value's type as Type.ToString() gives it, NULL: no memory. */
struct ilpi_sized_value;
struct ilp_type;
const char *shape_name(const struct ilpi_sized_value *value, const struct ilp_type *type,
                       struct ilp_arena *arena);

/* name.c: whether such a name is that of a type as a condition writes it: `Side`, `Box.Side`,
 * `Box+Side` and `Shop.Box.Side` all fit Shop.Box`1+Side[System.Int32]. */
bool shape_name_fits(const char *name, const char *written);

/* known.c: the known type, NULL: it is not known. */
struct framework_type {
    const char *name_space, *name;
    enum known_kind kind;
    const char *fields;
};
struct ilpi_type_def;
const struct framework_type *known_find(struct ilpi_type_def def);

/* The same type in an older form; NULL: there is none. */
const struct framework_type *known_older(const struct framework_type *type);

/* A field that is read from it. */
struct known_field {
    char what; /* its required type */
    char name[64];
    const char *shown; /* the name it is shown under, of `shown_size` bytes; 0: its own */
    size_t shown_size;
};

/* The next one of a list; NULL: there is none. */
const char *known_next_field(const char *fields, struct known_field *field);

/* Whether this is the field's name, in metadata or in the source. */
bool known_has_name(const struct known_field *field, const char *name);

/* Whether the field has the required type. */
bool known_is_right(const struct shape *field, char what);

/* enum.c: the names of an enum's members. */
ilp_status enum_build(const struct enum_members **out, struct ilpi_type_def def,
                      struct ilp_arena *arena, struct ilp_error *error);

/* The number of a member, sign-extended; false: there is no member of that name. */
bool enum_find(const struct enum_members *members, const char *name, uint64_t *bits);

/* Writes one name or several; false: it has none, and nothing is written. `bits` is
 * sign-extended. */
bool enum_put(struct line *line, const struct enum_members *members, uint64_t bits);

/* The plain name of one member; NULL: there is none, or it is not plain. */
const char *enum_plain_name(const struct enum_members *members, uint64_t bits, uint32_t *size);

/* core.c: divides 32-bit words, the lowest first, by 10; returns the remainder. */
uint32_t words_divide(uint32_t *words, unsigned count);

/* core.c: core library structs with their own notation. False: the bytes are not a valid value, and
 * nothing is written. */
bool shape_put_decimal(struct line *line, const uint8_t *value);
bool shape_put_date_time(struct line *line, const uint8_t *value);
void shape_put_guid(struct line *line, const uint8_t *value);
void shape_put_time_span(struct line *line, const uint8_t *value);

/* Parts of these: days since January 1 of year 1, 100 ns since midnight. */
bool shape_put_days(struct line *line, int64_t days);
bool shape_put_time_of_day(struct line *line, uint64_t ticks);

/* float_text.c: the shortest digits that read back as the same number, in .NET 10's layout. */
void float_put_double(struct line *line, double value);
void float_put_single(struct line *line, float value);
void float_put_half(struct line *line, uint16_t bits);

#endif
