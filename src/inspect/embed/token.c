/* Maps tokens and signatures of the inspector to those of the module. See embed.h.
 *
 *   TypeDef, MethodDef, Field   the row that is added for it
 *   TypeRef                     the same type, from the module's own core library:
 *                               a TypeDef if the module is the core library
 *   MemberRef, TypeSpec, MethodSpec, StandAloneSig
 *                               a row with the same content, tokens and signature mapped */
#include "inspect/embed/token.h"

#include "base/utf8.h"
#include "inspect/embed/member.h"
#include "inspect/embed/scope.h"
#include "sig/sig.h"

/* Compilers nest tokens in signatures less deeply. */
#define MAX_DEPTH 64u

static const char *string_of(const struct ilpi_embedding *embedding, unsigned table, ilp_rid rid,
                             unsigned column)
{
    return ilp_string(embedding->from, ilp_cell(embedding->from, table, rid, column));
}

/* ---- signatures ---- */

static ilp_status map_token(void *user, ilp_token from, ilp_token *to, struct ilp_error *error)
{
    ILPI_TRY(ilpi_embed_token(user, from, to, error));
    if (!((struct ilpi_embedding *)user)->committing) {
        *to = from;
    }
    return ILP_OK;
}

/* Appends the mapped signature to `out`. */
static ilp_status write_signature(struct ilpi_embedding *embedding, uint32_t blob,
                                  enum ilp_sig_kind kind, struct ilpi_buf *out,
                                  struct ilp_error *error)
{
    struct ilp_bytes bytes = ilp_blob(embedding->from, blob);
    struct ilpi_sig_map map = {embedding, map_token};
    struct ilp_sig *sig;
    if (embedding->depth == 0) { /* else the buffer still holds an outer signature */
        ilpi_arena_reset(&embedding->signatures);
    }
    ILPI_TRY(ilpi_spend(&embedding->budget, bytes.size + 16, error));
    ILPI_TRY(ilp_sig_read(&sig, bytes, kind, ilpi_blob_offset(embedding->from, blob),
                          &embedding->signatures, error));
    if (sig->kind == ILP_SIG_METHOD && (sig->convention & ILP_CALL_MASK) == ILP_CALL_VARARG) {
        return ilpi_embed_refuse(embedding, 0, error, "it has a method with variable arguments");
    }
    embedding->depth++;
    ilp_status status = ilpi_sig_write(out, sig, &map, error);
    embedding->depth--;
    return status;
}

ilp_status ilpi_embed_signature(struct ilpi_embedding *embedding, uint32_t blob,
                                enum ilp_sig_kind kind, uint32_t *offset, struct ilp_error *error)
{
    struct ilpi_buf out = {.alloc = embedding->alloc};
    ilp_status status = write_signature(embedding, blob, kind, &out, error);
    if (status == ILP_OK) {
        status = ilpi_embed_blob(embedding, ilpi_buf_bytes(&out), offset, error);
    }
    ilpi_buf_free(&out);
    return status;
}

/* ---- the core library's types and members ---- */

/* A nested type is in the scope of the type around it, which decides whether it was found; with a
 * definition at hand its own existence is checked, too. */
static ilp_status nested_ref(struct ilpi_embedding *embedding, ilp_rid rid, ilp_token outer,
                             ilp_token *scope, struct ilp_error *error)
{
    struct ilpi_embed_ref *ref = &embedding->refs[rid];
    ILPI_TRY(ilpi_embed_token(embedding, outer, scope, error));
    if (ILP_TOKEN_TABLE(outer) != ILP_TypeRef) {
        return ILP_OK;
    }
    struct ilpi_type_def def = embedding->refs[ILP_TOKEN_RID(outer)].def;
    *ref = (struct ilpi_embed_ref){.found = embedding->refs[ILP_TOKEN_RID(outer)].found};
    if (def.image) {
        ref->def.rid = ilpi_find_type(
            def.image, def.rid, string_of(embedding, ILP_TypeRef, rid, ILP_TypeRef_TypeNamespace),
            string_of(embedding, ILP_TypeRef, rid, ILP_TypeRef_TypeName));
        ref->def.image = ref->def.rid != 0 ? def.image : NULL;
        ref->found = ref->def.rid != 0;
    }
    return ILP_OK;
}

/* While planning the reference is found and stored in `ref`; while committing only what was planned
 * is made. */
