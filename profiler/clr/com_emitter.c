/* Adds rows to a running module. The runtime itself finds equal TypeRefs, MemberRefs and
 * signatures; it would duplicate AssemblyRefs, so these are looked up here. See com_emitter.h.
 *
 *   struct ilp_emitter --> IMetaDataEmit2, IMetaDataAssemblyEmit --> the module's metadata
 *                      \-> overlays: the same rows for the verifier, which reads the original image
 *
 * Rows can be added, but not removed: one that a method which is refused afterwards has requested
 * stays, unused. A module whose metadata the program may update by itself (updates.c) gets none. */
#include "profiler/clr/com_emitter.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "profiler/clr/updates.h"
#include "profiler/clr/wide.h"

ilp_status com_answer(HRESULT result, const char *function, struct ilp_error *error)
{
    return result >= 0
               ? ILP_OK
               : ilpi_fail(error, ILP_E_CALLBACK, ILPI_NO_OFFSET, 0,
                           "the runtime returns 0x%08X from %s", (unsigned)result, function);
}

/* For damaged metadata the runtime may return success and the token of no row: IL with that token
 * would not compile. */
static ilp_status check_token(HRESULT result, const char *function, ilp_token token,
                              struct ilp_error *error)
{
    ILPI_TRY(com_answer(result, function, error));
    if (ILP_TOKEN_RID(token) != 0) {
        return ILP_OK;
    }
    return ilpi_fail(error, ILP_E_CALLBACK, ILPI_NO_OFFSET, 0,
                     "the runtime returns the nil token 0x%08X from %s, as for damaged metadata",
                     token, function);
}

static struct ilp_bytes text_bytes(const char *text)
{
    return (struct ilp_bytes){(const uint8_t *)text, strlen(text)};
}

/* Adds rows that only the runtime has to the overlays. Cells are given in the form of the table's
 * columns; what is not named is 0. */
static ilp_status note_row(const struct com_emitter *emitter, ilp_token token,
                           const struct ilpi_overlay_cell cells[], struct ilp_error *error)
{
    for (size_t i = 0; i < sizeof emitter->overlays / sizeof emitter->overlays[0]; i++) {
        if (emitter->overlays[i]) {
            ILPI_TRY(ilpi_overlay_row(emitter->overlays[i], token, cells, error));
        }
    }
    return ILP_OK;
}

/* The interfaces; a module with read-only metadata has none. */
static ilp_status get_interfaces(struct com_emitter *emitter, struct ilp_error *error)
{
    struct guid emit_id = guid_of(ID_IMetaDataEmit2);
    struct guid assembly_id = guid_of(ID_IMetaDataAssemblyEmit);
    if (emitter->fixed_by) {
        return ilpi_fail(error, ILP_E_CALLBACK, ILPI_NO_OFFSET, 0,
                         "%s lets the program update this module while it runs, which rows that "
                         "are added would prevent;"
                         " without that variable it is inspected",
                         emitter->fixed_by);
    }
    if (!emitter->emit) {
        ILPI_TRY(com_answer(CALL(ICorProfilerInfo, GetModuleMetaData,
                                 emitter->info)(emitter->info, emitter->module, OF_READ | OF_WRITE,
                                                &emit_id, &emitter->emit),
                            "GetModuleMetaData", error));
    }
    return com_answer(CALL(IUnknown, QueryInterface, emitter->emit)(emitter->emit, &assembly_id,
                                                                    &emitter->assembly_emit),
                      "QueryInterface(IMetaDataAssemblyEmit)", error);
}

static ilp_status get_ready(struct com_emitter *emitter, struct ilp_error *error)
{
    return emitter->assembly_emit ? ILP_OK : get_interfaces(emitter, error);
}

static ilp_token existing_assembly_ref(const struct ilp_image *image, const char *name)
{
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_AssemblyRef); rid++) {
        uint32_t there = ilp_cell(image, ILP_AssemblyRef, rid, ILP_AssemblyRef_Name);
        if (strcmp(ilp_string(image, there), name) == 0) {
            return ILP_TOKEN(ILP_AssemblyRef, rid);
        }
    }
    return 0;
}

/* Called once for each inspector and once for the core library. */
static ilp_status assembly_ref(void *user, const struct ilp_assembly_name *name, ilp_token *token,
                               struct ilp_error *error)
{
    struct com_emitter *emitter = user;
    struct assembly_metadata metadata = {.culture = NULL};
    ILPI_TRY(get_ready(emitter, error));
    *token = existing_assembly_ref(emitter->image, name->name);
    if (*token != 0) {
        return ILP_OK;
    }
    memcpy(metadata.version, name->version, sizeof metadata.version);
    WCHAR *wide = wide_of(text_bytes(name->name), NULL);
    if (!wide) {
        return ilpi_fail_memory(error, strlen(name->name));
    }
    HRESULT result = CALL(IMetaDataAssemblyEmit, DefineAssemblyRef, emitter->assembly_emit)(
        emitter->assembly_emit, name->key.data, (ULONG)name->key.size, wide, &metadata, NULL, 0,
        name->flags, token);
    free(wide);
    ILPI_TRY(check_token(result, "DefineAssemblyRef", *token, error));
    const struct ilpi_overlay_cell cells[ILP_MAX_COLUMNS] = {
        [ILP_AssemblyRef_MajorVersion] = {.number = name->version[0]},
        [ILP_AssemblyRef_MinorVersion] = {.number = name->version[1]},
        [ILP_AssemblyRef_BuildNumber] = {.number = name->version[2]},
        [ILP_AssemblyRef_RevisionNumber] = {.number = name->version[3]},
        [ILP_AssemblyRef_Flags] = {.number = name->flags},
        [ILP_AssemblyRef_PublicKeyOrToken] = {.bytes = name->key},
        [ILP_AssemblyRef_Name] = {.bytes = text_bytes(name->name)},
    };
    return note_row(emitter, *token, cells, error);
}

