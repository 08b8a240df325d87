// A whole profiler in C++: what the public methods of one assembly return goes to a managed inspector. README.md says how to
// build and run it.
//
// The runtime reports a method before it compiles it: ilp_rewrite_method() makes the new body; SetILFunctionBody() puts it
// in place. Which methods is the profiler's own choice here; rules would be ilp_inspect_method()'s. docs/profiler-authors.md
// explains what is marked "Trap".
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "emitter.h"

namespace {

// A module, and which of its methods have a new body. Members are closed from the last to the first.
class Module {
public:
    bool open(ICorProfilerInfo3 *from, ID number, const std::uint8_t *base, bool flat, const ilp_inspector *inspector,
              ilp_error &error)
    {
        info = from;
        id = number;
        ilp_request request = {};
        request.inspectors = &inspector;
        request.inspector_count = 1;
        // Trap: a module with native code is mapped by section, one of IL alone is as in the file.
        ilp_bytes bytes = {base, extent(base, flat)};
        auto layout = flat ? ILP_LAYOUT_FILE : ILP_LAYOUT_MAPPED;
        if (ilp_image_open(image.out(), bytes, layout, nullptr, nullptr, &error) != ILP_OK ||
            ilp_inlining_open(inlining.out(), image, nullptr, &error) != ILP_OK || !emitter.open(info, id, image) ||
            info->GetILFunctionBodyAllocator(id, allocator.out()) < 0) {
            return false;
        }
        functions = emitter.functions();
        return ilp_rewriter_open(rewriter.out(), image, &request, &functions, &error) == ILP_OK;
    }

    // Trap: a method is reported again for each tier and instantiation, and has its new body then: it is decided once.
    const std::uint8_t *body_of(Token method)
    {
        auto [place, added] = bodies.try_emplace(method, nullptr);
        if (added && is_public(ILP_TOKEN_RID(method))) {
            place->second = rewrite(method);
        }
        return place->second;
    }

    // Trap: native code does what the IL did before, and so do the copies of a method in native code of others.
    bool native_code_is_old(Token method)
    {
        std::size_t count = 0;
        const ilp_rid *copies = ilp_inlined(inlining, ILP_TOKEN_RID(method), &count);
        bool old = body_of(method) != nullptr;
        for (std::size_t i = 0; i < count && !old; i++) {
            old = body_of(ILP_TOKEN(ILP_MethodDef, copies[i])) != nullptr;
        }
        return old;
    }

private:
    bool is_public(ilp_rid rid) { return (ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Flags) & 7) == 6; } // II.23.1.10

    const std::uint8_t *rewrite(Token method)
    {
        ilp_rule_action action = {};
        action.guard = true; // what the inspector throws is caught
        ilp_method_result result;
        ilp_error error;
        ilp_bytes old = {};
        ULONG size;
        if (info->GetILFunctionBody(id, method, &old.data, &size) < 0) {
            return nullptr; // abstract, or without IL
        }
        old.size = size;
        if (ilp_rewrite_method(rewriter, method, &action, old, &result, &error) != ILP_OK || result.body.size == 0) {
            return nullptr; // error.message, or ilp_reason_text(result.reason), says why it stays as it is
        }
        // Trap: the runtime keeps the pointer. This memory is its own, stays, and is aligned.
        void *copy = allocator->Alloc(static_cast<ULONG>(result.body.size));
        return copy ? static_cast<std::uint8_t *>(std::memcpy(copy, result.body.data, result.body.size)) : nullptr;
    }

    // How many bytes there are at `base` (II.25.2): SizeOfImage if sections are mapped, else to the end of the last one.
    static std::size_t extent(const std::uint8_t *base, bool flat)
    {
        auto u32 = [](const std::uint8_t *at) {
            return at[0] | at[1] << 8 | at[2] << 16 | static_cast<std::uint32_t>(at[3]) << 24;
        };
        auto pe = base + u32(base + 0x3C);
        auto section = pe + 24 + (u32(pe + 20) & 0xFFFF);
        std::size_t end = flat ? 0 : u32(pe + 24 + 56);
        for (std::uint32_t i = flat ? u32(pe + 4) >> 16 : 0; i > 0; i--, section += 40) {
            end = std::max(end, std::size_t{u32(section + 20)} + u32(section + 16));
        }
        return end;
    }

    ICorProfilerInfo3 *info = nullptr;
    ID id = 0;
    Owned<ilp_image> image;
    Owned<ilp_inlining> inlining;
    Emitter emitter;
    ilp_emitter functions = {};
    Owned<IMethodMalloc> allocator;
    Owned<ilp_rewriter> rewriter;
    std::unordered_map<Token, const std::uint8_t *> bodies;
};

// Lives as long as the process: code that it made runs to the end. No exception may leave a callback, so that std::bad_alloc
// ends the process there.
class Profiler final : public ICorProfilerCallback2 {
public:
    HRESULT QueryInterface(const Guid &id, void **out) noexcept override
    {
        bool known = id == IID_ICorProfilerCallback2 || id == IID_IUnknown;
        *out = known ? this : nullptr;
        return known ? S_OK : E_NOINTERFACE;
    }
    ULONG AddRef() override { return 1; }
    ULONG Release() override { return 1; }

