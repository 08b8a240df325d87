/* Building shapes, for the files of this folder. */
#ifndef ILPI_VALUES_BUILDER_H
#define ILPI_VALUES_BUILDER_H

#include "types/value_size.h"
#include "values/kinds.h"

/* More parts than this are in no line. */
#define SHAPE_MAX_PARTS 1024u

struct shape_builder {
    struct ilp_arena *arena;
    struct ilp_error *error;
    unsigned parts; /* left */
    const struct ilp_resolver *resolver;
    struct ilp_arena *scratch;
    const struct redaction *redaction; /* NULL: nothing is hidden */
};

ilp_status shape_build_value(struct shape_builder *builder, const struct ilpi_sized_value *value,
                             unsigned depth, const struct shape **out);

/* Of a field, as the source has it; NULL: no memory. */
const char *shape_field_name(struct ilp_arena *arena, const struct ilp_image *image, ilp_rid field);

/* Of a field of a known type, as known.def has it. */
ilp_status shape_rename_field(const struct shape_builder *builder, struct shape_field *field,
                              const struct known_field *known);

#endif
