/* F# unions: which cases there are, by the attributes of the F# compiler; as
 * data/inspector/Unions.cs has them. */
#ifndef ILPI_VALUES_UNION_H
#define ILPI_VALUES_UNION_H

#include "values/builder.h"

struct union_case {
    const char *name;
    uint32_t field_count;
    enum secrecy secrecy; /* what the name says of the fields */
};

struct union_cases {
    uint32_t count;
    struct union_case items[]; /* by their tags */
};

/* Whether the type is a union or, derived from one, a case of it. `base` is what a class is derived
 * from; of structs it has no image. */
bool union_is(struct ilpi_type_def def, struct ilpi_type_def base);

/* What such a type is, whose own fields the shape has. A value of several cases in one type becomes
 * one with its tag as the first field and the fields of all cases after it; one of a case that is
 * known has just that. The shape's kind stays where it is not made as the compiler does now. */
ilp_status union_build(struct shape *shape, struct ilpi_type_def def, bool is_struct,
                       const struct shape_builder *builder);

#endif