    HRESULT Initialize(IUnknown *unknown) noexcept override
    {
        ilp_error error = {};
        if (unknown->QueryInterface(IID_ICorProfilerInfo3, reinterpret_cast<void **>(&info)) < 0) {
            return failed("the runtime has no ICorProfilerInfo3");
        }
        if (!std::getenv("PROFILE") || !std::getenv("INSPECTOR")) {
            return failed("set PROFILE to the file name of an assembly, and INSPECTOR to the path of an inspector");
        }
        std::ifstream file(std::getenv("INSPECTOR"), std::ios::binary);
        inspector_file.assign(std::istreambuf_iterator<char>(file), {});
        ilp_bytes bytes = {inspector_file.data(), inspector_file.size()};
        if (ilp_image_open(inspector_image.out(), bytes, ILP_LAYOUT_FILE, nullptr, nullptr, &error) != ILP_OK ||
            ilp_inspector_open(inspector.out(), inspector_image, nullptr, &error) != ILP_OK) {
            return failed(error.message);
        }
        wanted = wide(std::getenv("PROFILE"));
        return info->SetEventMask(COR_PRF_MONITOR_MODULE_LOADS | COR_PRF_MONITOR_JIT_COMPILATION |
                                  COR_PRF_MONITOR_CACHE_SEARCHES);
    }

    HRESULT ModuleLoadFinished(ID id, HRESULT status) noexcept override
    {
        WCHAR path[2048] = {};
        const std::uint8_t *base = nullptr;
        ULONG length, flags = 0;
        ID assembly;
        if (status < 0 || info->GetModuleInfo2(id, &base, 2047, &length, path, &assembly, &flags) < 0 || !base) {
            return S_OK;
        }
        std::u16string name(path);
        if (name.substr(name.rfind(u'/') + 1) == wanted) {
            ilp_error error = {};
            auto module = std::make_unique<Module>();
            std::lock_guard<std::mutex> hold(lock);
            if (module->open(info, id, base, (flags & COR_PRF_MODULE_FLAT_LAYOUT) != 0, inspector, error)) {
                modules[id] = std::move(module);
            } else {
                failed(*error.message ? error.message : "the runtime gives no access to the module's metadata");
            }
        }
        return S_OK;
    }

    // Trap: a collectible module goes, with its image, and another one may get its ID.
    HRESULT ModuleUnloadStarted(ID id) noexcept override
    {
        std::lock_guard<std::mutex> hold(lock);
        modules.erase(id);
        return S_OK;
    }

    HRESULT JITCompilationStarted(ID function, BOOL) noexcept override
    {
        ID module;
        Token method;
        const std::uint8_t *body = nullptr;
        look_up(function, module, method, [&](Module &found) { body = found.body_of(method); });
        return body ? info->SetILFunctionBody(module, method, body) : S_OK;
    }

    // Trap: ReadyToRun. A method with native code is not compiled, unless that is refused here.
    HRESULT JITCachedFunctionSearchStarted(ID function, BOOL *use_native_code) noexcept override
    {
        ID module;
        Token method;
        *use_native_code = 1;
        look_up(function, module, method, [&](Module &found) { *use_native_code = !found.native_code_is_old(method); });
        return S_OK;
    }

    // Trap: what is inlined before it was compiled by itself is the old body.
    HRESULT JITInlining(ID, ID callee, BOOL *inline_it) noexcept override
    {
        ID module;
        Token method;
        *inline_it = 1;
        look_up(callee, module, method, [&](Module &found) { *inline_it = !found.body_of(method); });
        return S_OK;
    }

private:
    static HRESULT failed(const char *why)
    {
        std::cerr << "example: " << why << '\n';
        return E_FAIL; // from Initialize: the program runs without the profiler
    }

    // Trap: callbacks come from all threads at once, and a rewriter is for one at a time.
    template <class Use> void look_up(ID function, ID &module, Token &method, Use use)
    {
        ID of_class;
        if (info->GetFunctionInfo(function, &of_class, &module, &method) >= 0) {
            std::lock_guard<std::mutex> hold(lock);
            auto place = modules.find(module);
            if (place != modules.end()) {
                use(*place->second);
            }
        }
    }

    ICorProfilerInfo3 *info = nullptr;
    std::mutex lock;
    std::u16string wanted;
    std::vector<std::uint8_t> inspector_file;
    Owned<ilp_image> inspector_image;
    Owned<ilp_inspector> inspector;
    std::unordered_map<ID, std::unique_ptr<Module>> modules;
};

struct ClassFactory final : IUnknown {
    HRESULT QueryInterface(const Guid &id, void **out) noexcept override
    {
        bool known = id == IID_IClassFactory || id == IID_IUnknown;
        *out = known ? this : nullptr;
        return known ? S_OK : E_NOINTERFACE;
    }
    ULONG AddRef() override { return 1; }
    ULONG Release() override { return 1; }
    virtual HRESULT CreateInstance(IUnknown *, const Guid &id, void **out)
    {
        static auto &profiler = *new Profiler;
        return profiler.QueryInterface(id, out);
    }
    virtual HRESULT LockServer(BOOL) { return S_OK; }
};

} // namespace

extern "C" __attribute__((visibility("default"))) HRESULT DllGetClassObject(const Guid &of_class, const Guid &id, void **out)
{
    static auto &factory = *new ClassFactory;
    return of_class == CLSID_Example ? factory.QueryInterface(id, out) : E_NOINTERFACE;
}
