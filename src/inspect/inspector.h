/* What an inspector offers to call, read from its assembly. */
#ifndef ILPI_INSPECTOR_H
#define ILPI_INSPECTOR_H

#include "metadata/image.h"
#include "metadata/resolve.h"

struct ilp_inspector {
    struct ilpi_heap heap;
    struct ilp_image *assembly;        /* borrowed, as are the names */
    struct ilp_assembly_name identity;
    const char *name_space;
    const char *type_name;
    bool takes_value;                  /* (object) is there */
    bool takes_name;                   /* (object, string) is there */
};

/* The method that is called, and its signature as a blob: the one the rewriter uses. */
extern const char ilpi_inspector_method[];
struct ilp_bytes ilpi_inspector_signature(bool with_name);

/* Refuses the inspector itself and everything it refers to, directly or through other assemblies:
 * inspecting what it calls would never come to an end (ILP_E_SELF_INSPECTION). */
ilp_status ilpi_inspector_check_target(const struct ilp_inspector *inspector,
                                       const struct ilp_image *image,
                                       const struct ilp_resolver *resolver,
                                       struct ilp_error *error);

/* Sets a bit per MemberRef row of `image` that is a method of the inspector: calls that were put there
 * before. *calls is in the arena, made at the first need: NULL when the image knows no inspector. */
ilp_status ilpi_inspector_calls(const struct ilp_inspector *inspector,
                                const struct ilp_image *image, struct ilp_arena *arena,
                                uint8_t **calls, struct ilp_error *error);

#endif
