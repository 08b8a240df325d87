/* Checks that the program's assemblies have what an inspector uses of them: a trimmed program lacks
 * types and members that it does not use itself, and a call of one fails at run time.
 *
 *   methods that can be called --tokens of their code--> own types and methods, and so on
 *                                                    --> TypeRefs and MemberRefs: there, or
 *                                                    reported
 *
 * Only reachable code counts, so that unused parts of an inspector's assembly are no reason to
 * refuse it: methods that tokens refer to, and, of types that tokens refer to, virtual methods and
 * static constructors, which the runtime calls by itself. */
#include "base/budget.h"
#include "il/body.h"
#include "inspect/core_scope.h"
#include "inspect/embed/member.h"
#include "inspect/embed/scope.h"
#include "metadata/flags.h"
#include "sig/sig.h"
#include "types/names.h"

/* Compilers nest specifications less deeply. */
#define MAX_DEPTH 64u

/*   NOT_RESOLVED   not visited yet
 *   THERE          `def` is its definition
 *   MISSING        reported
 *   NOT_KNOWN      being visited, or not readable on this machine: not reported */
enum answer { NOT_RESOLVED, THERE, MISSING, NOT_KNOWN };

/* What a TypeRef was resolved to. */
struct type_answer {
    enum answer answer;
    struct ilpi_type_def def; /* THERE */
};

struct needs_walk {
    const struct ilp_needs *needs;
    struct ilp_image *from; /* the inspector's */
    const struct ilp_resolver *resolver;
    /* never planned: it only serves look-ups in core libraries */
    struct ilpi_embedding lookup;
    struct ilp_arena *arena;
    struct ilpi_budget budget;
    struct type_answer *types;      /* by TypeRef */
    uint8_t *seen[ILP_TABLE_COUNT]; /* by row, of the tables below */
    ilp_rid *pending_types;         /* TypeDefs and MethodDefs in the order of discovery */
    ilp_rid *pending_methods;
    uint32_t type_count; /* entries of pending_types */
    uint32_t method_count;
    unsigned depth;       /* of tokens within rows within tokens */
    struct ilpi_buf text; /* of the message in work */
    struct ilp_error *error;
};

static const unsigned walked_tables[] = {ILP_TypeDef,    ILP_MethodDef,  ILP_MemberRef,
                                         ILP_TypeSpec,   ILP_MethodSpec, ILP_StandAloneSig,
                                         ILP_AssemblyRef};

static ilp_status need_token(struct needs_walk *walk, ilp_token token);

/* True at the first call for a row. */
static bool mark(struct needs_walk *walk, unsigned table, ilp_rid rid)
{
    uint8_t *seen = &walk->seen[table][rid];
    bool first = *seen == 0;
    *seen = 1;
    return first;
}

static ilp_status report(struct needs_walk *walk)
{
    ilpi_buf_u8(&walk->text, 0);
    if (walk->text.status != ILP_OK) {
        return ilpi_fail_memory(walk->error, walk->text.size);
    }
    walk->needs->missing(walk->needs->user, (const char *)walk->text.data);
    return ILP_OK;
}

static struct ilpi_buf *begin_text(struct needs_walk *walk)
{
    walk->text.size = 0;
    return &walk->text;
}

/* ---- types ---- */

/* The scope of a TypeRef; 0 if its row does not exist. */
static ilp_token scope_of(const struct ilp_image *image, ilp_rid rid)
{
    ilp_token scope = ilp_cell(image, ILP_TypeRef, rid, ILP_TypeRef_ResolutionScope);
    return ILP_TOKEN_RID(scope) <= ilp_row_count(image, ILP_TOKEN_TABLE(scope)) ? scope : 0;
}

/* The outermost reference around a nested one; 0 where nesting is cyclic. */
static ilp_rid outermost_of(const struct ilp_image *image, ilp_rid rid)
{
    for (unsigned i = 0; i < MAX_DEPTH; i++) {
        ilp_token scope = scope_of(image, rid);
        if (ILP_TOKEN_TABLE(scope) != ILP_TypeRef || scope == ILP_TOKEN(ILP_TypeRef, 0)) {
            return rid;
        }
        rid = ILP_TOKEN_RID(scope);
    }
    return 0;
}

