/* The way in, see entry.h. Nothing is counted: both objects live as long as the process. */
#include "entry.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct guid i_unknown = {0x00000000, 0, 0, {0xC0, 0, 0, 0, 0, 0, 0, 0x46}};
static const struct guid class_factory = {0x00000001, 0, 0, {0xC0, 0, 0, 0, 0, 0, 0, 0x46}};

static slot callbacks[CALLBACK_COUNT], factory[FACTORY_COUNT];
static struct object {
    const slot *table;
} the_callback = {callbacks}, the_factory = {factory};

static HRESULT nothing(void)
{
    return S_OK;
}

static bool is(const struct guid *id, const struct guid *other)
{
    return memcmp(id, other, sizeof *id) == 0;
}

/* The newer the interface that is answered, the more slots the table needs. */
static HRESULT query_interface(void *self, const struct guid *id, void **out)
{
    bool known = is(id, &i_unknown) || (self == &the_factory && is(id, &class_factory));
    for (size_t i = 0; self == &the_callback && i < 4 && the_profiler.interfaces[i]; i++) {
        known = known || is(id, the_profiler.interfaces[i]);
    }
    *out = known ? self : NULL;
    return known ? S_OK : E_NOINTERFACE;
}

static HRESULT create_instance(void *self, void *outer, const struct guid *id, void **out)
{
    (void)self, (void)outer;
    return query_interface(&the_callback, id, out);
}

__attribute__((visibility("default"))) HRESULT DllGetClassObject(const struct guid *class,
                                                                 const struct guid *id, void **out);

HRESULT DllGetClassObject(const struct guid *class, const struct guid *id, void **out)
{
    for (unsigned i = 0; i < CALLBACK_COUNT; i++) {
        callbacks[i] = (slot)nothing;
    }
    the_profiler.set_callbacks(callbacks);
    callbacks[QueryInterface] = factory[QueryInterface] = (slot)query_interface;
    factory[AddRef] = factory[Release] = factory[LockServer] = (slot)nothing;
    factory[CreateInstance] = (slot)create_instance;
    return is(class, &the_profiler.class) ? query_interface(&the_factory, id, out) : E_NOINTERFACE;
}
