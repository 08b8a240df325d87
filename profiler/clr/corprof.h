/* The profiling interfaces in C, expanded from corprof.def. An interface is a pointer to a table of
 * functions, each of which takes the interface first; every table begins with the three of
 * IUnknown. */
#ifndef ILPI_CORPROF_H
#define ILPI_CORPROF_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elt/elt.h"
#include "ilpatch.h"

#define STDCALL ELT_CALL

typedef int32_t HRESULT; /* negative: failed */
typedef int32_t BOOL;
typedef uint32_t ULONG;
typedef uint16_t WCHAR; /* UTF-16 on every system */
typedef uintptr_t AppDomainID, AssemblyID, ModuleID, ClassID, ObjectID, ThreadID, ReJITID;

#define S_OK                                 0
#define S_FALSE                              1
#define E_NOINTERFACE                        ((HRESULT)0x80004002)
#define E_FAIL                               ((HRESULT)0x80004005)
#define E_INVALIDARG                         ((HRESULT)0x80070057)
#define E_OUTOFMEMORY                        ((HRESULT)0x8007000E)
#define CLASS_E_NOAGGREGATION                ((HRESULT)0x80040110)
#define CLASS_E_CLASSNOTAVAILABLE            ((HRESULT)0x80040111)
#define CORPROF_E_DATAINCOMPLETE             ((HRESULT)0x80131351)
#define CORPROF_E_PROFILER_CANCEL_ACTIVATION ((HRESULT)0x80131375)

struct guid {
    uint32_t a;
    uint16_t b, c;
    uint8_t d[8];
};

/* COR_IL_MAP, and ASSEMBLYMETADATA of IMetaDataAssemblyEmit. */
struct cor_il_map {
    ULONG old_offset;
    ULONG new_offset;
    BOOL accurate;
};

/* COR_FIELD_OFFSET */
struct class_field {
    ilp_token token;
    ULONG offset; /* in an object: from its address */
};

struct assembly_metadata {
    uint16_t version[4];
    const WCHAR *culture;
    ULONG culture_size;
    ULONG *processors;
    ULONG processor_count;
    void *systems;
    ULONG system_count;
};

/* COR_PRF_EVENTPIPE_PROVIDER_CONFIG: which events of a provider. */
struct event_provider {
    const WCHAR *name;
    uint64_t keywords;
    uint32_t level;
    const WCHAR *filter; /* NULL: none */
};

/* COR_PRF_MONITOR: what the runtime reports. */
enum {
    MONITOR_CLASS_LOADS = 0x2,
    MONITOR_MODULE_LOADS = 0x4,
    MONITOR_JIT_COMPILATION = 0x20,
    MONITOR_EXCEPTIONS = 0x40,
    MONITOR_OBJECT_ALLOCATED = 0x100,
    MONITOR_THREADS = 0x200,
    MONITOR_CODE_TRANSITIONS = 0x800,
    MONITOR_ENTERLEAVE = 0x1000,
    MONITOR_SUSPENDS = 0x10000,
    MONITOR_CACHE_SEARCHES = 0x20000,
    ENABLE_REJIT = 0x40000,
    DISABLE_OPTIMIZATIONS = 0x400000,
    ENABLE_OBJECT_ALLOCATED = 0x800000,
    ENABLE_FUNCTION_ARGS = 0x2000000,
    ENABLE_FUNCTION_RETVAL = 0x4000000,
    ENABLE_FRAME_INFO = 0x8000000,
    ENABLE_STACK_SNAPSHOT = 0x10000000
};

/* COR_PRF_HIGH_MONITOR: ICorProfilerInfo5's second mask. */
enum { HIGH_MONITOR_EVENT_PIPE = 0x80 };

enum { REJIT_BLOCK_INLINING = 1, REJIT_INLINING_CALLBACKS = 2 }; /* COR_PRF_REJIT_FLAGS */

/* CONTEXT on x86-64: the registers that a stack walk starts from. */
struct context_x86_64 {
    uint64_t home[6];
    uint32_t flags; /* which of them are valid */
    uint32_t mxcsr;
    uint16_t segments[6];
    uint32_t eflags;
    uint64_t debug[6];
    uint64_t rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15, rip;
    uint8_t vectors[0x4D0 - 0x100];
};
enum { CONTEXT_X86_64_CONTROL_AND_INTEGER = 0x100003 };

