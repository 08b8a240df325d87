/* Building shapes, for the files of this folder. */
#ifndef ILPI_VALUES_BUILDER_H
#define ILPI_VALUES_BUILDER_H

#include "types/value_size.h"
#include "values/kinds.h"

/* More parts than any line shows; fields that are not shown have a limit of their own, so that they
 * take none of those. The second is the limit of a class's fields (profiler/class_layout.c). */
enum { SHAPE_MAX_PARTS = 1024, SHAPE_MAX_FURTHER = 4096 };

/* A shape while it is built; passed down through all of its parts. */
struct shape_builder {
    struct ilp_arena *arena; /* that shapes are in, with all that they refer to */
    struct ilp_error *error;
    const struct ilp_resolver *resolver;
    const struct ilpi_layout_source *layouts; /* NULL: by rules (types/value_size.h) */
    struct ilp_arena *scratch;                /* signatures and layouts, not needed by the shape */
    const struct redaction *redaction;        /* NULL: nothing is hidden */
    unsigned parts, further;                  /* what remains of both limits */
    bool unseen;                              /* building what is not shown */
};

static inline struct shape_builder
shape_builder_open(struct ilp_arena *arena, const struct ilp_resolver *resolver,
                   const struct ilpi_layout_source *layouts, struct ilp_arena *scratch,
                   const struct redaction *redaction, struct ilp_error *error)
{
    return (struct shape_builder){.arena = arena,
                                  .error = error,
                                  .resolver = resolver,
                                  .layouts = layouts,
                                  .scratch = scratch,
                                  .redaction = redaction,
                                  .parts = SHAPE_MAX_PARTS,
                                  .further = SHAPE_MAX_FURTHER};
}

/* What remains of the limit in use. */
static inline unsigned *shape_parts_left(struct shape_builder *builder)
{
    return builder->unseen ? &builder->further : &builder->parts;
}

ilp_status shape_build_value(struct shape_builder *builder, const struct ilpi_sized_value *value,
                             unsigned depth, const struct shape **out);

/* The source's name of a field; NULL: no memory. */
const char *shape_field_name(struct ilp_arena *arena, const struct ilp_image *image, ilp_rid field);

/* The name of a field of a known type, from known.def. */
ilp_status shape_rename_field(const struct shape_builder *builder, struct shape_field *field,
                              const struct known_field *known);

#endif
