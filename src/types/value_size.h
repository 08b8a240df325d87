/* The size and the contents of a value in CoreCLR's layout. */
#ifndef ILPI_VALUE_SIZE_H
#define ILPI_VALUE_SIZE_H

#include "metadata/resolve.h"
#include "sig/sig.h"
#include "types/field_layout.h"

struct ilpi_sized_value;
struct ilpi_member;

/* A runtime that reports the offsets of its structs' fields. */
struct ilpi_layout_source {
    void *user;
    /* For `type`, whose definition, members and type arguments are set, sets the offset of each
     * member, and *size. False: the layout is unknown. */
    bool (*lay_out)(void *user, const struct ilpi_sized_value *type, struct ilpi_member *members,
                    uint32_t *size);
};

/* A type in a signature of `image`. */
struct ilpi_value_query {
    struct ilp_image *image;
    const struct ilp_type *type;
    const struct ilp_resolver *resolver;
    /* receives signatures and fields; the caller resets it */
    struct ilp_arena *arena;
    const struct ilpi_layout_source *layouts; /* NULL: use the rules of field_layout.c */
};

/* The size of a value if pointers have `pointer` bytes: 4 or 8. An object counts as a pointer.
 *
 * *size is 0 if it is not certain: a type that is not found, or found only in a reference assembly;
 * a type parameter whose size matters; Vector<T>, whose size depends on the machine; definitions
 * that no runtime loads. *unresolved (may be NULL) is then the TypeDef or TypeRef of `image` that
 * could not be resolved completely, or 0 if none is missing.
 *
 * No input costs more than a fixed number of steps; they are not shared between calls, so a caller
 * with many signatures should cache the results. Errors are for memory. */
ilp_status ilpi_value_size(const struct ilpi_value_query *query, uint32_t pointer, uint32_t *size,
                           ilp_token *unresolved, struct ilp_error *error);

/* Whether a value of `type` is an object reference or holds one; ILP_UNKNOWN if not all its fields
 * are known. Not for byref-like types, whose references are managed pointers. Otherwise as
 * above. */
ilp_status ilpi_value_references(const struct ilpi_value_query *query, enum ilp_tristate *holds,
                                 ilp_token *unresolved, struct ilp_error *error);

/* A value as a tree, down to primitives and references. */
struct ilpi_sized_value {
    struct ilpi_value_layout layout; /* size 0: unknown */
    bool missing;                    /* since a definition is missing */
    ilp_token unresolved;            /* that of this token in the first image */
    bool is_enum;
    /* of the type; for an enum of its number, and I4 for System.Int32's definition */
    uint8_t element;
    struct ilp_image *image; /* the image of the type */
    const struct ilp_type *type;
    const struct ilpi_sized_value *arguments; /* the arguments of the type parameters in it */
    uint32_t argument_count;
    struct ilpi_type_def def;                     /* of a struct or enum, if it was found, */
    const struct ilpi_sized_value *own_arguments; /* and its own type arguments */
    uint32_t own_count;
    const struct ilpi_member *members; /* the instance fields of a struct */
    uint32_t member_count;
    uint32_t repeat; /* the number of elements of an inline array; else 1 */
};

struct ilpi_member {
    ilp_rid field;  /* in def.image */
    uint32_t place; /* offset in the struct */
    struct ilpi_sized_value value;
};

/* The value as a tree in the query's arena, which it borrows; with the vectors of this machine. */
ilp_status ilpi_value_tree(const struct ilpi_value_query *query, struct ilpi_sized_value *value,
                           struct ilp_error *error);

/* The same with arguments for type parameters (VAR), which *value borrows. */
ilp_status ilpi_value_tree_closed(const struct ilpi_value_query *query,
                                  const struct ilpi_sized_value *arguments, uint32_t count,
                                  struct ilpi_sized_value *value, struct ilp_error *error);

/* The size of a primitive value type; `pointer` if it depends on the machine, 0 for any other
 * type. */
uint32_t ilpi_primitive_size(unsigned element, uint32_t pointer);

#endif
