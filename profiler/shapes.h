/* Shapes that follow the loaded assemblies: while an assembly is missing, or two of its name
 * differ, values of its types are bytes; when that changes, the shape is rebuilt. So no value is
 * ever read with another assembly's layout.
 *
 * A module is reported as loaded before anything of it can be used, so a shape is never
 * outdated. */
#ifndef ILPI_SHAPES_H
#define ILPI_SHAPES_H

#include <stdatomic.h>

#include "profiler/clr/struct_layouts.h"
#include "values/activity.h"

struct shapes;
struct runtime;

struct kept_shape {
    const struct shape *_Atomic now;  /* never NULL; read without a lock */
    const struct object_types *types; /* NULL: the layout of objects is unknown */
    struct kept_shape *next;
    struct ilp_image *image; /* with its type; NULL: closed */
    const struct ilp_type *type;
    struct ilp_arena *arena;
    const void *owner;
    const uint64_t *keys; /* of requested assemblies (loaded.h) */
    uint32_t key_count;   /* above LOADED_KEYS: depends on any, and none is kept */
    unsigned renewals;
};

/* All functions are called under the profiler's lock. */
struct shapes *shapes_open(void *info, const struct runtime *runtime,
                           const struct redaction *redaction);
void shapes_close(struct shapes *shapes);

/* Whether the layout of structs and objects is known. If not, values of both are bytes. */
bool shapes_know_layouts(const struct shapes *shapes);

/* How the activity of a thread is found; NULL: the layout of objects is unknown. */
const struct activity_source *shapes_activities(const struct shapes *shapes);

/* A type whose values are shown. */
struct shown_type {
    struct ilp_image *image; /* with the type in a signature */
    const struct ilp_type *type;
    struct ilp_arena *arena; /* of the type, and of all of its shape */
    const void *owner;       /* of the arena (shapes_leave_owner()); NULL: it is never closed */
};

/* The shape of a type. Errors are for memory. */
ilp_status shapes_keep(struct shapes *shapes, const struct shown_type *shown,
                       const struct kept_shape **out, struct ilp_error *error);

/* Call it before closing an image whose types are still shown: shapes that depend on other
 * assemblies become bytes when these change. */
void shapes_leave_image(struct shapes *shapes, const struct ilp_image *image);

/* Call it before closing the image of an unloaded module, of which nothing is shown any more. */
void shapes_forget_image(struct shapes *shapes, const struct ilp_image *image);

/* Call it before closing the arenas of an owner: nothing is rebuilt in them. */
void shapes_leave_owner(struct shapes *shapes, const void *owner);

/* Whether struct layouts are taken from the runtime's reports of classes, which must then be
 * enabled. */
bool shapes_want_classes(const struct shapes *shapes);

/* A value type was loaded, if requested. Takes it over. */
void shapes_class_comes(struct shapes *shapes, struct struct_layout *layout);

/* A module was loaded, or is unloaded. loaded_add() documents the parameters. */
void shapes_module_comes(struct shapes *shapes, ModuleID id, struct ilp_image *image,
                         const char *name);
void shapes_module_goes(struct shapes *shapes, ModuleID id);

#endif