static ilp_status top_ref(struct ilpi_embedding *embedding, ilp_rid rid, ilp_token *scope,
                          struct ilpi_embed_ref *ref, struct ilp_error *error)
{
    bool offered;
    if (!embedding->committing) {
        ILPI_TRY(ilpi_embed_find(embedding, rid, ref, &offered, error));
    }
    *scope = ref->scope;
    return embedding->committing && ref->scope == 0
               ? embedding->emitter->assembly_ref(embedding->emitter->user, &ref->add, scope, error)
               : ILP_OK;
}

/* *to is final only while committing. A TypeRef in scope of the module itself is the inspector's
 * own type. */
static ilp_status type_ref(struct ilpi_embedding *embedding, ilp_rid rid, ilp_token *to,
                           struct ilp_error *error)
{
    ilp_token scope = ilp_cell(embedding->from, ILP_TypeRef, rid, ILP_TypeRef_ResolutionScope);
    const char *name_space = string_of(embedding, ILP_TypeRef, rid, ILP_TypeRef_TypeNamespace);
    const char *name = string_of(embedding, ILP_TypeRef, rid, ILP_TypeRef_TypeName);
    struct ilpi_embed_ref *ref = &embedding->refs[rid];
    unsigned table = ILP_TOKEN_TABLE(scope);
    if (table == ILP_Module) { /* the inspector's own type by name (II.22.38) */
        ilp_rid own = ilpi_find_type(embedding->from, 0, name_space, name);
        if (own != 0) {
            return ilpi_embed_token(embedding, ILP_TOKEN(ILP_TypeDef, own), to, error);
        }
    } else if (table == ILP_TypeRef) {
        ILPI_TRY(nested_ref(embedding, rid, scope, &scope, error));
    } else if (table == ILP_AssemblyRef && scope != 0) {
        ILPI_TRY(top_ref(embedding, rid, &scope, ref, error));
    }
    if (!ref->found) {
        return ilpi_embed_refuse(embedding, ILP_TOKEN(ILP_TypeRef, rid), error,
                                 "the core library of the module does not offer %.200s",
                                 ilpi_embed_name(embedding, ILP_TOKEN(ILP_TypeRef, rid)));
    }
    if (embedding->committing && ref->def.image == embedding->to) {
        *to = ILP_TOKEN(ILP_TypeDef, ref->def.rid);
        return ILP_OK;
    }
    return embedding->committing ? embedding->emitter->type_ref(embedding->emitter->user, scope,
                                                                name_space, name, to, error)
                                 : ILP_OK;
}

/* The TypeRef that a member's parent is, or is an instance of; 0 for others, such as arrays. */
static ilp_status parent_ref(struct ilpi_embedding *embedding, ilp_token parent, ilp_rid *ref,
                             struct ilp_error *error)
{
    *ref = ILP_TOKEN_TABLE(parent) == ILP_TypeRef ? ILP_TOKEN_RID(parent) : 0;
    if (ILP_TOKEN_TABLE(parent) == ILP_TypeSpec) {
        uint32_t blob = ilp_cell(embedding->from, ILP_TypeSpec, ILP_TOKEN_RID(parent),
                                 ILP_TypeSpec_Signature);
        struct ilp_sig *sig;
        ILPI_TRY(ilpi_spend(&embedding->budget, ilp_blob(embedding->from, blob).size + 16, error));
        ILPI_TRY(ilp_sig_read(&sig, ilp_blob(embedding->from, blob), ILP_SIG_TYPE_SPEC,
                              ilpi_blob_offset(embedding->from, blob), &embedding->signatures,
                              error));
        const struct ilp_type *type = ilpi_type_unmodified(sig->ret);
        bool instance = type->element == ILP_ELEMENT_GENERICINST &&
                        ILP_TOKEN_TABLE(type->inner->token) == ILP_TypeRef;
        *ref = instance ? ILP_TOKEN_RID(type->inner->token) : 0;
    }
    return ILP_OK;
}

/* Searches the core library for the member. *own is its row if the module itself has it and the row
 * is enough: a member of a generic type needs an instance. */
