/* CoreCLR's layout of a struct's fields, and of the whole. Knows no metadata. */
#ifndef ILPI_FIELD_LAYOUT_H
#define ILPI_FIELD_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* What matters of a field's type. */
struct ilpi_value_layout {
    uint32_t size;      /* 0: unknown */
    uint32_t alignment; /* a power of two, except as ilpi_lay_out() says */
    bool is_struct;     /* not a primitive, enum, pointer or object reference */
    bool references;    /* is an object reference, or holds one */
};

struct ilpi_field {
    struct ilpi_value_layout layout;
    uint32_t offset; /* FieldLayout (II.22.16), UINT32_MAX without one */
    uint64_t place;  /* where ilpi_lay_out() puts it */
};

/* How a runtime lays out the fields of a type (II.10.1.2, II.10.7). */
struct ilpi_layout_rules {
    uint32_t pointer;    /* 4 or 8 */
    uint32_t kind;       /* the bits of LayoutMask (II.23.1.15): 0 is automatic */
    uint32_t packing;    /* ClassLayout (II.22.8), */
    uint32_t class_size; /* 0 without it */
    uint32_t repeat;     /* the number of elements of an inline array; 1 for other types */
};

/* The layout of a struct with these fields, each of which gets its offset; size 0 for what CoreCLR
 * refuses. The alignment of an inline array may not be a power of two: CoreCLR then cannot use it
 * as a field. */
struct ilpi_value_layout ilpi_lay_out(const struct ilpi_layout_rules *rules,
                                      struct ilpi_field *fields, uint32_t count);

#endif
