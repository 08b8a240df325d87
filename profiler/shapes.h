/* Shapes that follow what is loaded: as long as an assembly is not there, or two of its name
 * differ, values of its types are bytes; when that changes the shape is rebuilt. So no value is
 * ever read as another assembly's file would have it.
 *
 * A module is reported to have been loaded before anything of it can be used, so a shape is never
 * behind. */
#ifndef ILPI_SHAPES_H
#define ILPI_SHAPES_H

#include <stdatomic.h>

#include "profiler/clr/struct_layouts.h"
#include "values/activity.h"

struct shapes;
struct runtime;

struct kept_shape {
    const struct shape *_Atomic now;  /* never NULL; read without a lock */
    const struct object_types *types; /* NULL: how objects lie is not known */
    struct kept_shape *next;
    struct ilp_image *image; /* where its type stands; NULL: gone */
    const struct ilp_type *type;
    struct ilp_arena *arena;
    const void *owner;
    const uint64_t *keys; /* of assemblies that were asked for (loaded.h) */
    uint32_t key_count;   /* more than LOADED_KEYS: of any, and none is kept */
    unsigned renewals;
};

/* All functions are called under the profiler's lock. */
struct shapes *shapes_open(void *info, const struct runtime *runtime,
                           const struct redaction *redaction);
void shapes_close(struct shapes *shapes);

/* Whether it is known how structs and objects lie. If not, the values of both are bytes. */
bool shapes_know_layouts(const struct shapes *shapes);

/* How the activity of a thread is found; NULL: how objects lie is not known. */
const struct activity_source *shapes_activities(const struct shapes *shapes);

/* A type whose values are shown. */
struct shown_type {
    struct ilp_image *image; /* which has it in a signature */
    const struct ilp_type *type;
    struct ilp_arena *arena; /* that the type is in, and all of its shape will be */
    const void *owner;       /* of the arena (shapes_leave_owner()); NULL: it stays */
};

/* The shape of a type. Errors are for memory. */
ilp_status shapes_keep(struct shapes *shapes, const struct shown_type *shown,
                       const struct kept_shape **out, struct ilp_error *error);

/* Before an image is closed whose types are still shown: what depends on other assemblies becomes
 * bytes when these change. */
void shapes_leave_image(struct shapes *shapes, const struct ilp_image *image);

/* Before it is closed as its module goes, of which nothing is shown any more. */
void shapes_forget_image(struct shapes *shapes, const struct ilp_image *image);

/* Before the arenas of an owner are closed: nothing is rebuilt in them. */
void shapes_leave_owner(struct shapes *shapes, const void *owner);

/* Whether structs lie where the runtime says of their classes, which it is to report then. */
bool shapes_want_classes(const struct shapes *shapes);

/* A value type has been loaded, if they are wanted. Takes it over. */
void shapes_class_comes(struct shapes *shapes, struct struct_layout *layout);

/* A module has come, or goes. loaded_add() says what is taken over, and what they are. */
void shapes_module_comes(struct shapes *shapes, ModuleID id, struct ilp_image *image,
                         const char *name);
void shapes_module_goes(struct shapes *shapes, ModuleID id);

#endif
