/* Where the runtime puts the fields of structs, as it reports them itself (GetClassLayout).
 *
 * types/field_layout.c has the rules of .NET 7 and later. Those of earlier versions differ from
 * version to version, so nothing is worked out there: a struct's layout is known once the runtime
 * has loaded its class (ClassLoadFinished), which is before any value of it exists. All of it is
 * copied then, so that no class is looked at that may be unloaded.
 *
 * Used under the lock of what is loaded (loaded.h). */
#ifndef ILPI_STRUCT_LAYOUTS_H
#define ILPI_STRUCT_LAYOUTS_H

#include "profiler/clr/loaded.h"
#include "types/value_size.h"

struct struct_layouts;

/* NULL: no memory. */
struct struct_layouts *struct_layouts_open(void);
void struct_layouts_close(struct struct_layouts *layouts);

/* A class as the runtime reports it; owned. */
struct struct_layout;

/* In the callback, without any lock: what the runtime reports of a class. NULL: it is not a value
 * type, or the runtime reports nothing, or there is no memory. `info` is ICorProfilerInfo3. */
struct struct_layout *struct_layout_read(void *info, ClassID class);

/* Takes it over. The key is that of all structs of its definition, for loaded_note_key(). */
uint64_t struct_layouts_add(struct struct_layouts *layouts, struct struct_layout *layout);

/* Drops what is made of types of a module. */
void struct_layouts_module_goes(struct struct_layouts *layouts, ModuleID id);

/* The same as types/value_size.h wants them; a struct that is not known yet leaves its key with the
 * question. */
struct struct_question {
    struct struct_layouts *layouts;
    struct loaded_question *loaded;
};
struct ilpi_layout_source struct_layouts_source(struct struct_question *question);

#endif