/* Whether an assembly forwards the type to another one. */
static bool is_forwarded(struct needs_walk *walk, struct ilp_image *image, ilp_rid rid)
{
    const char *name_space;
    const char *name;
    ilpi_type_name(walk->from, ILP_TOKEN(ILP_TypeRef, rid), &name_space, &name);
    return ilpi_find_exported(image, name_space, name) != 0;
}

/* By the inspector's own reference, as the runtime resolves it. */
static ilp_status find_by_reference(struct needs_walk *walk, ilp_rid rid, struct type_answer *found)
{
    ilp_rid outer = outermost_of(walk->from, rid);
    ilp_token scope = scope_of(walk->from, outer);
    struct ilp_assembly_name name;
    found->def = ilpi_resolve_type(walk->from, ILP_TOKEN(ILP_TypeRef, rid), walk->resolver);
    if (found->def.image || outer == 0 || ILP_TOKEN_TABLE(scope) != ILP_AssemblyRef) {
        found->answer = found->def.image ? THERE : NOT_KNOWN;
        return ILP_OK;
    }
    ilpi_assembly_ref_name(walk->from, ILP_TOKEN_RID(scope), &name);
    struct ilp_image *assembly = walk->resolver->open(walk->resolver->user, &name);
    if (assembly) {
        found->answer = walk->needs->closed || !is_forwarded(walk, assembly, outer) ? MISSING
                                                                                    : NOT_KNOWN;
        return ILP_OK;
    }
    found->answer = NOT_KNOWN; /* or reported once, for all its types */
    if (walk->needs->closed && mark(walk, ILP_AssemblyRef, ILP_TOKEN_RID(scope))) {
        ilpi_buf_text(begin_text(walk), "assembly ");
        ilpi_name_put(&walk->text, name.name);
        return report(walk);
    }
    return ILP_OK;
}

/* In the core library of the module that it is embedded in. */
static ilp_status find_by_module(struct needs_walk *walk, ilp_rid rid, struct type_answer *found)
{
    ilp_token scope = scope_of(walk->from, rid);
    const char *name_space;
    const char *name;
    if (ILP_TOKEN_TABLE(scope) == ILP_TypeRef) { /* need_type() has handled it */
        const struct type_answer *outer = &walk->types[ILP_TOKEN_RID(scope)];
        found->answer = outer->answer == THERE ? MISSING : NOT_KNOWN;
        if (outer->answer == THERE) {
            ilpi_type_name(walk->from, ILP_TOKEN(ILP_TypeRef, rid), &name_space, &name);
            found->def.image = outer->def.image;
            found->def.rid = ilpi_find_type(outer->def.image, outer->def.rid, name_space, name);
            found->answer = found->def.rid != 0 ? THERE : MISSING;
        }
        return ILP_OK;
    }
    struct ilpi_embed_ref ref;
    bool offered;
    found->answer = NOT_KNOWN;
    if (ILP_TOKEN_TABLE(scope) != ILP_AssemblyRef || ILP_TOKEN_RID(scope) == 0 ||
        ilpi_embed_find(&walk->lookup, rid, &ref, &offered, walk->error) != ILP_OK) {
        /* embedding reports why */
        return ILP_OK;
    }
    found->def = ref.def;
    found->answer = !offered ? MISSING : ref.def.image ? THERE : NOT_KNOWN;
    return ILP_OK;
}

/* Each TypeRef is answered once. NOT_KNOWN, for what cannot be checked on this machine, is never
 * reported: this check only finds what is sure to fail. */