static ilp_status find_member(struct ilpi_embedding *embedding, ilp_rid rid, ilp_token parent,
                              ilp_token *own, struct ilp_error *error)
{
    ilp_rid ref;
    struct ilpi_embed_member member;
    *own = 0;
    ILPI_TRY(parent_ref(embedding, parent, &ref, error));
    if (ref == 0 || !embedding->refs[ref].def.image) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_embed_find_member(embedding, &embedding->refs[ref].def, rid, &member, error));
    if (!member.image) {
        return ilpi_embed_refuse(embedding, ILP_TOKEN(ILP_MemberRef, rid), error,
                                 "the core library of the module does not offer %.120s::%.80s",
                                 ilpi_embed_name(embedding, ILP_TOKEN(ILP_TypeRef, ref)),
                                 string_of(embedding, ILP_MemberRef, rid, ILP_MemberRef_Name));
    }
    if (member.image == embedding->to && !member.inherited_instance &&
        ILP_TOKEN_TABLE(parent) == ILP_TypeRef) {
        *own = member.token;
    }
    return ILP_OK;
}

/* ---- rows with a signature ---- */

/* If the module is the core library itself, the member's own row is used; otherwise a MemberRef
 * with the mapped parent and signature. */
static ilp_status member_ref(struct ilpi_embedding *embedding, ilp_rid rid, struct ilpi_buf *blob,
                             ilp_token *to, struct ilp_error *error)
{
    ilp_token parent = ilp_cell(embedding->from, ILP_MemberRef, rid, ILP_MemberRef_Class);
    ilp_token mapped;
    ilp_token own;
    unsigned table = ILP_TOKEN_TABLE(parent);
    if (parent == 0 || (table != ILP_TypeDef && table != ILP_TypeRef && table != ILP_TypeSpec)) {
        return ilpi_embed_refuse(embedding, ILP_TOKEN(ILP_MemberRef, rid), error,
                                 "%.100s is a function of another module or has variable arguments",
                                 string_of(embedding, ILP_MemberRef, rid, ILP_MemberRef_Name));
    }
    ILPI_TRY(ilpi_embed_token(embedding, parent, &mapped, error));
    ILPI_TRY(find_member(embedding, rid, parent, &own, error));
    if (embedding->committing && own != 0) {
        *to = own;
        return ILP_OK;
    }
    ILPI_TRY(write_signature(embedding,
                             ilp_cell(embedding->from, ILP_MemberRef, rid, ILP_MemberRef_Signature),
                             ILP_SIG_STANDALONE, blob, error));
    return embedding->committing ? embedding->emitter->member_ref(
                                       embedding->emitter->user, mapped,
                                       string_of(embedding, ILP_MemberRef, rid, ILP_MemberRef_Name),
                                       ilpi_buf_bytes(blob), to, error)
                                 : ILP_OK;
}

static ilp_status type_spec(struct ilpi_embedding *embedding, ilp_rid rid, struct ilpi_buf *blob,
                            ilp_token *to, struct ilp_error *error)
{
    ILPI_TRY(write_signature(embedding,
                             ilp_cell(embedding->from, ILP_TypeSpec, rid, ILP_TypeSpec_Signature),
                             ILP_SIG_TYPE_SPEC, blob, error));
    return embedding->committing ? embedding->emitter->type_spec(embedding->emitter->user,
                                                                 ilpi_buf_bytes(blob), to, error)
                                 : ILP_OK;
}

static ilp_status method_spec(struct ilpi_embedding *embedding, ilp_rid rid, struct ilpi_buf *blob,
                              ilp_token *to, struct ilp_error *error)
{
    ilp_token method;
    ILPI_TRY(ilpi_embed_token(embedding,
                              ilp_cell(embedding->from, ILP_MethodSpec, rid, ILP_MethodSpec_Method),
                              &method, error));
    ILPI_TRY(write_signature(
        embedding, ilp_cell(embedding->from, ILP_MethodSpec, rid, ILP_MethodSpec_Instantiation),
        ILP_SIG_METHOD_SPEC, blob, error));
    return embedding->committing ? embedding->emitter->method_spec(embedding->emitter->user, method,
                                                                   ilpi_buf_bytes(blob), to, error)
                                 : ILP_OK;
}

static ilp_status standalone_sig(struct ilpi_embedding *embedding, ilp_rid rid,
                                 struct ilpi_buf *blob, ilp_token *to, struct ilp_error *error)
{
    ILPI_TRY(write_signature(
        embedding, ilp_cell(embedding->from, ILP_StandAloneSig, rid, ILP_StandAloneSig_Signature),
        ILP_SIG_STANDALONE, blob, error));
    return embedding->committing ? embedding->emitter->standalone_sig(
                                       embedding->emitter->user, ilpi_buf_bytes(blob), to, error)
                                 : ILP_OK;
}