/* The runtime's function takes one name with a dot; the overlay gets both parts, as the TypeRef row
 * has them. The overlays are views of the metadata with the new rows, for the verifier. */
static ilp_status type_ref(void *user, ilp_token scope, const char *name_space, const char *name,
                           ilp_token *token, struct ilp_error *error)
{
    struct com_emitter *emitter = user;
    char *full = NULL;
    ILPI_TRY(get_ready(emitter, error));
    if (asprintf(&full, "%s%s%s", name_space, name_space[0] != '\0' ? "." : "", name) < 0) {
        return ilpi_fail_memory(error, strlen(name));
    }
    WCHAR *wide = wide_of(text_bytes(full), NULL);
    free(full);
    if (!wide) {
        return ilpi_fail_memory(error, strlen(name));
    }
    HRESULT result = CALL(IMetaDataEmit, DefineTypeRefByName, emitter->emit)(emitter->emit, scope,
                                                                             wide, token);
    free(wide);
    ILPI_TRY(check_token(result, "DefineTypeRefByName", *token, error));
    const struct ilpi_overlay_cell cells[ILP_MAX_COLUMNS] = {
        [ILP_TypeRef_ResolutionScope] = {.number = scope},
        [ILP_TypeRef_TypeName] = {.bytes = text_bytes(name)},
        [ILP_TypeRef_TypeNamespace] = {.bytes = text_bytes(name_space)},
    };
    return note_row(emitter, *token, cells, error);
}

/* `parent` is the TypeRef, TypeSpec or MethodDef that has the member. */
static ilp_status member_ref(void *user, ilp_token parent, const char *name,
                             struct ilp_bytes signature, ilp_token *token, struct ilp_error *error)
{
    struct com_emitter *emitter = user;
    ILPI_TRY(get_ready(emitter, error));
    WCHAR *wide = wide_of(text_bytes(name), NULL);
    if (!wide) {
        return ilpi_fail_memory(error, strlen(name));
    }
    HRESULT result = CALL(IMetaDataEmit, DefineMemberRef, emitter->emit)(
        emitter->emit, parent, wide, signature.data, (ULONG)signature.size, token);
    free(wide);
    ILPI_TRY(check_token(result, "DefineMemberRef", *token, error));
    const struct ilpi_overlay_cell cells[ILP_MAX_COLUMNS] = {
        [ILP_MemberRef_Class] = {.number = parent},
        [ILP_MemberRef_Name] = {.bytes = text_bytes(name)},
        [ILP_MemberRef_Signature] = {.bytes = signature},
    };
    return note_row(emitter, *token, cells, error);
}

/* The runtime finds a signature by comparing it with all rows: for StandAloneSig of the F# compiler
 * that takes 0.1 ms. Most methods return few types, and have few kinds of locals, so the last
 * signature of each hash is cached. Most modules have few compiled methods, so slots are allocated
 * in groups on demand. */
enum { SIGNATURE_GROUP = 64 };

static struct known_signature *place_of(struct known_signatures *known, struct ilp_bytes signature)
{
    uint64_t hash = XXH3_64bits(signature.data, signature.size);
    struct known_signature **group = &known->groups[hash % SIGNATURE_GROUPS];
    if (!*group) {
        *group = calloc(SIGNATURE_GROUP, sizeof **group);
    }
    return *group ? &(*group)[hash / SIGNATURE_GROUPS % SIGNATURE_GROUP] : NULL;
}

static bool is_known(const struct known_signature *known, struct ilp_bytes signature)
{
    return known->signature && known->size == signature.size &&
           memcmp(known->signature, signature.data, signature.size) == 0;
}

/* Without memory the runtime searches again. */
static void remember(struct known_signature *known, struct ilp_bytes signature, ilp_token token)
{
    free(known->signature);
    *known = (struct known_signature){malloc(signature.size), signature.size, token};
    if (known->signature) {
        memcpy(known->signature, signature.data, signature.size);
    }
}

static void forget_signatures(struct known_signatures *known)
{
    for (unsigned group = 0; group < SIGNATURE_GROUPS; group++) {
        for (unsigned i = 0; known->groups[group] && i < SIGNATURE_GROUP; i++) {
            free(known->groups[group][i].signature);
        }
        free(known->groups[group]);
        known->groups[group] = NULL;
    }
}

