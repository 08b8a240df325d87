/* How many bytes a value has, as CoreCLR lays it out, and what they are. */
#ifndef ILPI_VALUE_SIZE_H
#define ILPI_VALUE_SIZE_H

#include "metadata/resolve.h"
#include "sig/sig.h"
#include "types/field_layout.h"

struct ilpi_sized_value;
struct ilpi_member;

/* A runtime that reports where the fields of its structs are. */
struct ilpi_layout_source {
    void *user;
    /* Of `type`, whose definition, members and type arguments are known, sets the place of each
     * member, and *size. False: the layout is not known. */
    bool (*lay_out)(void *user, const struct ilpi_sized_value *type, struct ilpi_member *members,
                    uint32_t *size);
};

/* A type that stands in a signature of `image`. */
struct ilpi_value_query {
    struct ilp_image *image;
    const struct ilp_type *type;
    const struct ilp_resolver *resolver;
    /* holds signatures and fields afterwards; the caller resets it */
    struct ilp_arena *arena;
    const struct ilpi_layout_source *layouts; /* NULL: the rules of field_layout.c hold */
};

/* The size of a value where pointers have `pointer` bytes: 4 or 8. An object is a pointer to it.
 *
 * *size is 0 where it cannot be told for sure: a type that is not found, or found only in a
 * reference assembly; a type parameter whose size counts; Vector<T>, whose size the machine
 * decides; definitions that no runtime loads. *unresolved (may be NULL) is then the TypeDef or
 * TypeRef of `image` that could not be followed to its end, or 0 where nothing is missing.
 *
 * No input costs more than a fixed number of steps; they are not shared between calls, so a caller
 * that asks for many signatures remembers the answers. Errors are for memory. */
ilp_status ilpi_value_size(const struct ilpi_value_query *query, uint32_t pointer, uint32_t *size,
                           ilp_token *unresolved, struct ilp_error *error);

/* Whether a value of `type` is an object reference or holds one; ILP_UNKNOWN where its fields are
 * not all known. Byref-like types, whose references are others, are not for this. The rest as
 * above. */
ilp_status ilpi_value_references(const struct ilpi_value_query *query, enum ilp_truth *holds,
                                 ilp_token *unresolved, struct ilp_error *error);

/* A value as a tree, down to primitives and references. */
struct ilpi_sized_value {
    struct ilpi_value_layout layout; /* size 0: unknown, */
    bool missing;                    /* for want of a definition, */
    ilp_token unresolved;            /* that of this token in the first image */
    bool is_enum;
    /* of the type; of an enum that of the number, of System.Int32's definition I4 */
    uint8_t element;
    struct ilp_image *image; /* where the type stands, */
    const struct ilp_type *type;
    const struct ilpi_sized_value *arguments; /* and what the type parameters in it mean there */
    uint32_t argument_count;
    struct ilpi_type_def def;                     /* of a struct or enum, if it was found, */
    const struct ilpi_sized_value *own_arguments; /* and its own type arguments */
    uint32_t own_count;
    const struct ilpi_member *members; /* the instance fields of a struct */
    uint32_t member_count;
    uint32_t repeat; /* how often an inline array has its field; else 1 */
};

struct ilpi_member {
    ilp_rid field;  /* in def.image */
    uint32_t place; /* from the beginning of the struct */
    struct ilpi_sized_value value;
};

/* The same as a tree, in the query's arena, which it borrows; with the vectors of this machine. */
ilp_status ilpi_value_tree(const struct ilpi_value_query *query, struct ilpi_sized_value *value,
                           struct ilp_error *error);

/* The same where type parameters (VAR) stand for these, which *value borrows. */
ilp_status ilpi_value_tree_closed(const struct ilpi_value_query *query,
                                  const struct ilpi_sized_value *arguments, uint32_t count,
                                  struct ilpi_sized_value *value, struct ilp_error *error);

/* Of a primitive value type; `pointer` for those whose size the machine decides, 0 for any other
 * type. */
uint32_t ilpi_primitive_size(unsigned element, uint32_t pointer);

#endif
