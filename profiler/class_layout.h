/* The shape of an object's class, from the runtime's report and the metadata of its modules. */
#ifndef ILPI_CLASS_LAYOUT_H
#define ILPI_CLASS_LAYOUT_H

#include "profiler/clr/loaded.h"
#include "values/shape.h"

/* The limit of modules: of a type, its type arguments, and base classes. */
enum { CLASS_MODULES = 32 };
struct class_modules {
    ModuleID ids[CLASS_MODULES];
    uint32_t count;
};

/* Under the lock of what is loaded. */
struct class_question {
    void *info; /* ICorProfilerInfo3 */
    struct loaded *loaded;
    const struct ilp_resolver *resolver; /* over the loaded modules */
    const struct redaction *redaction;
    struct ilp_arena *scratch;
    struct class_modules *modules;
    const struct ilpi_layout_source *layouts; /* NULL: structs are laid out by rules */
};

/* For objects with this method table, which is the ClassID. Both results are in the arena of its
 * newest module. Unknown classes are hidden, and belong to no module: *arena is NULL. Errors are
 * for memory. */
ilp_status class_shape(const struct class_question *question, ClassID table,
                       const struct shape **out, struct ilp_arena **arena);

#endif
