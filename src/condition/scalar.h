/* A value as conditions compare it: its kind and its bits. Numbers are compared by mathematical
 * value, whatever their kind. */
#ifndef ILPI_SCALAR_H
#define ILPI_SCALAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is compared: kinds are those of .NET's values, as far as literals can be compared with
 * them. */
enum ilpi_scalar_kind {
    ILPI_SCALAR_UNREADABLE, /* unknown: the type of the bytes is not known */
    ILPI_SCALAR_NULL,
    ILPI_SCALAR_SIGNED,   /* sbyte to long, nint; of an enum with its `type` */
    ILPI_SCALAR_UNSIGNED, /* byte to ulong, nuint, char; of an enum with its `type` */
    ILPI_SCALAR_SINGLE,
    ILPI_SCALAR_DOUBLE,
    ILPI_SCALAR_DECIMAL,
    ILPI_SCALAR_BOOL,
    ILPI_SCALAR_STRING,
    ILPI_SCALAR_DURATION, /* TimeSpan, TimeOnly: seconds as a decimal */
    ILPI_SCALAR_DATE,     /* DateTime, DateOnly, DateTimeOffset as UTC: ticks since year 1 */
    ILPI_SCALAR_GUID,
    ILPI_SCALAR_OBJECT /* not null, perhaps with members; comparable only with null */
};

/* A value without its place. Texts are borrowed: they are valid as long as what was read stays
 * where it is. Only the members of its kind mean something. */
struct ilpi_scalar {
    uint8_t kind;
    uint8_t scale;   /* DECIMAL, DURATION: 0 to 28 digits are after the point */
    bool negative;   /* the same: below zero */
    uint32_t length; /* STRING: UTF-16 units */
    union {
        int64_t integer;      /* SIGNED */
        uint64_t natural;     /* UNSIGNED, BOOL, DATE */
        double real;          /* DOUBLE, SINGLE */
        uint32_t words[3];    /* DECIMAL, DURATION: 96 bits, the lowest first */
        const uint8_t *bytes; /* borrowed, at any address. STRING; GUID: 16 as .NET keeps them */
    } as;
    const void *type; /* of an enum: the source's own name for it; else NULL */
};

/* ---- constructors ---- */

static inline struct ilpi_scalar ilpi_scalar_of(enum ilpi_scalar_kind kind)
{
    return (struct ilpi_scalar){.kind = (uint8_t)kind};
}

static inline struct ilpi_scalar ilpi_scalar_signed(int64_t value)
{
    return (struct ilpi_scalar){.kind = ILPI_SCALAR_SIGNED, .as.integer = value};
}

static inline struct ilpi_scalar ilpi_scalar_unsigned(uint64_t value)
{
    return (struct ilpi_scalar){.kind = ILPI_SCALAR_UNSIGNED, .as.natural = value};
}

static inline struct ilpi_scalar ilpi_scalar_bool(bool value)
{
    return (struct ilpi_scalar){.kind = ILPI_SCALAR_BOOL, .as.natural = value};
}

static inline struct ilpi_scalar ilpi_scalar_double(double value)
{
    return (struct ilpi_scalar){.kind = ILPI_SCALAR_DOUBLE, .as.real = value};
}

static inline struct ilpi_scalar ilpi_scalar_single(float value)
{
    return (struct ilpi_scalar){.kind = ILPI_SCALAR_SINGLE, .as.real = (double)value};
}

static inline struct ilpi_scalar ilpi_scalar_string(const void *utf16, uint32_t units)
{
    return (struct ilpi_scalar){.kind = ILPI_SCALAR_STRING, .length = units, .as.bytes = utf16};
}

/* Unreadable with a scale above 28, which no decimal has. */
struct ilpi_scalar ilpi_scalar_decimal(const uint32_t words[3], unsigned scale, bool negative);

/* `count` / 10^digits seconds: 7 digits for ticks, 9 for nanoseconds. */
struct ilpi_scalar ilpi_scalar_duration(int64_t count, unsigned digits);

/* ---- comparing ---- */

enum ilpi_scalar_order {
    ILPI_ORDER_LESS = -1,
    ILPI_ORDER_EQUAL,
    ILPI_ORDER_GREATER,
    ILPI_ORDER_NONE /* NaN: neither equal nor less nor greater */
};

static inline bool ilpi_scalar_is_number(const struct ilpi_scalar *scalar)
{
    return scalar->kind >= ILPI_SCALAR_SIGNED && scalar->kind <= ILPI_SCALAR_DECIMAL;
}

/* Compares two numbers, or two durations. */
enum ilpi_scalar_order ilpi_scalar_compare(const struct ilpi_scalar *a,
                                           const struct ilpi_scalar *b);

#endif
