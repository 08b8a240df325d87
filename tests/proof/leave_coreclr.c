/* A profiler that only looks: of each method in $PROOF_METHODS of the module Proof.dll it writes
 * what FunctionLeave3WithInfo's range of the returned value holds, as "token size bytes", and
 * "token tailcall" where FunctionTailcall3WithInfo came instead. It shares the product's way of
 * being loaded, and none of its hooks.
 *
 * With $PROOF_FAST the hooks are those of the fast path, with the stubs of elt/, and no value is
 * written. */
#include <stdlib.h>
#include <string.h>

#include "../runtime/native/lines.h"
#include "elt/elt.h"
#include "profiler/clr/callback.h"
#include "wanted.h"

struct function {
    FunctionID id;
    ilp_token token;
};

static void *info;

static void STDCALL enter(FunctionIDOrClientID function, COR_PRF_ELT_INFO elt)
{
    (void)function, (void)elt;
}

static void STDCALL leave(FunctionIDOrClientID client, COR_PRF_ELT_INFO elt)
{
    const struct function *function = (const struct function *)client.clientID;
    COR_PRF_FRAME_INFO frame;
    COR_PRF_FUNCTION_ARGUMENT_RANGE range = {0, 0};
    CALL(ICorProfilerInfo3, GetFunctionLeave3Info, info)(info, function->id, elt, &frame, &range);
    put_value(function->token, (const void *)range.startAddress, range.length);
    /* A function in C may leave anything in this register. So that the result is not the compiler's
     * choice: not zero. */
    __asm__ volatile("movl $1, %%ecx" ::: "rcx");
}

static void STDCALL tailcall(FunctionIDOrClientID client, COR_PRF_ELT_INFO elt)
{
    char line[64];
    (void)elt;
    snprintf(line, sizeof line, "%u tailcall\n", ((const struct function *)client.clientID)->token);
    put(line);
}

static void fast_nothing(uintptr_t client)
{
    (void)client;
}

static void fast_leave(uintptr_t client)
{
    put_value(((const struct function *)client)->token, NULL, 0);
}

static HRESULT set_hooks(bool fast)
{
    if (!fast) {
        return CALL(ICorProfilerInfo3, SetEnterLeaveFunctionHooks3WithInfo, info)(info, enter,
                                                                                  leave, tailcall);
    }
    elt_targets.enter3 = elt_targets.tailcall3 = fast_nothing;
    elt_targets.leave3 = fast_leave;
    elt_switch(true);
    return CALL(ICorProfilerInfo3, SetEnterLeaveFunctionHooks3, info)(info, elt_enter3, elt_leave3,
                                                                      elt_tailcall3);
}

static bool is_proof(ModuleID module)
{
    static const WCHAR name[] = {'P', 'r', 'o', 'o', 'f', '.', 'd', 'l', 'l', 0};
    const uint8_t *base;
    ULONG length = 0, flags;
    AssemblyID assembly;
    WCHAR path[1024];
    return CALL(ICorProfilerInfo3, GetModuleInfo2, info)(info, module, &base, 1024, &length, path,
                                                         &assembly, &flags) >= 0 &&
           length > 10 && memcmp(path + length - 10, name, sizeof name) == 0;
}

/* The record is for as long as the process lives. */
static uintptr_t STDCALL map(FunctionID id, void *data, BOOL *hook)
{
    ClassID class;
    ModuleID module;
    struct function *function = malloc(sizeof *function);
    (void)data;
    *hook = function &&
            CALL(ICorProfilerInfo, GetFunctionInfo, info)(info, id, &class, &module,
                                                          &function->token) >= 0 &&
            is_wanted(function->token) && is_proof(module);
    if (!*hook) {
        free(function);
        return id;
    }
    function->id = id;
    return (uintptr_t)function;
}

static HRESULT STDCALL initialize(void *self, void *unknown)
{
    struct guid info3 = guid_of(ID_ICorProfilerInfo3);
    (void)self;
    if (CALL(IUnknown, QueryInterface, unknown)(unknown, &info3, &info) < 0) {
        return E_FAIL;
    }
    read_wanted();
    bool fast = getenv("PROOF_FAST") != NULL;
    ULONG mask = MONITOR_ENTERLEAVE | (fast ? 0 : ENABLE_FUNCTION_RETVAL);
    /* the flags first: hooks with infos are refused while nothing requests them */
    return CALL(ICorProfilerInfo, SetEventMask, info)(info, mask) < 0 ||
                   CALL(ICorProfilerInfo3, SetFunctionIDMapper2, info)(info, map, NULL) < 0 ||
                   set_hooks(fast) < 0
               ? E_FAIL
               : S_OK;
}

static HRESULT STDCALL shut_down(void *self)
{
    (void)self;
    write_lines();
    return S_OK;
}

/* ---- the object: what is not above answers S_OK, which one function can do where the caller
 * clears the stack */

static HRESULT ignore(void)
{
    return S_OK;
}

static HRESULT STDCALL notification_only(void *self, BOOL *only)
{
    (void)self;
    *only = 0;
    return S_OK;
}

static HRESULT STDCALL query_interface(void *self, const struct guid *id, void **out)
{
    bool known = guid_is(id, ID_IUnknown);
    for (unsigned i = ID_ICorProfilerCallback; i <= ID_ICorProfilerCallback11 && !known; i++) {
        known = guid_is(id, i);
    }
    *out = known ? self : NULL;
    return known ? S_OK : E_NOINTERFACE;
}

static ULONG STDCALL count(void *self)
{
    (void)self;
    return 1;
}

void *callback_make(void)
{
    static union {
        HRESULT (*slots[sizeof(struct callback_table) / sizeof(void *)])(void);
        struct callback_table functions;
    } table;
    static const struct callback_table *object = &table.functions;
    for (size_t i = 0; i < sizeof table.slots / sizeof *table.slots; i++) {
        table.slots[i] = ignore;
    }
    table.functions.QueryInterface = query_interface;
    table.functions.AddRef = count;
    table.functions.Release = count;
    table.functions.Initialize = initialize;
    table.functions.Shutdown = shut_down;
    table.functions.LoadAsNotificationOnly = notification_only;
    return &object;
}