static_assert(offsetof(struct context_x86_64, rip) == 0xF8 &&
                  sizeof(struct context_x86_64) == 0x4D0,
              "CONTEXT");

/* The same on arm64. */
struct context_aarch64 {
    uint32_t flags;
    uint32_t cpsr;
    uint64_t x[29];
    uint64_t fp, lr, sp, pc;
    _Alignas(16) uint8_t vectors[32 * 16];
    uint32_t fpcr, fpsr;
    uint8_t debug[0x390 - 0x318];
};
enum { CONTEXT_AARCH64_CONTROL_AND_INTEGER = 0x400003 };

static_assert(offsetof(struct context_aarch64, pc) == 0x108 &&
                  offsetof(struct context_aarch64, fpcr) == 0x310 &&
                  sizeof(struct context_aarch64) == 0x390,
              "CONTEXT");

/* Functions that the runtime calls. A mapper is called once for each compiled method: its result is
 * passed to the hooks in place of the FunctionID, and *hook is whether the method has hooks.
 * DoStackSnapshot reports each frame, the youngest first; a function of 0 is native code. */
typedef uintptr_t STDCALL FunctionIDMapper(FunctionID function, BOOL *hook);
typedef uintptr_t STDCALL FunctionIDMapper2(FunctionID function, void *data, BOOL *hook);
typedef HRESULT STDCALL StackSnapshotCallback(FunctionID function, uintptr_t ip,
                                              COR_PRF_FRAME_INFO frame, ULONG context_size,
                                              uint8_t *context, void *data);

enum { CACHED_FUNCTION_FOUND = 0 }; /* COR_PRF_JIT_CACHE */

/* COR_PRF_MODULE_FLAGS */
enum {
    MODULE_DYNAMIC = 0x4,
    MODULE_COLLECTIBLE = 0x8,
    MODULE_RESOURCE = 0x10,
    MODULE_FLAT_LAYOUT = 0x20
};

enum { OF_READ = 0, OF_WRITE = 1 }; /* CorOpenFlags */
enum { SAVE_ACCURATE = 0 };         /* CorSaveSize */

/* ---- GUIDs: guid_of(ID_IUnknown) ---- */

enum guid_id {
#define GUID(name, text) ID_##name,
#include "profiler/clr/corprof.def"
    ID_COUNT
};

struct guid guid_of(enum guid_id id);
bool guid_is(const struct guid *guid, enum guid_id id);

/* ---- called by the runtime ---- */

#define ARGS0
#define ARGS1(a)                                   , a
#define ARGS2(a, b)                                , a, b
#define ARGS3(a, b, c)                             , a, b, c
#define ARGS4(a, b, c, d)                          , a, b, c, d
#define ARGS5(a, b, c, d, e)                       , a, b, c, d, e
#define ARGS12(a, b, c, d, e, f, g, h, i, j, k, l) , a, b, c, d, e, f, g, h, i, j, k, l

struct callback_table {
    HRESULT(STDCALL *QueryInterface)(void *self, const struct guid *id, void **out);
    ULONG(STDCALL *AddRef)(void *self);
    ULONG(STDCALL *Release)(void *self);
#define CALLBACK(slot, version, name, args) HRESULT(STDCALL *name)(void *self args);
#include "profiler/clr/corprof.def"
};

#define CALLBACK(slot, version, name, args) \
    static_assert(offsetof(struct callback_table, name) == (slot) * sizeof(void *), #name);
#include "profiler/clr/corprof.def"

#undef ARGS0
#undef ARGS1
#undef ARGS2
#undef ARGS3
#undef ARGS4
#undef ARGS5
#undef ARGS12

/* ---- called by the profiler ---- */

#define METHOD(interface, name, slot, result, args)        \
    typedef result(STDCALL *interface##_##name##_fn) args; \
    enum { interface##_##name##_slot = (slot) };
#include "profiler/clr/corprof.def"

/* CALL(ICorProfilerInfo, SetEventMask, info)(info, mask) */
#define CALL(interface, name, object) \
    ((interface##_##name##_fn)((void (***)(void))(object))[0][interface##_##name##_slot])

#endif
