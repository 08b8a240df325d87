// The profiling interfaces, as far as the example uses them. A virtual function of a class without
// a virtual destructor takes the next slot of its table, as it does in COM; Gap takes those of
// functions that nobody calls.
//
// Who has the runtime's own cor.h and corprof.h uses these instead.
#ifndef PROFILING_H
#define PROFILING_H

#include <cstdint>
#include <cstring>

using HRESULT = std::int32_t; // negative: failed
using BOOL = std::int32_t;
using ULONG = std::uint32_t;
using WCHAR = char16_t;    // UTF-16 everywhere
using ID = std::uintptr_t; // FunctionID, ModuleID and so on
using Token = std::uint32_t;

constexpr HRESULT S_OK = 0;
constexpr HRESULT E_NOINTERFACE = static_cast<HRESULT>(0x80004002);
constexpr HRESULT E_FAIL = static_cast<HRESULT>(0x80004005);

struct Guid {
    std::uint32_t a;
    std::uint16_t b, c;
    std::uint8_t d[8];
};

inline bool operator==(const Guid &one, const Guid &other)
{
    return std::memcmp(&one, &other, sizeof one) == 0;
}

struct NoSlot {
    void unused()
    {
    }
};

struct IUnknown : NoSlot {
    virtual HRESULT QueryInterface(const Guid &id, void **out) = 0;
    virtual ULONG AddRef() = 0;
    virtual ULONG Release() = 0;
};

// Slots First to Last, answered S_OK; each is another overload. (On 32-bit x86 they would need the
// right arguments.)
template <int> struct Slot {
};
template <class Base, int First, int Last> struct Gap : Gap<Base, First, Last - 1> {
    using Gap<Base, First, Last - 1>::unused;
    virtual HRESULT unused(Slot<Last>)
    {
        return S_OK;
    }
};
template <class Base, int First> struct Gap<Base, First, First> : Base {
    using Base::unused;
    virtual HRESULT unused(Slot<First>)
    {
        return S_OK;
    }
};

// What the runtime calls. ICorProfilerCallback2 has to be there, and will do: slots 3 to 79.
struct Callback_3 : IUnknown {
    virtual HRESULT Initialize(IUnknown *info) = 0;
};
struct Callback_15 : Gap<Callback_3, 4, 13> {
    virtual HRESULT ModuleLoadFinished(ID module, HRESULT status) = 0;
    virtual HRESULT ModuleUnloadStarted(ID module) = 0;
};
struct Callback_23 : Gap<Callback_15, 16, 22> {
    virtual HRESULT JITCompilationStarted(ID function, BOOL safe_to_block) = 0;
};
struct Callback_25 : Gap<Callback_23, 24, 24> {
    virtual HRESULT JITCachedFunctionSearchStarted(ID function, BOOL *use_native_code) = 0;
};
struct Callback_28 : Gap<Callback_25, 26, 27> {
    virtual HRESULT JITInlining(ID caller, ID callee, BOOL *inline_it) = 0;
};
using ICorProfilerCallback2 = Gap<Callback_28, 29, 79>;

