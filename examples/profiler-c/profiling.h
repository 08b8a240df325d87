/* The profiling interfaces, as far as the example uses them: which method stands in which slot.
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

static const struct guid i_unknown = {0x00000000, 0, 0, {0xC0, 0, 0, 0, 0, 0, 0, 0x46}};
static const struct guid class_factory = {0x00000001, 0, 0, {0xC0, 0, 0, 0, 0, 0, 0, 0x46}};
static const struct guid profiler_callback2 = {
    0x8A8CC829, 0xCCF2, 0x49FE, {0xBB, 0xAE, 0x0F, 0x02, 0x22, 0x28, 0x07, 0x1A}};
static const struct guid profiler_info3 = {
    0xB555ED4F, 0x452A, 0x4E54, {0x8B, 0x39, 0xB5, 0x36, 0x0B, 0xAD, 0x32, 0xA0}};
static const struct guid metadata_emit2 = {
    0xF5DD9950, 0xF693, 0x42E6, {0x83, 0x0E, 0x7B, 0x83, 0x3E, 0x81, 0x46, 0xA9}};
static const struct guid class_of_this = {
    0xB28F2D51, 0x6E0C, 0x4C5B, {0x9A, 0x3F, 0x0C, 0x7E, 0x64, 0xB1, 0xD5, 0xA2}};

enum i_unknown { QueryInterface, AddRef, Release };
enum i_class_factory { CreateInstance = 3, LockServer, FACTORY_COUNT };
enum i_profiler_callback {
    Initialize = 3,
    ModuleLoadFinished = 14,
    ModuleUnloadStarted = 15,
    JITCompilationStarted = 23,
    JITCachedFunctionSearchStarted = 25,
    JITInlining = 28,
    CALLBACK_COUNT = 80
};
enum i_profiler_info {
    GetFunctionInfo = 15,
    SetEventMask = 16,
    GetModuleMetaData = 21,
    GetILFunctionBody = 22,
    GetILFunctionBodyAllocator = 23,
    SetILFunctionBody = 24,
    GetModuleInfo2 = 70
};
enum i_metadata_emit { GetTokenFromSig = 23, GetTokenFromTypeSpec = 26 };

enum {
    MONITOR_MODULE_LOADS = 0x4,
    MONITOR_JIT_COMPILATION = 0x20,
    MONITOR_CACHE_SEARCHES = 0x20000
};
enum { OF_WRITE = 1, MODULE_FLAT_LAYOUT = 0x20 };

/* An interface is a pointer to a table of functions that take it first: CALL(info, SetEventMask,
 * (void *, uint32_t))(info, 0). The one function of IMethodMalloc returns memory. */
#define CALL(object, number, parameters) ((HRESULT(*) parameters)(*(slot **)(object))[number])
#define ALLOCATE(allocator, size) \
    ((void *(*)(void *, uint32_t))(*(slot **)(allocator))[3])(allocator, size)

#endif
