/* Names delegates' methods. See method_names.h. Cached by module and token: a FunctionID of an
 * unloaded type may be reused for another method, while the module stays.
 *
 *   address of code -> GetFunctionFromIP, or the stub's MethodDesc -> FunctionID
 *     -> GetFunctionInfo -> module, token -> cached name, else made under the lock of loaded.h
 */
#include "profiler/method_names.h"

#include <stdlib.h>

#include "profiler/lookup_table.h"
#include "profiler/precode.h"

struct kept_name { /* by module and token */
    struct lookup_entry entry;
    const char *name;
};

/* `info` and `loaded` are borrowed; names are in arenas of their modules (loaded_arena()). */
struct method_names {
    void *info;
    struct loaded *loaded;
    struct lookup_table names;
};

static const char *find(const struct method_names *names, ModuleID module, ilp_token token)
{
    const struct kept_name *known = lookup_table_find(&names->names, module, token);
    return known ? known->name : NULL;
}

/* Without memory the next call tries again. */
static void add(struct method_names *names, ModuleID module, ilp_token token, const char *name)
{
    struct kept_name *added = lookup_table_place(&names->names, module, token);
    if (added) {
        added->name = name;
        lookup_entry_set(&added->entry, module, token);
    }
}

/* Under the lock. */
static const char *make(struct method_names *names, ModuleID module, ilp_token token)
{
    const char *name = find(names, module, token);
    struct ilp_image *image = name ? NULL : loaded_image(names->loaded, module);
    if (!image || ILP_TOKEN_RID(token) == 0 ||
        ILP_TOKEN_RID(token) > ilp_row_count(image, ILP_MethodDef)) {
        return name; /* rows added by hot reload are not in the image */
    }
    struct ilp_arena *arena = loaded_arena(names->loaded, &module, 1);
    if (arena && ilp_method_name_text(image, token, arena, &name, NULL) == ILP_OK) {
        add(names, module, token, name);
    }
    return name;
}

/* Compiled code, or a stub. */
static FunctionID function_at(struct method_names *names, uintptr_t code)
{
    FunctionID function = 0;
    HRESULT result = CALL(ICorProfilerInfo, GetFunctionFromIP,
                          names->info)(names->info, (const uint8_t *)code, &function);
    return result == S_OK && function != 0 ? function : precode_method(code);
}

/* Found without the lock where the name was made before; made under it. */
static const char *name_of(struct method_names *names, FunctionID function)
{
    ClassID class = 0;
    ModuleID module = 0;
    ilp_token token = 0;
    if (function == 0 ||
        CALL(ICorProfilerInfo, GetFunctionInfo, names->info)(names->info, function, &class, &module,
                                                             &token) != S_OK ||
        module == 0 || ILP_TOKEN_TABLE(token) != ILP_MethodDef) {
        return NULL;
    }
    const char *name = find(names, module, token);
    if (!name) {
        loaded_lock(names->loaded);
        name = make(names, module, token);
        loaded_unlock(names->loaded, false);
    }
    return name;
}

const char *method_name_at(struct method_names *names, uintptr_t code)
{
    return name_of(names, code != 0 ? function_at(names, code) : 0);
}

/* A MethodDesc's address is the FunctionID in CoreCLR. */
const char *method_name_of(struct method_names *names, uintptr_t method)
{
    return name_of(names, precode_is_readable(method) ? (FunctionID)method : 0);
}

static bool is_of_module(const void *entry, uintptr_t id)
{
    const struct kept_name *name = entry;
    return atomic_load(&name->entry.address) == id;
}

void method_names_module_goes(struct method_names *names, ModuleID id)
{
    lookup_table_drop(&names->names, is_of_module, id);
}

struct method_names *method_names_open(void *info, struct loaded *loaded)
{
    struct method_names *names = calloc(1, sizeof *names);
    if (names) {
        names->info = info;
        names->loaded = loaded;
        names->names.entry_size = sizeof(struct kept_name);
    }
    return names;
}

void method_names_close(struct method_names *names)
{
    if (names) {
        lookup_table_close(&names->names);
    }
    free(names);
}
