/* The object that the runtime calls. Unused callbacks return S_OK, each in a function of the right
 * signature: where the callee pops arguments, one function for all would not do.
 *
 *   self -> table -> functions: QueryInterface, AddRef, Release, Initialize, ... (corprof.def)
 *           profiler: the state of everything else
 *
 * All callbacks get `self`, from which profiler_of() gives the profiler. Its life:
 *
 *   DllGetClassObject -> callback_open() -> Initialize, or InitializeForAttach after an attach
 *     -> ModuleLoadFinished, JITCompilationStarted, GetReJITParameters, ... -> Shutdown
 *     or, after a detach, ProfilerDetachSucceeded -> Release -> close()
 */
#include "profiler/clr/callback.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "elt/contract.h"
#include "profiler/profiler.h"

/* The object in memory: the runtime reads its first word as the address of the table (COM). */
struct callback {
    const struct callback_table *table;
    struct callback_table functions;
    atomic_uint references;
    void (*close)(struct profiler *profiler);
    struct profiler profiler;
};

#define ARGS0
#define ARGS1(a)             , UNUSED a a_
#define ARGS2(a, b)          ARGS1(a), UNUSED b b_
#define ARGS3(a, b, c)       ARGS2(a, b), UNUSED c c_
#define ARGS4(a, b, c, d)    ARGS3(a, b, c), UNUSED d d_
#define ARGS5(a, b, c, d, e) ARGS4(a, b, c, d), UNUSED e e_
#define ARGS12(a, b, c, d, e, f, g, h, i, j, k, l)                                         \
    ARGS5(a, b, c, d, e), UNUSED f f_, UNUSED g g_, UNUSED h h_, UNUSED i i_, UNUSED j j_, \
        UNUSED k k_, UNUSED l l_

#define CALLBACK(slot, version, name, args)                      \
    static HRESULT STDCALL ignore_##name(UNUSED void *self args) \
    {                                                            \
        contract_callback(#name);                                \
        return S_OK;                                             \
    }
#include "profiler/clr/corprof.def"

/* ---- IUnknown ---- */

/* All versions of ICorProfilerCallback are prefixes of one table, so one object answers for
 * each. */
static HRESULT STDCALL query_interface(void *self, const struct guid *id, void **out)
{
    struct callback *callback = self;
    bool known = false;
    for (unsigned i = ID_ICorProfilerCallback; i <= ID_ICorProfilerCallback11 && !known; i++) {
        known = guid_is(id, i);
    }
    *out = known || guid_is(id, ID_IUnknown) ? self : NULL;
    if (!*out) {
        return E_NOINTERFACE;
    }
    atomic_fetch_add(&callback->references, 1);
    return S_OK;
}

static ULONG STDCALL add_ref(void *self)
{
    return atomic_fetch_add(&((struct callback *)self)->references, 1) + 1;
}

static ULONG STDCALL release(void *self)
{
    struct callback *callback = self;
    unsigned left = atomic_fetch_sub(&callback->references, 1) - 1;
    if (left == 0) {
        callback->close(&callback->profiler);
        free(callback);
    }
    return left;
}

struct profiler *profiler_of(void *self)
{
    return &((struct callback *)self)->profiler;
}

struct callback_table *callback_functions(void *self)
{
    return &((struct callback *)self)->functions;
}

/* The table is per object, so that users can put their own functions into it before the runtime
 * sees it. All callbacks that no user takes are made from corprof.def, in the order of the
 * interface's slots. */
void *callback_open(void (*close)(struct profiler *profiler))
{
    struct callback *callback = calloc(1, sizeof *callback);
    if (!callback) {
        return NULL;
    }
    callback->functions = (struct callback_table){
        .QueryInterface = query_interface,
        .AddRef = add_ref,
        .Release = release,
#define CALLBACK(slot, version, name, args) .name = ignore_##name,
#include "profiler/clr/corprof.def"
    };
    callback->table = &callback->functions;
    callback->close = close;
    atomic_init(&callback->references, 1);
    pthread_mutex_init(&callback->profiler.staying, NULL);
    pthread_mutex_init(&callback->profiler.lock, NULL);
    return callback;
}