enum signature_row { ROW_TYPE_SPEC, ROW_STANDALONE_SIG };

/* The token of a signature that has a row of its own. A cached token needs no new row in the
 * overlays: it was noted when it was made. */
static ilp_status signature_token(struct com_emitter *emitter, enum signature_row row,
                                  struct ilp_bytes signature, ilp_token *token,
                                  struct ilp_error *error)
{
    bool spec = row == ROW_TYPE_SPEC;
    ILPI_TRY(get_ready(emitter, error));
    struct known_signature *known = place_of(spec ? &emitter->specs : &emitter->standalone,
                                             signature);
    if (known && is_known(known, signature)) {
        *token = known->token;
        return ILP_OK;
    }
    void *emit = emitter->emit;
    ULONG size = (ULONG)signature.size;
    HRESULT result =
        spec ? CALL(IMetaDataEmit, GetTokenFromTypeSpec, emit)(emit, signature.data, size, token)
             : CALL(IMetaDataEmit, GetTokenFromSig, emit)(emit, signature.data, size, token);
    ILPI_TRY(check_token(result, spec ? "GetTokenFromTypeSpec" : "GetTokenFromSig", *token, error));
    if (known) {
        remember(known, signature, *token);
    }
    static_assert((int)ILP_TypeSpec_Signature == (int)ILP_StandAloneSig_Signature,
                  "the only column");
    const struct ilpi_overlay_cell cells[ILP_MAX_COLUMNS] = {
        [ILP_TypeSpec_Signature] = {.bytes = signature}};
    return note_row(emitter, *token, cells, error);
}

static ilp_status type_spec(void *user, struct ilp_bytes signature, ilp_token *token,
                            struct ilp_error *error)
{
    return signature_token(user, ROW_TYPE_SPEC, signature, token, error);
}

static ilp_status method_spec(void *user, ilp_token method, struct ilp_bytes instantiation,
                              ilp_token *token, struct ilp_error *error)
{
    struct com_emitter *emitter = user;
    ILPI_TRY(get_ready(emitter, error));
    void *emit = emitter->emit;
    HRESULT result = CALL(IMetaDataEmit2, DefineMethodSpec, emit)(emit, method, instantiation.data,
                                                                  (ULONG)instantiation.size, token);
    ILPI_TRY(check_token(result, "DefineMethodSpec", *token, error));
    const struct ilpi_overlay_cell cells[ILP_MAX_COLUMNS] = {
        [ILP_MethodSpec_Method] = {.number = method},
        [ILP_MethodSpec_Instantiation] = {.bytes = instantiation},
    };
    return note_row(emitter, *token, cells, error);
}

static ilp_status standalone_sig(void *user, struct ilp_bytes signature, ilp_token *token,
                                 struct ilp_error *error)
{
    return signature_token(user, ROW_STANDALONE_SIG, signature, token, error);
}

/* Only the token is noted in the overlays: no check reads the text. */
static ilp_status user_string(void *user, struct ilp_bytes utf8, ilp_token *token,
                              struct ilp_error *error)
{
    struct com_emitter *emitter = user;
    ULONG count;
    ILPI_TRY(get_ready(emitter, error));
    WCHAR *wide = wide_of(utf8, &count);
    if (!wide) {
        return ilpi_fail_memory(error, utf8.size);
    }
    HRESULT result = CALL(IMetaDataEmit, DefineUserString, emitter->emit)(emitter->emit, wide,
                                                                          count, token);
    free(wide);
    ILPI_TRY(check_token(result, "DefineUserString", *token, error));
    for (size_t i = 0; i < sizeof emitter->overlays / sizeof emitter->overlays[0]; i++) {
        if (emitter->overlays[i]) {
            ilpi_overlay_user_string(emitter->overlays[i], *token);
        }
    }
    return ILP_OK;
}

/* The interfaces are requested when the first row is needed: most modules get none. */
void com_emitter_open(struct com_emitter *emitter, void *info, ModuleID module,
                      struct ilp_image *image)
{
    *emitter = (struct com_emitter){
        .image = image,
        .info = info,
        .module = module,
        .fixed_by = updates_allowed_by(image),
        .interface = {.user = emitter,
                      .assembly_ref = assembly_ref,
                      .type_ref = type_ref,
                      .member_ref = member_ref,
                      .type_spec = type_spec,
                      .method_spec = method_spec,
                      .standalone_sig = standalone_sig,
                      .user_string = user_string},
    };
}

void com_emitter_close(struct com_emitter *emitter)
{
    void *const interfaces[] = {emitter->assembly_emit, emitter->emit};
    for (size_t i = 0; i < sizeof interfaces / sizeof interfaces[0]; i++) {
        if (interfaces[i]) {
            CALL(IUnknown, Release, interfaces[i])(interfaces[i]);
        }
    }
    emitter->emit = emitter->assembly_emit = NULL;
    forget_signatures(&emitter->specs);
    forget_signatures(&emitter->standalone);
}
