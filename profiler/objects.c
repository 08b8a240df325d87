/* Finds shapes of objects. See objects.h. An object's first word is its method table, the runtime's
 * ClassID of its type; what is not cached is built under the lock of the loaded assemblies.
 *
 *   object -> method table -> lookup table (no lock) -> shape
 *                         \-> not there: loaded_lock(), class_shape() -> added -> shape
 *   a module goes -> entries whose types depend on it are dropped, with its names of methods
 */
#include "profiler/objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profiler/activity_local.h"
#include "profiler/class_layout.h"
#include "profiler/lookup_table.h"
#include "profiler/method_names.h"
#include "values/kinds.h"
#include "values/object.h"

struct object_type { /* by its method table */
    struct lookup_entry entry;
    const struct shape *_Atomic shape;
    const ModuleID *modules; /* that its types depend on */
    uint32_t module_count;
};

/* Callbacks of `types` get the whole of it as `user`. */
struct objects {
    struct object_types types;
    struct activity_source activities;
    void *info;
    struct loaded *loaded;
    struct struct_layouts *layouts; /* NULL: structs are laid out by rules */
    struct method_names *methods;
    struct activity_locals *locals;
    const struct redaction *redaction;
    struct lookup_table tables;
};

/* A runtime with another layout of strings is not taken to have the other layouts that are
 * known. */
bool objects_are_known(void *info)
{
    ULONG length = 0, chars = 0;
    return CALL(ICorProfilerInfo3, GetStringLayout2, info)(info, &length, &chars) >= 0 &&
           length == sizeof(void *) && chars == sizeof(void *) + 4;
}

/* ---- the table ---- */

static const struct shape *find(const struct objects *objects, uintptr_t table)
{
    const struct object_type *type = lookup_table_find(&objects->tables, table, 0);
    return type ? atomic_load(&type->shape) : NULL;
}

/* False: no memory. */
static bool add(struct objects *objects, uintptr_t table, const struct shape *shape,
                const struct class_modules *modules, struct ilp_arena *arena)
{
    const ModuleID *ids = arena ? ilpi_arena_copy(arena, modules->ids, modules->count * sizeof *ids)
                                : NULL;
    struct object_type *type = !arena || ids ? lookup_table_place(&objects->tables, table, 0)
                                             : NULL;
    if (type) {
        type->modules = ids;
        type->module_count = ids ? modules->count : 0;
        atomic_store(&type->shape, shape);
        lookup_entry_set(&type->entry, table, 0);
    }
    return type != NULL;
}

/* Hidden classes may depend on any. */
static bool is_made_of(const void *entry, uintptr_t id)
{
    const struct object_type *type = entry;
    if (atomic_load(&type->shape) == &object_hidden) {
        return true;
    }
    for (uint32_t i = 0; i < type->module_count; i++) {
        if (type->modules[i] == id) {
            return true;
        }
    }
    return false;
}

void objects_module_goes(struct objects *objects, ModuleID id)
{
    lookup_table_drop(&objects->tables, is_made_of, id);
    method_names_module_goes(objects->methods, id);
    activity_locals_module_goes(objects->locals, id);
}

/* ---- callbacks of the writer ---- */

/* Under the lock. What the runtime does not report is hidden for good; without memory the next
 * object tries again. */
static const struct shape *make(struct objects *objects, uintptr_t table)
{
    struct class_modules modules = {.count = 0};
    const struct shape *shape = find(objects, table);
    struct ilp_arena *scratch;
    if (shape || ilp_arena_open(&scratch, NULL, NULL) != ILP_OK) {
        return shape;
    }
    struct loaded_question loaded = {.loaded = objects->loaded};
    const struct ilp_resolver resolver = loaded_resolver(&loaded);
    struct struct_question structs = {objects->layouts, &loaded};
    const struct ilpi_layout_source layouts = struct_layouts_source(&structs);
    const struct class_question question = {.info = objects->info,
                                            .loaded = objects->loaded,
                                            .resolver = &resolver,
                                            .redaction = objects->redaction,
                                            .scratch = scratch,
                                            .modules = &modules,
                                            .layouts = objects->layouts ? &layouts : NULL};
    struct ilp_arena *arena = NULL;
    ilp_status status = class_shape(&question, table, &shape, &arena);
    if (status == ILP_OK && !add(objects, table, shape, &modules, arena)) {
        shape = NULL;
    }
    ilp_arena_close(scratch);
    return status == ILP_OK ? shape : NULL;
}

static const struct shape *shape_of(struct objects *objects, uintptr_t table)
{
    const struct shape *shape = table != 0 ? find(objects, table) : NULL;
    if (!shape && table != 0) {
        loaded_lock(objects->loaded);
        shape = make(objects, table);
        loaded_unlock(objects->loaded, false);
    }
    return shape;
}

/* The table of System.String is kept apart, for the writer. */
static const struct shape *type_of(void *user, const void *object)
{
    struct objects *objects = user;
    uintptr_t table;
    memcpy(&table, object, sizeof table);
    table &= ~(uintptr_t)7; /* without marks of a garbage collection */
    const struct shape *shape = shape_of(objects, table);
    if (shape && shape->kind == SHAPE_STRING && !shape->secret) {
        atomic_store_explicit(&objects->types.text, table, memory_order_relaxed);
    }
    return shape;
}

/* A TypeHandle that is not a method table has a mark. */
static const struct shape *meant_by(void *user, uintptr_t handle)
{
    return handle != 0 && (handle & 7) == 0 ? shape_of(user, handle) : NULL;
}

static const char *method_at(void *user, uintptr_t code)
{
    struct objects *objects = user;
    return method_name_at(objects->methods, code);
}

static const char *method_of(void *user, uintptr_t method)
{
    struct objects *objects = user;
    return method_name_of(objects->methods, method);
}

/* ---- opening and closing ---- */

struct objects *objects_open(void *info, struct loaded *loaded, struct struct_layouts *layouts,
                             const struct redaction *redaction)
{
    struct objects *objects = calloc(1, sizeof *objects);
    if (objects && (!(objects->methods = method_names_open(info, loaded)) ||
                    !(objects->locals = activity_locals_open(info, loaded)))) {
        objects_close(objects);
        objects = NULL;
    }
    if (objects) {
        objects->activities = (struct activity_source){&objects->types, activity_local_is_current,
                                                       objects->locals};
        objects->types = (struct object_types){objects, type_of, meant_by, method_at, method_of, 0};
        objects->tables.entry_size = sizeof(struct object_type);
        objects->info = info;
        objects->loaded = loaded;
        objects->layouts = layouts;
        objects->redaction = redaction;
    }
    return objects;
}

void objects_close(struct objects *objects)
{
    if (objects) {
        lookup_table_close(&objects->tables);
        method_names_close(objects->methods);
        activity_locals_close(objects->locals);
    }
    free(objects);
}

const struct object_types *objects_types(const struct objects *objects)
{
    return &objects->types;
}

const struct activity_source *objects_activities(const struct objects *objects)
{
    return &objects->activities;
}