static ilp_status need_type(struct needs_walk *walk, ilp_rid rid)
{
    struct type_answer *type = &walk->types[rid];
    ilp_token scope = scope_of(walk->from, rid);
    if (type->answer != NOT_RESOLVED) {
        return ILP_OK;
    }
    type->answer = NOT_KNOWN; /* for a type that is nested in itself */
    if (ILP_TOKEN_TABLE(scope) == ILP_TypeRef) {
        ILPI_TRY(need_token(walk, scope));
    }
    ILPI_TRY(walk->needs->embed ? find_by_module(walk, rid, type)
                                : find_by_reference(walk, rid, type));
    if (type->answer == MISSING) {
        ilpi_name_type(walk->from, begin_text(walk), ILP_TOKEN(ILP_TypeRef, rid));
        return report(walk);
    }
    return ILP_OK;
}

/* ---- signatures ---- */

static ilp_status map_token(void *user, ilp_token from, ilp_token *to, struct ilp_error *error)
{
    (void)error;
    *to = from;
    return need_token(user, from);
}

static ilp_status read_signature(struct needs_walk *walk, uint32_t blob, enum ilp_sig_kind kind,
                                 struct ilp_sig **sig)
{
    struct ilp_bytes bytes = ilp_blob(walk->from, blob);
    ILPI_TRY(ilpi_spend(&walk->budget, bytes.size + 16, walk->error));
    return ilpi_sig_read_valid(sig, bytes, kind, walk->arena, walk->error);
}

/* Needs all types that a signature names. ilpi_sig_write() is the existing walk over its tree. */
static ilp_status need_signature(struct needs_walk *walk, uint32_t blob, enum ilp_sig_kind kind)
{
    struct ilpi_buf out = {.alloc = walk->text.alloc};
    struct ilpi_sig_map map = {walk, map_token};
    struct ilp_sig *sig;
    ILPI_TRY(read_signature(walk, blob, kind, &sig));
    ilp_status status = sig ? ilpi_sig_write(&out, sig, &map, walk->error) : ILP_OK;
    ilpi_buf_free(&out);
    return status;
}

/* ---- members ---- */

/* The TypeRef that a member's parent is, or is an instance of; 0 for the inspector's own types, and
 * arrays. */
static ilp_status parent_of(struct needs_walk *walk, ilp_token parent, ilp_rid *ref)
{
    *ref = ILP_TOKEN_TABLE(parent) == ILP_TypeRef ? ILP_TOKEN_RID(parent) : 0;
    if (ILP_TOKEN_TABLE(parent) == ILP_TypeSpec) {
        struct ilp_sig *sig;
        ILPI_TRY(read_signature(
            walk, ilp_cell(walk->from, ILP_TypeSpec, ILP_TOKEN_RID(parent), ILP_TypeSpec_Signature),
            ILP_SIG_TYPE_SPEC, &sig));
        const struct ilp_type *type = sig ? ilpi_type_unmodified(sig->ret) : NULL;
        bool instance = type && type->element == ILP_ELEMENT_GENERICINST &&
                        ILP_TOKEN_TABLE(type->inner->token) == ILP_TypeRef;
        *ref = instance ? ILP_TOKEN_RID(type->inner->token) : 0;
    }
    return ILP_OK;
}

/* With its signature, since the name may exist with other parameters:
 * "System.String::Contains(char)". */
static ilp_status report_member(struct needs_walk *walk, ilp_rid rid, ilp_rid parent)
{
    struct ilpi_sig_names names = ilpi_sig_names_of(walk->from);
    struct ilpi_buf name = {.alloc = walk->text.alloc};
    struct ilp_sig *sig;
    ILPI_TRY(read_signature(walk, ilp_cell(walk->from, ILP_MemberRef, rid, ILP_MemberRef_Signature),
                            ILP_SIG_STANDALONE, &sig));
    ilpi_name_type(walk->from, &name, ILP_TOKEN(ILP_TypeRef, parent));
    ilpi_buf_text(&name, "::");
    ilpi_name_put(&name, ilp_string(walk->from,
                                    ilp_cell(walk->from, ILP_MemberRef, rid, ILP_MemberRef_Name)));
    ilpi_buf_u8(&name, 0);
    ilp_status status = name.status;
    if (status == ILP_OK && sig) {
        ilpi_sig_text(begin_text(walk), sig, (const char *)name.data, &names);
        status = report(walk);
    }
    ilpi_buf_free(&name);
    return status;
}