/* ---- tokens ---- */

static ilp_status map_row(struct ilpi_embedding *embedding, enum ilpi_embed_memo memo, ilp_rid rid,
                          struct ilpi_buf *blob, ilp_token *to, struct ilp_error *error)
{
    switch (memo) {
    case ILPI_MEMO_TYPE_REF: return type_ref(embedding, rid, to, error);
    case ILPI_MEMO_TYPE_SPEC: return type_spec(embedding, rid, blob, to, error);
    case ILPI_MEMO_MEMBER_REF: return member_ref(embedding, rid, blob, to, error);
    case ILPI_MEMO_METHOD_SPEC: return method_spec(embedding, rid, blob, to, error);
    default: return standalone_sig(embedding, rid, blob, to, error);
    }
}

/* Each row is mapped once. While it is being mapped, *known stays 0, so a TypeSpec that contains
 * itself is met again with a greater depth, and refused at MAX_DEPTH. Results of the plan are
 * placeholders; commit() clears them. */
static ilp_status map_memoized(struct ilpi_embedding *embedding, enum ilpi_embed_memo memo,
                               ilp_rid rid, ilp_token *to, struct ilp_error *error)
{
    struct ilpi_buf blob = {.alloc = embedding->alloc};
    ilp_token *known = &embedding->memo[memo][rid];
    *to = *known;
    if (*known != 0) {
        return ILP_OK;
    }
    if (embedding->depth >= MAX_DEPTH) {
        return ilpi_embed_refuse(embedding, 0, error, "types are nested more than %u deep",
                                 MAX_DEPTH);
    }
    embedding->depth++;
    *to = 1; /* while planning: any value that is not 0 */
    ilp_status status = map_row(embedding, memo, rid, &blob, to, error);
    embedding->depth--;
    ilpi_buf_free(&blob);
    if (status == ILP_OK) {
        *known = *to;
    }
    return status;
}

/* A type that keeps its name: the module's own type of that name, if there is one. */
static ilp_rid find_shared(const struct ilpi_embedding *embedding, ilp_rid type)
{
    const char *name_space;
    const char *name;
    ilpi_type_name(embedding->from, ILP_TOKEN(ILP_TypeDef, type), &name_space, &name);
    return ilpi_embed_keeps_name(embedding, type)
               ? ilpi_find_type(embedding->to, 0, name_space, name)
               : 0;
}

/* Only the constructor of such a type is used. */
static ilp_status map_shared(struct ilpi_embedding *embedding, ilp_token from, ilp_rid shared,
                             ilp_token *to, struct ilp_error *error)
{
    static const uint8_t no_arguments[] = {ILP_CALL_HASTHIS, 0, ILP_ELEMENT_VOID};
    const struct ilp_image *image = embedding->to;
    ilp_rid first;
    ilp_rid end;
    *to = ILP_TOKEN(ILP_TypeDef, shared);
    if (ILP_TOKEN_TABLE(from) == ILP_TypeDef) {
        return ILP_OK;
    }
    ilpi_list(image, ILP_TypeDef, shared, ILP_TypeDef_MethodList, &first, &end);
    for (; first < end; first++) {
        struct ilp_bytes signature =
            ilp_blob(image, ilp_cell(image, ILP_MethodDef, first, ILP_MethodDef_Signature));
        if (signature.size == sizeof no_arguments &&
            memcmp(signature.data, no_arguments, sizeof no_arguments) == 0 &&
            ilpi_string_is(image, ilp_cell(image, ILP_MethodDef, first, ILP_MethodDef_Name),
                           ".ctor")) {
            *to = ILP_TOKEN(ILP_MethodDef, first);
            return ILP_OK;
        }
    }
    return ilpi_embed_refuse(embedding, from, error, "the module has another %.200s",
                             ilpi_embed_name(embedding, from));
}

/* The number of an inspector's own row among the added rows: `places` by rid, after `first`. */
struct own_row {
    ilp_rid type;
    const uint32_t *places;
    ilp_rid first;
};

/* A row of the inspector itself:
 *
 *   planning     the type is included, and the token returned as it is
 *   committing   rows before the added ones + its number among them */