// What is called of the runtime.
struct Info_15 : Gap<IUnknown, 3, 14> {
    virtual HRESULT GetFunctionInfo(ID function, ID *of_class, ID *module, Token *token) = 0;
    virtual HRESULT SetEventMask(ULONG events) = 0;
};
struct Info_21 : Gap<Info_15, 17, 20> {
    virtual HRESULT GetModuleMetaData(ID module, ULONG flags, const Guid &id, void **out) = 0;
    virtual HRESULT GetILFunctionBody(ID module, Token method, const std::uint8_t **body,
                                      ULONG *size) = 0;
    virtual HRESULT GetILFunctionBodyAllocator(ID module, struct IMethodMalloc **out) = 0;
    virtual HRESULT SetILFunctionBody(ID module, Token method, const std::uint8_t *body) = 0;
};
struct ICorProfilerInfo3 : Gap<Info_21, 25, 69> {
    virtual HRESULT GetModuleInfo2(ID module, const std::uint8_t **base, ULONG capacity,
                                   ULONG *length, WCHAR *path, ID *assembly,
                                   ULONG *flags) = 0; // 70
};
struct IMethodMalloc : IUnknown {
    virtual void *Alloc(ULONG size) = 0;
};
struct AssemblyMetadata {
    std::uint16_t version[4];
    const WCHAR *culture;
    ULONG culture_size;
    ULONG *processors;
    ULONG processor_count;
    void *systems;
    ULONG system_count;
};
struct IMetaDataAssemblyEmit : Gap<IUnknown, 3, 3> {
    virtual HRESULT DefineAssemblyRef(const void *key, ULONG key_size, const WCHAR *name,
                                      const AssemblyMetadata *, const void *hash, ULONG hash_size,
                                      ULONG flags, Token *out) = 0; // 4
};
struct Emit_12 : Gap<IUnknown, 3, 11> {
    virtual HRESULT DefineTypeRefByName(Token scope, const WCHAR *name, Token *out) = 0;
};
struct Emit_14 : Gap<Emit_12, 13, 13> {
    virtual HRESULT DefineMemberRef(Token parent, const WCHAR *name, const std::uint8_t *signature,
                                    ULONG size, Token *out) = 0;
};
struct Emit_23 : Gap<Emit_14, 15, 22> {
    virtual HRESULT GetTokenFromSig(const std::uint8_t *signature, ULONG size, Token *out) = 0;
};
struct Emit_26 : Gap<Emit_23, 24, 25> {
    virtual HRESULT GetTokenFromTypeSpec(const std::uint8_t *signature, ULONG size, Token *out) = 0;
};
struct Emit_28 : Gap<Emit_26, 27, 27> {
    virtual HRESULT DefineUserString(const WCHAR *text, ULONG length, Token *out) = 0;
};
struct IMetaDataEmit2 : Gap<Emit_28, 29, 51> {
    virtual HRESULT DefineMethodSpec(Token method, const std::uint8_t *instantiation, ULONG size,
                                     Token *out) = 0; // 52
};

constexpr Guid IID_IUnknown = {0x00000000, 0, 0, {0xC0, 0, 0, 0, 0, 0, 0, 0x46}};
constexpr Guid IID_IClassFactory = {0x00000001, 0, 0, {0xC0, 0, 0, 0, 0, 0, 0, 0x46}};
constexpr Guid IID_ICorProfilerCallback2 = {
    0x8A8CC829, 0xCCF2, 0x49FE, {0xBB, 0xAE, 0x0F, 0x02, 0x22, 0x28, 0x07, 0x1A}};
constexpr Guid IID_ICorProfilerInfo3 = {
    0xB555ED4F, 0x452A, 0x4E54, {0x8B, 0x39, 0xB5, 0x36, 0x0B, 0xAD, 0x32, 0xA0}};
constexpr Guid IID_IMetaDataEmit2 = {
    0xF5DD9950, 0xF693, 0x42E6, {0x83, 0x0E, 0x7B, 0x83, 0x3E, 0x81, 0x46, 0xA9}};
constexpr Guid IID_IMetaDataAssemblyEmit = {
    0x211EF15B, 0x5317, 0x4438, {0xB1, 0x96, 0xDE, 0xC8, 0x7B, 0x88, 0x76, 0x93}};
constexpr Guid CLSID_Example = {
    0x7D4C1E0A, 0x93B5, 0x4F2E, {0x8C, 0x61, 0x2A, 0xF0, 0x5B, 0x97, 0xE3, 0x14}};

constexpr ULONG COR_PRF_MONITOR_MODULE_LOADS = 0x4, COR_PRF_MONITOR_JIT_COMPILATION = 0x20;
constexpr ULONG COR_PRF_MONITOR_CACHE_SEARCHES = 0x20000;
constexpr ULONG COR_PRF_MODULE_FLAT_LAYOUT = 0x20, ofWrite = 1;

#endif
