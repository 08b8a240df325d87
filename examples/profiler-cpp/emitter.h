// The emitter: tokens for the library, rows of the running module, made by its own IMetaDataEmit2.
#ifndef EMITTER_H
#define EMITTER_H

#include <cstring>
#include <string>

#include "ilpatch.h"
#include "profiling.h"

inline void close(ilp_image *image)
{
    ilp_image_close(image);
}
inline void close(ilp_inspector *inspector)
{
    ilp_inspector_close(inspector);
}
inline void close(ilp_rewriter *rewriter)
{
    ilp_rewriter_close(rewriter);
}
inline void close(ilp_inlining *inlining)
{
    ilp_inlining_close(inlining);
}
inline void close(IUnknown *object)
{
    object->Release();
}

// What is closed or released at the end; `out()` is for functions that make one.
template <class T> class Owned
{
  public:
    Owned() = default;
    Owned(const Owned &) = delete;
    Owned &operator=(const Owned &) = delete;
    ~Owned()
    {
        if (object) {
            close(object);
        }
    }
    T **out()
    {
        return &object;
    }
    T *operator->() const
    {
        return object;
    }
    operator T *() const
    {
        return object;
    }

  private:
    T *object = nullptr;
};

// UTF-8 that is known to be right, as the names of an inspector are; a real profiler has a
// converter already.
inline std::u16string wide(const char *text, std::size_t size)
{
    std::u16string out;
    for (std::size_t i = 0; i < size;) {
        std::uint32_t lead = static_cast<std::uint8_t>(text[i++]);
        unsigned more = (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0);
        std::uint32_t point = more == 0 ? lead : lead & (0x3Fu >> more);
        for (; more > 0 && i < size; more--) {
            point = point << 6 | (static_cast<std::uint8_t>(text[i++]) & 0x3Fu);
        }
        if (point >= 0x10000) {
            out += static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10));
            point = 0xDC00 + ((point - 0x10000) & 0x3FF);
        }
        out += static_cast<char16_t>(point);
    }
    return out;
}

inline std::u16string wide(const std::string &text)
{
    return wide(text.data(), text.size());
}

// Tokens come from the runtime. Trap: success is what is not negative: META_S_DUPLICATE is an
// answer, too.
class Emitter
{
  public:
    bool open(ICorProfilerInfo3 *info, ID module, ilp_image *of)
    {
        image = of;
        return info->GetModuleMetaData(module, ofWrite, IID_IMetaDataEmit2,
                                       reinterpret_cast<void **>(emit.out())) >= 0 &&
               emit->QueryInterface(IID_IMetaDataAssemblyEmit,
                                    reinterpret_cast<void **>(assembly_emit.out())) >= 0;
    }

    ilp_emitter functions()
    {
        ilp_emitter emitter = {};
        emitter.user = this;
        emitter.assembly_ref = assembly_ref;
        emitter.type_ref = [](void *user, ilp_token scope, const char *name_space, const char *name,
                              ilp_token *token, ilp_error *) {
            auto full = *name_space ? std::string(name_space) + "." + name : std::string(name);
            return answer(self(user).emit->DefineTypeRefByName(scope, wide(full).c_str(), token));
        };
        emitter.member_ref = [](void *user, ilp_token parent, const char *name, ilp_bytes blob,
                                ilp_token *token, ilp_error *) {
            return answer(self(user).emit->DefineMemberRef(parent, wide(name).c_str(), blob.data,
                                                           size(blob), token));
        };
        emitter.type_spec = [](void *user, ilp_bytes blob, ilp_token *token, ilp_error *) {
            return answer(self(user).emit->GetTokenFromTypeSpec(blob.data, size(blob), token));
        };
        emitter.method_spec = [](void *user, ilp_token method, ilp_bytes blob, ilp_token *token,
                                 ilp_error *) {
            return answer(self(user).emit->DefineMethodSpec(method, blob.data, size(blob), token));
        };
        emitter.standalone_sig = [](void *user, ilp_bytes blob, ilp_token *token, ilp_error *) {
            return answer(self(user).emit->GetTokenFromSig(blob.data, size(blob), token));
        };
        emitter.user_string = [](void *user, ilp_bytes utf8, ilp_token *token, ilp_error *) {
            auto text = wide(reinterpret_cast<const char *>(utf8.data), utf8.size);
            return answer(self(user).emit->DefineUserString(
                text.c_str(), static_cast<ULONG>(text.size()), token));
        };
        return emitter;
    }

  private:
    static Emitter &self(void *user)
    {
        return *static_cast<Emitter *>(user);
    }
    static ilp_status answer(HRESULT result)
    {
        return result >= 0 ? ILP_OK : ILP_E_CALLBACK;
    }
    static ULONG size(ilp_bytes bytes)
    {
        return static_cast<ULONG>(bytes.size);
    }

    // Trap: of all rows, the runtime does not find an AssemblyRef that is there: it would make a
    // second one.
    static ilp_status assembly_ref(void *user, const ilp_assembly_name *name, ilp_token *token,
                                   ilp_error *)
    {
        for (ilp_rid rid = 1; rid <= ilp_row_count(self(user).image, ILP_AssemblyRef); rid++) {
            auto text = ilp_string(self(user).image, ilp_cell(self(user).image, ILP_AssemblyRef,
                                                              rid, ILP_AssemblyRef_Name));
            if (std::strcmp(text, name->name) == 0) {
                *token = ILP_TOKEN(ILP_AssemblyRef, rid);
                return ILP_OK;
            }
        }
        AssemblyMetadata metadata = {};
        std::memcpy(metadata.version, name->version, sizeof metadata.version);
        return answer(self(user).assembly_emit->DefineAssemblyRef(
            name->key.data, size(name->key), wide(name->name).c_str(), &metadata, nullptr, 0,
            name->flags, token));
    }

    ilp_image *image = nullptr;
    Owned<IMetaDataEmit2> emit;
    Owned<IMetaDataAssemblyEmit> assembly_emit;
};

#endif
