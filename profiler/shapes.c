/* Keeps shapes up to date: a list of those that depend on anything, each with the keys of the
 * assemblies it requested while it was built. See shapes.h.
 *
 *   shapes_keep() -> make(): shape, keys -> kept->now
 *   a module comes or goes -> a key whose answer has changed -> renew(): make()
 *   a struct is reported -> its key -> go_on(): make()
 *   the image is closed, or too many renewals -> close_shape(): bytes from now on
 *
 * `now` is replaced by one atomic store, while threads read values with the old shape: so old ones
 * stay in their arena. */
#include "profiler/shapes.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "profiler/clr/runtime.h"
#include "profiler/objects.h"
#include "values/kinds.h"

/* Limits memory if differing assemblies are loaded and unloaded forever: after this many shapes a
 * type's values stay bytes. Old shapes are not freed, since a thread may be reading one. */
enum { MAX_RENEWALS = 16 };

struct shapes {
    struct loaded *loaded;
    struct objects *objects;        /* NULL: their layout is unknown */
    struct struct_layouts *layouts; /* NULL: structs follow the rules of types/field_layout.c */
    struct kept_shape *kept;
    const struct redaction *redaction;
};

/* The first version whose rules for structs are known (types/field_layout.c). */
enum { RULES_KNOWN_FROM = 7 };

struct shapes *shapes_open(void *info, const struct runtime *runtime,
                           const struct redaction *redaction)
{
    struct shapes *shapes = calloc(1, sizeof *shapes);
    bool by_rules = runtime->version[0] >= RULES_KNOWN_FROM;
    if (shapes && (!(shapes->loaded = loaded_open()) ||
                   (!by_rules && !(shapes->layouts = struct_layouts_open())))) {
        shapes_close(shapes);
        shapes = NULL;
    }
    if (shapes && objects_are_known(info)) {
        shapes->objects = objects_open(info, shapes->loaded, shapes->layouts, redaction);
    }
    if (shapes) {
        shapes->redaction = redaction;
    }
    return shapes;
}

void shapes_close(struct shapes *shapes)
{
    if (shapes) {
        objects_close(shapes->objects);
        struct_layouts_close(shapes->layouts);
        loaded_close(shapes->loaded);
        free(shapes);
    }
}

bool shapes_know_layouts(const struct shapes *shapes)
{
    return shapes->objects != NULL;
}

const struct activity_source *shapes_activities(const struct shapes *shapes)
{
    return shapes->objects ? objects_activities(shapes->objects) : NULL;
}

/* A size that no value has, so that all are shown as bytes. */
static void close_shape(struct kept_shape *kept)
{
    static const struct shape unknown = {.kind = SHAPE_BYTES, .references = true, .name = "?"};
    struct shape *closed = ilpi_arena_copy(kept->arena, &unknown, sizeof unknown);
    if (closed) {
        closed->name = atomic_load(&kept->now)->name;
        closed->secret = atomic_load(&kept->now)->secret;
    }
    atomic_store(&kept->now, closed ? closed : &unknown);
    kept->key_count = 0;
}

/* Whether the layout of a value is the runtime's choice (src/types/field_layout.h). */
static bool has_layout(const struct shape *shape)
{
    return shape->kind == SHAPE_STRUCT || shape->kind == SHAPE_NULLABLE ||
           shape->kind == SHAPE_UNION || shape->kind == SHAPE_FRAMEWORK;
}

/* With the assemblies loaded now. */
static ilp_status make(const struct shapes *shapes, struct kept_shape *kept,
                       struct ilp_error *error)
{
    struct loaded_question question = {.loaded = shapes->loaded};
    struct ilp_resolver resolver = loaded_resolver(&question);
    const struct shape *shape;
    struct struct_question structs = {shapes->layouts, &question};
    const struct ilpi_layout_source layouts = struct_layouts_source(&structs);
    const struct shape_source source = {.image = kept->image,
                                        .type = kept->type,
                                        .resolver = &resolver,
                                        .redaction = shapes->redaction,
                                        .arena = kept->arena,
                                        .layouts = shapes->layouts ? &layouts : NULL};
    ILPI_TRY(shape_build(&shape, &source, error));
    size_t size = (question.count <= LOADED_KEYS ? question.count : 0) * sizeof *kept->keys;
    const uint64_t *keys = size != 0 ? ilpi_arena_copy(kept->arena, question.keys, size) : NULL;
    if (size != 0 && !keys) {
        return ilpi_fail_memory(error, size);
    }
    kept->keys = keys;
    kept->key_count = question.count;
    atomic_store(&kept->now, shape);
    if (!shapes->objects && has_layout(shape)) {
        close_shape(kept);
    }
    return ILP_OK;
}

