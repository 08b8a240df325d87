/* The kind of a value type, by its definition: a signature and a TypeRef do not show it. */
#ifndef ILPI_VALUE_TYPE_H
#define ILPI_VALUE_TYPE_H

#include "metadata/resolve.h"

/* Whether a TypeDef row is a value type by its base class (II.10.1.3): System.Enum or
 * System.ValueType. System.Enum itself extends System.ValueType of its own image, and is a
 * class. */
bool ilpi_is_enum_def(const struct ilp_image *image, ilp_rid type);
bool ilpi_is_value_type_def(const struct ilp_image *image, ilp_rid type); /* including enums */

/* What a value type is, as far as copying and boxing depend on it. */
enum ilpi_value_type {
    ILPI_VALUE_NOT_READ, /* never a result */
    ILPI_VALUE_ENUM,
    ILPI_VALUE_STRUCT,
    ILPI_VALUE_BYREF_LIKE,
    ILPI_VALUE_UNRESOLVED
};

/* The kind of a TypeDef row that satisfies ilpi_is_value_type_def(); UNRESOLVED for others: the
 * signature says value type, the definition does not. */
enum ilpi_value_type ilpi_value_type_of_def(struct ilpi_type_def def);

/* The results for one image, each computed once. */
struct ilpi_value_types {
    struct ilp_image *image;
    const struct ilp_resolver *resolver; /* may be NULL */
    uint8_t *answers[2];                 /* per TypeRef row, per TypeDef row; in the arena */
};

ilp_status ilpi_value_types_init(struct ilpi_value_types *types, struct ilp_image *image,
                                 const struct ilp_resolver *resolver, struct ilp_arena *arena,
                                 struct ilp_error *error);

/* The kind of a TypeDef or TypeRef that a signature calls a value type. */
enum ilpi_value_type ilpi_value_type_of(struct ilpi_value_types *types, ilp_token type);

#endif