/* A member is only searched for if its type was found; the search is that of embedding
 * (embed/member.c), for the same reasons. */
static ilp_status need_member(struct needs_walk *walk, ilp_rid rid)
{
    ilp_token parent = ilp_cell(walk->from, ILP_MemberRef, rid, ILP_MemberRef_Class);
    struct ilpi_embed_member member;
    ilp_rid ref;
    ILPI_TRY(need_token(walk, parent));
    ILPI_TRY(need_signature(walk, ilp_cell(walk->from, ILP_MemberRef, rid, ILP_MemberRef_Signature),
                            ILP_SIG_STANDALONE));
    ILPI_TRY(parent_of(walk, parent, &ref));
    if (ref == 0 || ref > ilp_row_count(walk->from, ILP_TypeRef) ||
        walk->types[ref].answer != THERE) {
        return ILP_OK;
    }
    ilp_status status = ilpi_embed_find_member(&walk->lookup, &walk->types[ref].def, rid, &member,
                                               walk->error);
    if (status != ILP_OK) {
        return ilp_status_class(status) == ILP_CLASS_MEMORY ? status : ILP_OK;
    }
    return member.image ? ILP_OK : report_member(walk, rid, ref);
}

/* ---- tokens ---- */

/* Types and methods wait in lists, because their bodies need a stack of their own; the other rows
 * are followed at once. */
static ilp_status need_row(struct needs_walk *walk, unsigned table, ilp_rid rid)
{
    const struct ilp_image *from = walk->from;
    switch (table) {
    case ILP_TypeDef: walk->pending_types[walk->type_count++] = rid; return ILP_OK;
    case ILP_MethodDef:
        walk->pending_methods[walk->method_count++] = rid;
        return need_token(walk, ILP_TOKEN(ILP_TypeDef, ilp_owner_of_method(from, rid)));
    case ILP_MemberRef: return need_member(walk, rid);
    case ILP_TypeSpec:
        return need_signature(walk, ilp_cell(from, ILP_TypeSpec, rid, ILP_TypeSpec_Signature),
                              ILP_SIG_TYPE_SPEC);
    case ILP_MethodSpec:
        ILPI_TRY(need_token(walk, ilp_cell(from, ILP_MethodSpec, rid, ILP_MethodSpec_Method)));
        return need_signature(walk,
                              ilp_cell(from, ILP_MethodSpec, rid, ILP_MethodSpec_Instantiation),
                              ILP_SIG_METHOD_SPEC);
    default:
        return need_signature(walk,
                              ilp_cell(from, ILP_StandAloneSig, rid, ILP_StandAloneSig_Signature),
                              ILP_SIG_STANDALONE);
    }
}

/* Invalid tokens are ignored: whether the inspector is well-formed is for the verifier. `seen` has
 * one byte for each row, so each is followed once. */
static ilp_status need_token(struct needs_walk *walk, ilp_token token)
{
    unsigned table = ILP_TOKEN_TABLE(token);
    ilp_rid rid = ILP_TOKEN_RID(token);
    if (rid == 0 || rid > ilp_row_count(walk->from, table) || walk->depth >= MAX_DEPTH) {
        return ILP_OK;
    }
    if (table == ILP_Field) {
        return need_token(walk, ILP_TOKEN(ILP_TypeDef, ilp_owner_of_field(walk->from, rid)));
    }
    if (table != ILP_TypeRef &&
        (table >= ILP_TABLE_COUNT || !walk->seen[table] || !mark(walk, table, rid))) {
        return ILP_OK;
    }
    walk->depth++;
    ilp_status status = table == ILP_TypeRef ? need_type(walk, rid) : need_row(walk, table, rid);
    walk->depth--;
    return status;
}

/* ---- types and methods of the inspector ---- */

static ilp_status need_fields(struct needs_walk *walk, ilp_rid type)
{
    ilp_rid first;
    ilp_rid end;
    ilpi_list(walk->from, ILP_TypeDef, type, ILP_TypeDef_FieldList, &first, &end);
    for (; first < end; first++) {
        ilp_rid field = ilpi_list_row(walk->from, ILP_Field, first);
        ILPI_TRY(need_signature(walk, ilp_cell(walk->from, ILP_Field, field, ILP_Field_Signature),
                                ILP_SIG_FIELD));
    }
    return ILP_OK;
}

