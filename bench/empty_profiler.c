/* A profiler that does nothing: measures what its callbacks cost a program. BENCH_EVENTS is the
 * event mask (COR_PRF_MONITOR); default: ilpatch's. */
#include <stdlib.h>

#include "profiler/clr/callback.h"

static void close_nothing(UNUSED struct profiler *profiler)
{
}

static HRESULT STDCALL initialize(UNUSED void *self, void *unknown)
{
    struct guid id = guid_of(ID_ICorProfilerInfo3);
    const char *events = getenv("BENCH_EVENTS");
    ULONG mask = events ? (ULONG)strtoul(events, NULL, 0)
                        : MONITOR_JIT_COMPILATION | MONITOR_CACHE_SEARCHES | MONITOR_MODULE_LOADS;
    void *info;
    HRESULT result = CALL(IUnknown, QueryInterface, unknown)(unknown, &id, &info);
    return result < 0 ? result : CALL(ICorProfilerInfo, SetEventMask, info)(info, mask);
}

static HRESULT STDCALL use_native(UNUSED void *self, UNUSED FunctionID function, BOOL *use)
{
    *use = 1;
    return S_OK;
}

static HRESULT STDCALL inline_it(UNUSED void *self, UNUSED FunctionID caller,
                                 UNUSED FunctionID callee, BOOL *should)
{
    *should = 1;
    return S_OK;
}

void *callback_make(void)
{
    void *callback = callback_open(close_nothing);
    if (callback) {
        callback_functions(callback)->Initialize = initialize;
        callback_functions(callback)->JITCachedFunctionSearchStarted = use_native;
        callback_functions(callback)->JITInlining = inline_it;
    }
    return callback;
}