/* The result is in the caller's arena and valid as long as that. */
ilp_status shapes_keep(struct shapes *shapes, const struct shown_type *shown,
                       const struct kept_shape **out, struct ilp_error *error)
{
    struct kept_shape *kept = ilpi_arena_alloc(shown->arena, sizeof *kept);
    if (!kept) {
        return ilpi_fail_memory(error, sizeof *kept);
    }
    *kept = (struct kept_shape){.types = shapes->objects ? objects_types(shapes->objects) : NULL,
                                .image = shown->image,
                                .type = shown->type,
                                .arena = shown->arena,
                                .owner = shown->owner};
    loaded_lock(shapes->loaded);
    ilp_status status = make(shapes, kept, error);
    loaded_unlock(shapes->loaded, true);
    ILPI_TRY(status);
    if (kept->key_count != 0) { /* otherwise it depends on nothing */
        kept->next = shapes->kept;
        shapes->kept = kept;
    }
    *out = kept;
    return ILP_OK;
}

void shapes_leave_image(struct shapes *shapes, const struct ilp_image *image)
{
    for (struct kept_shape *kept = shapes->kept; kept && image; kept = kept->next) {
        kept->image = kept->image == image ? NULL : kept->image;
    }
}

/* They are only taken off the list: the memory is the owner's. */
static void forget(struct shapes *shapes, const struct ilp_image *image, const void *owner)
{
    for (struct kept_shape **link = &shapes->kept; *link;) {
        const struct kept_shape *kept = *link;
        if ((owner && kept->owner == owner) || (image && kept->image == image)) {
            *link = kept->next;
        } else {
            link = &(*link)->next;
        }
    }
}

void shapes_forget_image(struct shapes *shapes, const struct ilp_image *image)
{
    forget(shapes, image, NULL);
}

void shapes_leave_owner(struct shapes *shapes, const void *owner)
{
    forget(shapes, NULL, owner);
}

/* With more keys than are kept, on any. */
static bool depends_on(const struct kept_shape *kept, uint64_t key)
{
    bool found = kept->key_count > LOADED_KEYS;
    for (uint32_t i = 0; i < kept->key_count && !found; i++) {
        found = kept->keys[i] == key;
    }
    return found;
}

/* Without an image a shape cannot be rebuilt, and what it shows may be wrong now. */
static void renew(struct shapes *shapes, uint64_t key)
{
    for (struct kept_shape *kept = shapes->kept; kept; kept = kept->next) {
        if (depends_on(kept, key) && (!kept->image || ++kept->renewals > MAX_RENEWALS ||
                                      make(shapes, kept, NULL) != ILP_OK)) {
            close_shape(kept);
        }
    }
}

bool shapes_want_classes(const struct shapes *shapes)
{
    return shapes->layouts != NULL;
}

/* Rebuilds shapes that wait for a struct of this definition. */
static void go_on(struct shapes *shapes, uint64_t key)
{
    for (struct kept_shape *kept = shapes->kept; kept; kept = kept->next) {
        if (depends_on(kept, key) && (!kept->image || make(shapes, kept, NULL) != ILP_OK)) {
            close_shape(kept);
        }
    }
}

void shapes_class_comes(struct shapes *shapes, struct struct_layout *layout)
{
    loaded_lock(shapes->loaded);
    go_on(shapes, struct_layouts_add(shapes->layouts, layout));
    loaded_unlock(shapes->loaded, true);
}

void shapes_module_comes(struct shapes *shapes, ModuleID id, struct ilp_image *image,
                         const char *name)
{
    uint64_t key;
    loaded_lock(shapes->loaded);
    if (loaded_add(shapes->loaded, id, image, name, &key)) {
        renew(shapes, key);
    }
    loaded_unlock(shapes->loaded, true);
}

/* Shapes that depend on the module are made again without it, or closed. */
void shapes_module_goes(struct shapes *shapes, ModuleID id)
{
    uint64_t key;
    loaded_lock(shapes->loaded);
    if (shapes->objects) {
        objects_module_goes(shapes->objects, id);
    }
    if (shapes->layouts) {
        struct_layouts_module_goes(shapes->layouts, id);
    }
    if (loaded_remove(shapes->loaded, id, &key)) {
        renew(shapes, key);
    }
    loaded_unlock(shapes->loaded, true);
}