/* What loading a type requires, and what the runtime calls by itself. */
static ilp_status walk_type(struct needs_walk *walk, ilp_rid type)
{
    struct ilp_image *from = walk->from;
    uint32_t position = 0;
    ilp_rid row;
    ilp_rid end;
    ILPI_TRY(need_token(walk, ilp_cell(from, ILP_TypeDef, type, ILP_TypeDef_Extends)));
    while ((row = ilpi_next_with_key(from, ILP_InterfaceImpl, type, &position)) != 0) {
        ILPI_TRY(
            need_token(walk, ilp_cell(from, ILP_InterfaceImpl, row, ILP_InterfaceImpl_Interface)));
    }
    ILPI_TRY(need_fields(walk, type));
    ilpi_list(from, ILP_TypeDef, type, ILP_TypeDef_MethodList, &row, &end);
    for (; row < end; row++) {
        ilp_rid method = ilpi_list_row(from, ILP_MethodDef, row);
        if ((ilp_cell(from, ILP_MethodDef, method, ILP_MethodDef_Flags) & ILPI_METHOD_VIRTUAL) !=
                0 ||
            ilpi_string_is(from, ilp_cell(from, ILP_MethodDef, method, ILP_MethodDef_Name),
                           ".cctor")) {
            ILPI_TRY(need_token(walk, ILP_TOKEN(ILP_MethodDef, method)));
        }
    }
    return ILP_OK;
}

/* A body that cannot be decoded needs nothing: the verifier and the JIT report it, and this walk is
 * for members that are missing. */
static ilp_status walk_code(struct needs_walk *walk, const struct ilp_body *body)
{
    struct ilpi_code *code = &walk->lookup.code;
    ilp_status status = ilpi_code_decode(code, body, walk->error);
    if (status != ILP_OK) {
        return ilp_status_class(status) == ILP_CLASS_MEMORY ? status : ILP_OK;
    }
    for (size_t i = 0; i < code->count; i++) {
        switch (ilpi_opcodes[code->insns[i].op].operand) {
        case ILPI_OPERAND_TOKEN:
        case ILPI_OPERAND_METHOD:
        case ILPI_OPERAND_SIG:
            ILPI_TRY(need_token(walk, ilpi_insn_token(code, &code->insns[i])));
            break;
        default: break;
        }
    }
    return ILP_OK;
}

/* What a method needs: its signature, its locals, the classes that it catches, the tokens in its
 * code. */
static ilp_status walk_method(struct needs_walk *walk, ilp_rid method)
{
    struct ilp_body body;
    uint64_t offset = 0;
    uint32_t rva = ilp_cell(walk->from, ILP_MethodDef, method, ILP_MethodDef_RVA);
    ILPI_TRY(need_signature(walk,
                            ilp_cell(walk->from, ILP_MethodDef, method, ILP_MethodDef_Signature),
                            ILP_SIG_METHOD));
    if (rva == 0) {
        return ILP_OK;
    }
    struct ilp_bytes bytes = ilp_image_rva(walk->from, rva, &offset);
    ilp_status status = ilp_body_read(&body, bytes, offset, walk->arena, walk->error);
    if (status != ILP_OK) {
        return ilp_status_class(status) == ILP_CLASS_MEMORY ? status : ILP_OK;
    }
    ILPI_TRY(ilpi_spend(&walk->budget, body.size, walk->error));
    ILPI_TRY(need_token(walk, body.locals));
    for (size_t i = 0; i < body.clause_count; i++) {
        if (body.clauses[i].flags == ILPI_EH_CATCH) {
            ILPI_TRY(need_token(walk, body.clauses[i].token_or_filter));
        }
    }
    return walk_code(walk, &body);
}

/* One byte per row of the tables that are walked. A type or method is pending at most once, so the
 * lists have room for all, and the walk is linear in the inspector's size. */
