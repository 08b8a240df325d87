/* The runtime's layout of structs, as it reports it (GetClassLayout).
 *
 * types/field_layout.c has the rules of .NET 7 and later. Earlier versions differ, so nothing is
 * computed there: a struct's layout is known once the runtime has loaded its class
 * (ClassLoadFinished), before any value of it exists. It is copied then, so that no class is
 * accessed that may be unloaded.
 *
 * Used under the lock of loaded.h. */
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

/* In the callback, without locks: reads the runtime's report of a class. NULL: it is not a value
 * type, or the runtime reports nothing, or there is no memory. `info` is ICorProfilerInfo3. */
struct struct_layout *struct_layout_read(void *info, ClassID class);

/* Takes it over. The key is that of all structs of its definition, for loaded_note_key(). */
uint64_t struct_layouts_add(struct struct_layouts *layouts, struct struct_layout *layout);

/* Drops layouts that depend on types of a module. */
void struct_layouts_module_goes(struct struct_layouts *layouts, ModuleID id);

/* A layout source for types/value_size.h; an unknown struct records its key in the question. */
struct struct_question {
    struct struct_layouts *layouts;
    struct loaded_question *loaded;
};
struct ilpi_layout_source struct_layouts_source(struct struct_question *question);

#endif