static ilp_status map_own(struct ilpi_embedding *embedding, ilp_token from, struct own_row row,
                          ilp_token *to, struct ilp_error *error)
{
    ilp_rid type = row.type;
    if (type <= 1) {
        return ilpi_embed_refuse(embedding, from, error, "it uses a global field or function");
    }
    ilp_rid shared = find_shared(embedding, type);
    if (shared != 0) {
        return map_shared(embedding, from, shared, to, error);
    }
    if (!embedding->committing) {
        *to = from;
        return ilpi_embed_include(embedding, type, error);
    }
    *to = ILP_TOKEN(ILP_TOKEN_TABLE(from), row.first + row.places[ILP_TOKEN_RID(from)]);
    return ILP_OK;
}

static ilp_status bad_token(const struct ilpi_embedding *embedding, ilp_token from,
                            struct ilp_error *error)
{
    return ilpi_embed_refuse(embedding, from, error, "0x%08X is not a token that is allowed here",
                             (unsigned)from);
}

/* Total over all kinds of tokens that a body or a signature may have; anything else is an error of
 * the inspector. */
ilp_status ilpi_embed_token(struct ilpi_embedding *embedding, ilp_token from, ilp_token *to,
                            struct ilp_error *error)
{
    ilp_rid rid = ILP_TOKEN_RID(from);
    unsigned table = ILP_TOKEN_TABLE(from);
    *to = 0;
    if (from == 0) {
        return ILP_OK;
    }
    if (rid == 0 || rid > ilp_row_count(embedding->from, table)) {
        return bad_token(embedding, from, error);
    }
    struct own_row row;
    switch (table) {
    case ILP_TypeDef:
        row = (struct own_row){rid, embedding->types, embedding->first_type};
        return map_own(embedding, from, row, to, error);
    case ILP_Field:
        row = (struct own_row){ilp_owner_of_field(embedding->from, rid), embedding->fields,
                               embedding->first_field};
        return map_own(embedding, from, row, to, error);
    case ILP_MethodDef:
        row = (struct own_row){ilp_owner_of_method(embedding->from, rid), embedding->methods,
                               embedding->first_method};
        return map_own(embedding, from, row, to, error);
    case ILP_TypeRef: return map_memoized(embedding, ILPI_MEMO_TYPE_REF, rid, to, error);
    case ILP_TypeSpec: return map_memoized(embedding, ILPI_MEMO_TYPE_SPEC, rid, to, error);
    case ILP_MemberRef: return map_memoized(embedding, ILPI_MEMO_MEMBER_REF, rid, to, error);
    case ILP_MethodSpec: return map_memoized(embedding, ILPI_MEMO_METHOD_SPEC, rid, to, error);
    case ILP_StandAloneSig:
        return map_memoized(embedding, ILPI_MEMO_STANDALONE_SIG, rid, to, error);
    default: return bad_token(embedding, from, error);
    }
}

/* ---- user strings ---- */

/* A UTF-16 unit as one to three bytes. Halves of a surrogate pair are encoded separately: an edit
 * accepts that, and decodes each to its unit. */
static void put_unit(struct ilpi_buf *utf8, unsigned unit)
{
    uint8_t bytes[4];
    ilpi_buf_bytes_add(utf8, bytes, ilpi_utf8_write(bytes, unit));
}

/* UTF-16 to UTF-8, which an emitter takes, and back in the heap (II.24.2.4): lone surrogates
 * survive. */
ilp_status ilpi_embed_user_string(struct ilpi_embedding *embedding, ilp_token from, ilp_token *to,
                                  struct ilp_error *error)
{
    struct ilp_bytes text = ilp_user_string(embedding->from, from);
    *to = from;
    if (ILP_TOKEN_TABLE(from) != ILP_TOKEN_USER_STRING ||
        ILP_TOKEN_RID(from) >= embedding->from->user_strings.size) {
        return bad_token(embedding, from, error);
    }
    ILPI_TRY(ilpi_spend(&embedding->budget, text.size, error));
    if (!embedding->committing) {
        return ILP_OK;
    }
    struct ilpi_buf utf8 = {.alloc = embedding->alloc};
    for (size_t i = 0; i < text.size; i += 2) {
        put_unit(&utf8, text.data[i] | (unsigned)text.data[i + 1] << 8);
    }
    ilp_status status = utf8.status == ILP_OK
                            ? embedding->emitter->user_string(embedding->emitter->user,
                                                              ilpi_buf_bytes(&utf8), to, error)
                            : ilpi_fail_memory(error, text.size * 2);
    ilpi_buf_free(&utf8);
    return status;
}
