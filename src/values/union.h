/* F# unions: their cases, by the attributes of the F# compiler; the same as
 * data/inspector/Unions.cs. */
#ifndef ILPI_VALUES_UNION_H
#define ILPI_VALUES_UNION_H

#include "values/builder.h"

struct union_case {
    const char *name;     /* in the shape's arena */
    uint32_t field_count; /* its fields follow those of the cases before it (write_union()) */
    enum secrecy secrecy; /* secrecy by the name */
};

struct union_cases {
    uint32_t count;
    struct union_case items[]; /* by their tags */
};

/* Whether the type is a union or, derived from one, a case of it. `base` is the base class; for
 * structs its image is NULL. */
bool union_is(struct ilpi_type_def def, struct ilpi_type_def base);

/* Completes the shape of such a type, which has the type's own fields. With several cases in one
 * type, the tag becomes the first field, followed by the fields of all cases; a type of one case
 * has just its fields. The shape's kind is unchanged if the form is not that of the current
 * compiler. */
ilp_status union_build(struct shape *shape, struct ilpi_type_def def, bool is_struct,
                       const struct shape_builder *builder);

#endif
