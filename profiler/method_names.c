/* See method_names.h. Methods are kept by module and token: a FunctionID of a type that was
 * unloaded may be another method's later, while the module stays. */
#include "profiler/method_names.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "profiler/precode.h"

enum { NAME_BUCKETS = 1024 };

/* Never freed while others read: one whose module has gone is used again. */
struct kept_name {
    struct kept_name *_Atomic next;
    _Atomic ModuleID module; /* 0: none */
    ilp_token token;
    const char *name;
};

struct method_names {
    void *info;
    struct loaded *loaded;
    struct kept_name *_Atomic buckets[NAME_BUCKETS];
};

static struct kept_name *_Atomic *bucket_of(struct method_names *names, ModuleID module,
                                            ilp_token token)
{
    return &names->buckets[((module ^ token) * 0x9E3779B97F4A7C15u) >> 32 & (NAME_BUCKETS - 1)];
}

static const char *find(struct method_names *names, ModuleID module, ilp_token token)
{
    struct kept_name *at = atomic_load(bucket_of(names, module, token));
    while (at && (atomic_load(&at->module) != module || at->token != token)) {
        at = atomic_load(&at->next);
    }
    return at ? at->name : NULL;
}

/* Without memory the next one makes another try. */
static void add(struct method_names *names, ModuleID module, ilp_token token, const char *name)
{
    struct kept_name *_Atomic *bucket = bucket_of(names, module, token);
    struct kept_name *method = atomic_load(bucket);
    while (method && atomic_load(&method->module) != 0) {
        method = atomic_load(&method->next);
    }
    bool is_new = !method;
    if (is_new && !(method = calloc(1, sizeof *method))) {
        return;
    }
    method->token = token;
    method->name = name;
    atomic_store(&method->module, module);
    if (is_new) {
        atomic_store(&method->next, atomic_load(bucket));
        atomic_store(bucket, method);
    }
}

/* Under the lock. */
static const char *make(struct method_names *names, ModuleID module, ilp_token token)
{
    const char *name = find(names, module, token);
    struct ilp_image *image = name ? NULL : loaded_image(names->loaded, module);
    if (!image || ILP_TOKEN_RID(token) == 0 ||
        ILP_TOKEN_RID(token) > ilp_row_count(image, ILP_MethodDef)) {
        return name; /* hot reload adds rows, which the image does not have */
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

const char *method_name_at(struct method_names *names, uintptr_t code)
{
    FunctionID function = code != 0 ? function_at(names, code) : 0;
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

void method_names_module_goes(struct method_names *names, ModuleID id)
{
    for (size_t i = 0; i < NAME_BUCKETS; i++) {
        struct kept_name *method = atomic_load(&names->buckets[i]);
        for (; method; method = atomic_load(&method->next)) {
            if (atomic_load(&method->module) == id) {
                atomic_store(&method->module, 0);
            }
        }
    }
}

struct method_names *method_names_open(void *info, struct loaded *loaded)
{
    struct method_names *names = calloc(1, sizeof *names);
    if (names) {
        names->info = info;
        names->loaded = loaded;
    }
    return names;
}

void method_names_close(struct method_names *names)
{
    for (size_t i = 0; names && i < NAME_BUCKETS; i++) {
        struct kept_name *method = atomic_load(&names->buckets[i]);
        while (method) {
            struct kept_name *next = atomic_load(&method->next);
            free(method);
            method = next;
        }
    }
    free(names);
}
