/* A profiler that has another one in it, the one that the environment's NEXT names. The runtime
 * calls that one, but for the callbacks that are replaced. Included by one file of a library. */
#ifndef PROFILER_AROUND_H
#define PROFILER_AROUND_H

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "../../examples/profiler-c/profiling.h"

/* Of the library: takes callbacks of the other profiler out of its table, and puts its own there. */
static void replace_callbacks(slot *functions);

typedef HRESULT get_class_object_fn(const struct guid *class, const struct guid *id, void **out);
typedef HRESULT create_instance_fn(void *self, void *outer, const struct guid *id, void **out);
static slot next_create_instance;

static HRESULT create_instance(void *self, void *outer, const struct guid *id, void **out)
{
    HRESULT result = ((create_instance_fn *)next_create_instance)(self, outer, id, out);
    if (result >= 0) { /* the functions stand in the object itself */
        replace_callbacks(*(slot **)*out);
    }
    return result;
}

__attribute__((visibility("default"))) get_class_object_fn DllGetClassObject;

HRESULT DllGetClassObject(const struct guid *class, const struct guid *id, void **out)
{
    static slot factory[FACTORY_COUNT];
    static const slot *the_factory = factory;
    void *library = dlopen(getenv("NEXT"), RTLD_NOW);
    void *symbol = library ? dlsym(library, "DllGetClassObject") : NULL;
    get_class_object_fn *get;
    if (!symbol) {
        return E_FAIL;
    }
    memcpy(&get, &symbol, sizeof get);
    HRESULT result = get(class, id, out);
    if (result >= 0) {
        memcpy(factory, *(slot **)*out, sizeof factory);
        next_create_instance = factory[CreateInstance];
        factory[CreateInstance] = (slot)create_instance;
        *out = &the_factory;
    }
    return result;
}

#endif
