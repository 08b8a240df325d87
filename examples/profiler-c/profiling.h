/* The profiling interfaces, as far as the example uses them: which method has which slot.
 *
 * For 64-bit processors. On 32-bit x86 a callee takes its arguments off the stack: there each slot,
 * used or not, needs a function of the right shape. */
#ifndef PROFILING_H
#define PROFILING_H

#include <stdint.h>

typedef int32_t HRESULT; /* negative: failed */
typedef uintptr_t ID;    /* FunctionID, ModuleID and so on */
typedef uint16_t WCHAR;  /* UTF-16 everywhere */
typedef void (*slot)(void);

#define S_OK          0
#define E_NOINTERFACE ((HRESULT)0x80004002)
#define E_FAIL        ((HRESULT)0x80004005)

struct guid {
    uint32_t a;
    uint16_t b, c;
    uint8_t d[8];
};

static const struct guid profiler_callback2 = {
    0x8A8CC829, 0xCCF2, 0x49FE, {0xBB, 0xAE, 0x0F, 0x02, 0x22, 0x28, 0x07, 0x1A}};
static const struct guid profiler_callback3 = {
    0x4FD2ED52, 0x7731, 0x4B8D, {0x94, 0x69, 0x03, 0xD2, 0xCC, 0x30, 0x86, 0xC5}};
static const struct guid profiler_callback4 = {
    0x7B63B2E3, 0x107D, 0x4D48, {0xB2, 0xF6, 0xF6, 0x1E, 0x22, 0x94, 0x70, 0xD2}};
static const struct guid profiler_info3 = {
    0xB555ED4F, 0x452A, 0x4E54, {0x8B, 0x39, 0xB5, 0x36, 0x0B, 0xAD, 0x32, 0xA0}};
static const struct guid profiler_info10 = {
    0x2F1B5152, 0xC869, 0x40C9, {0xAA, 0x5F, 0x3A, 0xBE, 0x02, 0x6B, 0xD7, 0x20}};
static const struct guid metadata_import = {
    0x7DAC8207, 0xD3AE, 0x4C75, {0x9B, 0x67, 0x92, 0x80, 0x1A, 0x49, 0x7D, 0x44}};
static const struct guid metadata_emit2 = {
    0xF5DD9950, 0xF693, 0x42E6, {0x83, 0x0E, 0x7B, 0x83, 0x3E, 0x81, 0x46, 0xA9}};

enum i_unknown { QueryInterface, AddRef, Release };
enum i_class_factory { CreateInstance = 3, LockServer, FACTORY_COUNT };
enum i_profiler_callback {
    Initialize = 3,
    Shutdown = 4,
    ModuleLoadFinished = 14,
    ModuleUnloadStarted = 15,
    JITCompilationStarted = 23,
    JITCachedFunctionSearchStarted = 25,
    JITInlining = 28,
    ObjectAllocated = 50,
    ExceptionUnwindFunctionEnter = 62,
    ExceptionUnwindFunctionLeave = 63,
    InitializeForAttach = 80,
    ProfilerAttachComplete = 81,
    GetReJITParameters = 84,
    CALLBACK_COUNT = 89 /* of ICorProfilerCallback4 */
};
enum i_profiler_info {
    GetObjectSize = 10,
    IsArrayClass = 11,
    GetClassIDInfo = 14,
    GetFunctionInfo = 15,
    SetEventMask = 16,
    GetModuleMetaData = 21,
    GetILFunctionBody = 22,
    GetILFunctionBodyAllocator = 23,
    SetILFunctionBody = 24,
    SetFunctionIDMapper2 = 59,
    SetEnterLeaveFunctionHooks3 = 61,
    EnumModules = 66,
    GetModuleInfo2 = 70,
    RequestRevert = 74,
    RequestReJITWithInliners = 96
};
enum i_profiler_module_enum { GetCount = 6, Next };
enum i_profiler_function_control { SetRejittedBody = 4 /* SetILFunctionBody */ };
enum i_metadata_emit { GetTokenFromSig = 23, GetTokenFromTypeSpec = 26 };

enum i_metadata_import { GetTypeDefProps = 12, GetMethodProps = 30 };

enum {
    MONITOR_MODULE_LOADS = 0x4,
    MONITOR_JIT_COMPILATION = 0x20,
    MONITOR_EXCEPTIONS = 0x40,
    MONITOR_OBJECT_ALLOCATED = 0x100,
    MONITOR_ENTERLEAVE = 0x1000,
    MONITOR_CACHE_SEARCHES = 0x20000,
    ENABLE_REJIT = 0x40000,
    ENABLE_OBJECT_ALLOCATED = 0x800000
};
enum { REJIT_BLOCK_INLINING = 1, REJIT_INLINING_CALLBACKS = 2 };
enum { OF_READ = 0, OF_WRITE = 1, MODULE_FLAT_LAYOUT = 0x20 };

/* An interface is a pointer to a table of functions that take it first: CALL(info, SetEventMask,
 * (void *, uint32_t))(info, 0). The one function of IMethodMalloc returns memory. */
#define CALL(object, number, parameters) ((HRESULT(*) parameters)(*(slot **)(object))[number])
#define ALLOCATE(allocator, size) \
    ((void *(*)(void *, uint32_t))(*(slot **)(allocator))[3])(allocator, size)

#endif
