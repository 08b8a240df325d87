/* The shape of an object's class, by what the runtime says of it and the metadata of the modules
 * that it is made of. */
#ifndef ILPI_CLASS_LAYOUT_H
#define ILPI_CLASS_LAYOUT_H

#include "profiler/clr/loaded.h"
#include "values/shape.h"

/* The modules of a type, its type arguments, and base classes. */
enum { CLASS_MODULES = 32 };
struct class_modules {
    ModuleID ids[CLASS_MODULES];
    uint32_t count;
};

/* Under the lock of what is loaded. */
struct class_question {
    void *info; /* ICorProfilerInfo3 */
    struct loaded *loaded;
    const struct ilp_resolver *resolver; /* of what is loaded */
    const struct redaction *redaction;
    struct ilp_arena *scratch;
    struct class_modules *modules;
    const struct ilpi_layout_source *layouts; /* NULL: structs lie by rules */
};

/* Of objects that begin with this method table, which is the ClassID. Both are in the arena of its
 * newest module. What is not known is hidden, of no module: *arena is NULL. Errors are for
 * memory. */
ilp_status class_shape(const struct class_question *question, ClassID table,
                       const struct shape **out, struct ilp_arena **arena);

#endif