static ilp_status make_room(struct needs_walk *walk)
{
    bool all = true;
    for (size_t i = 0; i < sizeof walked_tables / sizeof walked_tables[0]; i++) {
        size_t rows = (size_t)ilp_row_count(walk->from, walked_tables[i]) + 1;
        walk->seen[walked_tables[i]] = ilpi_arena_array(walk->arena, rows, 1);
        all = all && walk->seen[walked_tables[i]];
    }
    size_t types = (size_t)ilp_row_count(walk->from, ILP_TypeDef) + 1;
    size_t methods = (size_t)ilp_row_count(walk->from, ILP_MethodDef) + 1;
    walk->types = ilpi_arena_array(walk->arena, (size_t)ilp_row_count(walk->from, ILP_TypeRef) + 1,
                                   sizeof *walk->types);
    walk->pending_types = ilpi_arena_array(walk->arena, types, sizeof *walk->pending_types);
    walk->pending_methods = ilpi_arena_array(walk->arena, methods, sizeof *walk->pending_methods);
    return all && walk->types && walk->pending_types && walk->pending_methods
               ? ILP_OK
               : ilpi_fail_memory(walk->error, walk->from->pe.bytes.size);
}

/* From the overloads that can be called, as far as references go: what an inspector contains beyond
 * that does not matter. */
static ilp_status walk_all(struct needs_walk *walk, const struct ilp_inspector *inspector)
{
    ILPI_TRY(make_room(walk));
    for (size_t i = 0; i < inspector->overload_count; i++) {
        ILPI_TRY(need_token(walk, ILP_TOKEN(ILP_MethodDef, inspector->overloads[i].method)));
    }
    for (uint32_t type = 0, method = 0; type < walk->type_count || method < walk->method_count;) {
        while (type < walk->type_count) {
            ILPI_TRY(walk_type(walk, walk->pending_types[type++]));
        }
        if (method < walk->method_count) {
            ILPI_TRY(walk_method(walk, walk->pending_methods[method++]));
        }
    }
    return ILP_OK;
}

/* Fails for lack of memory only. What is missing goes to `needs`; what cannot be found out is no
 * need. */
ilp_status ilp_inspector_check_needs(const struct ilp_inspector *inspector, struct ilp_image *image,
                                     const struct ilp_resolver *resolver,
                                     const struct ilp_needs *needs,
                                     const struct ilp_allocator *allocator, struct ilp_error *error)
{
    struct ilpi_alloc alloc;
    ILPI_TRY(ILPI_CHECK_RESERVED(resolver, error));
    ILPI_TRY(ILPI_CHECK_RESERVED(needs, error));
    if (inspector->native || !resolver || !resolver->open) {
        return ILP_OK;
    }
    ilpi_alloc_init(&alloc, allocator);
    struct ilp_arena arena = {.alloc = &alloc};
    struct ilp_error unused = {.status = ILP_OK};
    struct needs_walk walk = {
        .needs = needs,
        .from = inspector->assembly,
        .resolver = resolver,
        .arena = &arena,
        .budget = ilpi_budget_of(inspector->assembly->pe.bytes.size),
        .text = {.alloc = &alloc},
        .error = error ? error : &unused,
        .lookup = {.alloc = &alloc,
                   .inspector = inspector,
                   .from = inspector->assembly,
                   .to = image,
                   .resolver = resolver,
                   .scratch = {.alloc = &alloc},
                   .code = {.alloc = &alloc}},
    };
    if (needs->embed) {
        struct ilpi_core_scope core = ilpi_core_scope_find(image, resolver);
        walk.lookup.core_scope = core.token;
        walk.lookup.core_name = core.name;
    }
    ilp_status status = walk_all(&walk, inspector);
    ilpi_arena_free(&walk.lookup.scratch);
    ilpi_code_free(&walk.lookup.code);
    ilpi_buf_free(&walk.text);
    ilpi_arena_free(&arena);
    return ilp_status_class(status) == ILP_CLASS_MEMORY ? status : ILP_OK;
}
