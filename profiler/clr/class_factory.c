/* How the runtime gets its object: DllGetClassObject returns a class factory, which makes it. It
 * works with any callback_make(): the tests link this file with profilers of their own. */
#include "profiler/clr/callback.h"

#include <sys/auxv.h>

/* IClassFactory, in the order of its slots. */
struct class_factory_table {
    HRESULT(STDCALL *QueryInterface)(void *self, const struct guid *id, void **out);
    ULONG(STDCALL *AddRef)(void *self);
    ULONG(STDCALL *Release)(void *self);
    HRESULT(STDCALL *CreateInstance)(void *self, void *outer, const struct guid *id, void **out);
    HRESULT(STDCALL *LockServer)(void *self, BOOL lock);
};

struct class_factory {
    const struct class_factory_table *table;
};

static HRESULT STDCALL query_interface(void *self, const struct guid *id, void **out)
{
    *out = guid_is(id, ID_IUnknown) || guid_is(id, ID_IClassFactory) ? self : NULL;
    return *out ? S_OK : E_NOINTERFACE;
}

/* The factory has no state and is never freed. */
static ULONG STDCALL count(void *self)
{
    (void)self;
    return 1;
}

/* QueryInterface adds the caller's reference; the one of the maker is released. */
static HRESULT STDCALL create_instance(void *self, void *outer, const struct guid *id, void **out)
{
    (void)self;
    *out = NULL;
    if (outer) {
        return CLASS_E_NOAGGREGATION;
    }
    void *callback = callback_make();
    if (!callback) {
        return E_OUTOFMEMORY;
    }
    HRESULT result = CALL(IUnknown, QueryInterface, callback)(callback, id, out);
    CALL(IUnknown, Release, callback)(callback);
    return result;
}

/* The library stays loaded anyway (DllCanUnloadNow). */
static HRESULT STDCALL lock_server(void *self, BOOL lock)
{
    (void)self, (void)lock;
    return S_OK;
}

static const struct class_factory_table table = {query_interface, count, count, create_instance,
                                                 lock_server};
static const struct class_factory factory = {&table};

HRESULT STDCALL DllGetClassObject(const struct guid *class, const struct guid *id, void **out)
    __attribute__((visibility("default")));
HRESULT STDCALL DllCanUnloadNow(void) __attribute__((visibility("default")));

/* Refused in a program with more rights than its starter (set-uid, set-gid, capabilities): the
 * environment controls what the profiler reads, writes and loads. */
HRESULT STDCALL DllGetClassObject(const struct guid *class, const struct guid *id, void **out)
{
    *out = NULL;
    if (getauxval(AT_SECURE) != 0) {
        return CLASS_E_CLASSNOTAVAILABLE;
    }
    return guid_is(class, ID_ilpatch) ? query_interface((void *)(uintptr_t)&factory, id, out)
                                      : CLASS_E_CLASSNOTAVAILABLE;
}

/* Code of this library may run until the process ends. */
HRESULT STDCALL DllCanUnloadNow(void)
{
    return S_FALSE;
}
