/* A profiler around another one (profiler_around.h): all callbacks go there, but when Program.dll is loaded, this one first adds rows to it, and gives
 * Program::Number a body that needs them:
 *
 *   locals  a signature of its own
 *   calls   System.Math::Max, a TypeRef and a MemberRef of its own; and Added, a method of its own
 *           in the type that the environment's ADD_TO says: "module" (<Module>, the first type of
 *           all) or "type" (a new one) */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../profiler_around.h"

enum { DefineTypeDef = 7, DefineMethod = 10, DefineTypeRefByName = 12, DefineMemberRef = 14 };
enum {
    PUBLIC_STATIC = 0x16,
    ABSTRACT_SEALED = 0x180,
    MODULE_TYPE = 0x02000001,
    FIRST_ASSEMBLY_REF = 0x23000001
};

static void *info;

/* A UTF-16 text that lives until the next call but three. */
static const WCHAR *wide(const char *text)
{
    static WCHAR units[4][32];
    static unsigned next;
    WCHAR *to = units[next++ % 4];
    for (unsigned i = 0; i < 32; i++) {
        to[i] = (WCHAR)(uint8_t)text[i];
        if (text[i] == '\0') {
            break;
        }
    }
    return to;
}

static void must(HRESULT result, const char *what)
{
    if (result < 0) {
        fprintf(stderr, "other: %s answers 0x%08X\n", what, (unsigned)result);
        exit(99);
    }
}

static void set_body(ID module, uint32_t method, const uint8_t *body, uint32_t size)
{
    void *allocator;
    must(CALL(info, GetILFunctionBodyAllocator, (void *, ID, void **))(info, module, &allocator),
         "GetILFunctionBodyAllocator");
    uint8_t *copy = ALLOCATE(allocator, size);
    memcpy(copy, body, size);
    must(CALL(info, SetILFunctionBody, (void *, ID, uint32_t, const uint8_t *))(info, module,
                                                                                method, copy),
         "SetILFunctionBody");
}

static uint32_t define_added(void *emit)
{
    static const uint8_t signature[] = {0x00, 0x01, 0x08, 0x08}; /* int (int) */
    uint32_t type = MODULE_TYPE, object, method;
    if (strcmp(getenv("ADD_TO"), "type") == 0) {
        must(CALL(emit, DefineTypeRefByName, (void *, uint32_t, const WCHAR *, uint32_t *))(
                 emit, FIRST_ASSEMBLY_REF, wide("System.Object"), &object),
             "object");
        must(CALL(emit, DefineTypeDef,
                  (void *, const WCHAR *, uint32_t, uint32_t, uint32_t *, uint32_t *))(
                 emit, wide("Other.Helper"), ABSTRACT_SEALED, object, NULL, &type),
             "DefineTypeDef");
    }
    must(CALL(emit, DefineMethod,
              (void *, uint32_t, const WCHAR *, uint32_t, const uint8_t *, uint32_t, uint32_t,
               uint32_t, uint32_t *))(emit, type, wide("Added"), PUBLIC_STATIC, signature,
                                      sizeof signature, 0, 0, &method),
         "DefineMethod");
    return method;
}

static void put_token(uint8_t *at, uint32_t token)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (uint8_t)(token >> 8 * i);
    }
}

static void add_rows(ID module)
{
    static const uint8_t max[] = {0x00, 0x02, 0x08, 0x08, 0x08};    /* int (int, int) */
    static const uint8_t locals[] = {0x07, 0x03, 0x08, 0x0D, 0x0A}; /* int, double, long */
    /* ldarg.0; ldc.i4.1; add; ret */
    static const uint8_t added[] = {0x12, 0x02, 0x17, 0x58, 0x2A};
    /* fat, MaxStack 2, 16 bytes, locals */
    uint8_t number[] = {0x13, 0x30, 2, 0, 16, 0, 0, 0, 0, 0, 0, 0,
                        /* ldarg.0; ldc.i4.s 40; call Max */
                        0x02, 0x1F, 40, 0x28, 0, 0, 0, 0,
                        /* call Added; stloc.0; ldloc.0; ret */
                        0x28, 0, 0, 0, 0, 0x0A, 0x06, 0x2A};
    uint32_t type, member, signature;
    void *emit;
    must(CALL(info, GetModuleMetaData, (void *, ID, uint32_t, const struct guid *, void **))(
             info, module, OF_WRITE, &metadata_emit2, &emit),
         "GetModuleMetaData");
    must(CALL(emit, DefineTypeRefByName, (void *, uint32_t, const WCHAR *, uint32_t *))(
             emit, FIRST_ASSEMBLY_REF, wide("System.Math"), &type),
         "DefineTypeRefByName");
    must(CALL(emit, DefineMemberRef,
              (void *, uint32_t, const WCHAR *, const uint8_t *, uint32_t, uint32_t *))(
             emit, type, wide("Max"), max, sizeof max, &member),
         "DefineMemberRef");
    must(CALL(emit, GetTokenFromSig, (void *, const uint8_t *, uint32_t, uint32_t *))(
             emit, locals, sizeof locals, &signature),
         "GetTokenFromSig");
    uint32_t method = define_added(emit);
    put_token(number + 8, signature);
    put_token(number + 16, member);
    put_token(number + 21, method);
    set_body(module, method, added, sizeof added);
    set_body(module, (uint32_t)strtoul(getenv("NUMBER"), NULL, 16), number, sizeof number);
}

/* ---- callbacks: two of the other profiler's are replaced ---- */

typedef HRESULT initialize_fn(void *self, void *unknown);
typedef HRESULT module_load_finished_fn(void *self, ID id, HRESULT status);
static slot next_initialize, next_module_load_finished;

static bool is_wanted(ID id)
{
    static const char wanted[] = "/Program.dll";
    WCHAR path[2048];
    const uint8_t *base;
    uint32_t length, flags;
    ID assembly;
    bool same = CALL(info, GetModuleInfo2,
                     (void *, ID, const uint8_t **, uint32_t, uint32_t *, WCHAR *, ID *,
                      uint32_t *))(info, id, &base, 2048, &length, path, &assembly, &flags) >= 0 &&
                length > sizeof wanted;
    for (unsigned i = 0; same && i < sizeof wanted; i++) {
        same = path[length - sizeof wanted + i] == (uint8_t)wanted[i];
    }
    return same;
}

static HRESULT module_load_finished(void *self, ID id, HRESULT status)
{
    if (status >= 0 && is_wanted(id)) {
        add_rows(id);
    }
    return ((module_load_finished_fn *)next_module_load_finished)(self, id, status);
}

static HRESULT initialize(void *self, void *unknown)
{
    must(CALL(unknown, QueryInterface,
              (void *, const struct guid *, void **))(unknown, &profiler_info3, &info),
         "QueryInterface");
    return ((initialize_fn *)next_initialize)(self, unknown);
}

static void replace_callbacks(slot *functions)
{
    next_initialize = functions[Initialize];
    next_module_load_finished = functions[ModuleLoadFinished];
    functions[Initialize] = (slot)initialize;
    functions[ModuleLoadFinished] = (slot)module_load_finished;
}
