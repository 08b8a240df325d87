/* Decides which calls before ret may be tail calls (III.2.4). Whatever is not certain is an
 * obstacle: a missing prefix costs some stack, a wrong one gives a callee pointers into a frame
 * that is gone. */
#include "inspect/tail/legal.h"

#include "metadata/flags.h"
#include "types/closed_type.h"

/* ---- types ---- */

/* The called method, as an operand names it. */
struct callee {
    struct ilpi_closed_signature signature; /* in types of the caller */
    const char *name;
    uint32_t flags;  /* of a MethodDef, else 0 */
    ilp_token owner; /* its type; 0 for calli */
    struct ilpi_type_arguments arguments;
};

/* Only parameters declared with `allows ref struct` may be byref-like (their flag is in
 * GenericParam). One without a row is not known, so it may. */
static bool may_be_byref_like(const struct ilp_tail_editor *editor, const struct ilp_type *variable)
{
    const struct ilp_image *image = editor->image;
    ilp_token owner = variable->element == ILP_ELEMENT_MVAR
                          ? ILP_TOKEN(ILP_MethodDef, editor->method)
                          : ILP_TOKEN(ILP_TypeDef, ilp_owner_of_method(image, editor->method));
    ilp_rid param = ilpi_find_generic_param(image, owner, variable->number);
    return param == 0 || (ilp_cell(image, ILP_GenericParam, param, ILP_GenericParam_Flags) &
                          ILPI_GENERIC_PARAM_ALLOWS_REF) != 0;
}

static const char *check_value_type(struct ilp_tail_editor *editor, ilp_token type)
{
    switch (ilpi_value_type_of(&editor->value_types, type)) {
    case ILPI_VALUE_BYREF_LIKE: return "an argument is byref-like";
    case ILPI_VALUE_UNRESOLVED: return "the type of an argument cannot be found";
    default: return NULL;
    }
}

/* Why a parameter of this type keeps a call from being a tail call; NULL: it does not. */
static const char *check_parameter(struct ilp_tail_editor *editor,
                                   struct ilpi_closed_type parameter)
{
    const struct ilp_type *type = ilpi_type_bound(parameter).type;
    if (!type) {
        return "the type of an argument is not known";
    }
    switch (type->element) {
    case ILP_ELEMENT_BYREF:
    case ILP_ELEMENT_PTR:
    case ILP_ELEMENT_TYPEDBYREF: return "an argument may point into the frame";
    /* conv.u makes a native integer of an address: this may be one if the method takes any */
    case ILP_ELEMENT_I:
    case ILP_ELEMENT_U:
        return editor->takes_addresses ? "an argument may point into the frame" : NULL;
    case ILP_ELEMENT_VAR:
    case ILP_ELEMENT_MVAR:
        return may_be_byref_like(editor, type) ? "an argument may be byref-like" : NULL;
    case ILP_ELEMENT_VALUETYPE: return check_value_type(editor, type->token);
    case ILP_ELEMENT_GENERICINST:
        return type->inner->element == ILP_ELEMENT_VALUETYPE
                   ? check_value_type(editor, type->inner->token)
                   : NULL;
    default: return NULL;
    }
}

/* ---- what is called ---- */

/* The trees stay in `types` for the method, since types of several calls are compared with those of
 * the caller. The budget is charged per signature: one may be named by many calls. */
static ilp_status read_signature(struct ilp_tail_editor *editor, uint32_t blob,
                                 enum ilp_sig_kind kind, const struct ilp_sig **signature,
                                 struct ilp_error *error)
{
    struct ilp_sig *read;
    struct ilp_bytes bytes = ilp_blob(editor->image, blob);
    ILPI_TRY(ilpi_spend(&editor->budget, bytes.size, error));
    ILPI_TRY(ilp_sig_read(&read, bytes, kind, ilpi_blob_offset(editor->image, blob), &editor->types,
                          error));
    *signature = read;
    return ILP_OK;
}

static ilp_status read_type_spec(struct ilp_tail_editor *editor, ilp_token spec,
                                 const struct ilp_type **type, struct ilp_error *error)
{
    const struct ilp_sig *sig;
    ILPI_TRY(read_signature(
        editor, ilp_cell(editor->image, ILP_TypeSpec, ILP_TOKEN_RID(spec), ILP_TypeSpec_Signature),
        ILP_SIG_TYPE_SPEC, &sig, error));
    *type = sig->ret;
    return ILP_OK;
}

/* The signature of calli is in terms of the caller's own parameters. */
static ilp_status read_pointer(struct ilp_tail_editor *editor, ilp_rid rid, struct callee *callee,
                               struct ilp_error *error)
{
    callee->signature.arguments = NULL;
    return read_signature(
        editor, ilp_cell(editor->image, ILP_StandAloneSig, rid, ILP_StandAloneSig_Signature),
        ILP_SIG_METHOD, &callee->signature.sig, error);
}

static ilp_status read_definition(struct ilp_tail_editor *editor, ilp_rid rid,
                                  struct callee *callee, struct ilp_error *error)
{
    const struct ilp_image *image = editor->image;
    callee->owner = ILP_TOKEN(ILP_TypeDef, ilp_owner_of_method(image, rid));
    callee->flags = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Flags);
    callee->name = ilp_string(image, ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name));
    return read_signature(editor, ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Signature),
                          ILP_SIG_METHOD, &callee->signature.sig, error);
}

/* A member of a generic instance has a TypeSpec as its parent (II.22.25): from it are the arguments
 * for !0, !1, ... in the signature. */
static ilp_status read_reference(struct ilp_tail_editor *editor, ilp_rid rid, struct callee *callee,
                                 struct ilp_error *error)
{
    const struct ilp_image *image = editor->image;
    callee->owner = ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class);
    callee->name = ilp_string(image, ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Name));
    if (ILP_TOKEN_TABLE(callee->owner) == ILP_TypeSpec) {
        const struct ilp_type *owner;
        ILPI_TRY(read_type_spec(editor, callee->owner, &owner, error));
        bool instance = owner->element == ILP_ELEMENT_GENERICINST;
        callee->arguments.types = instance ? owner->inner->next : NULL;
    }
    return read_signature(editor, ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Signature),
                          ILP_SIG_METHOD, &callee->signature.sig, error);
}

/* Fills in the signature, and the arguments of the owner and the method, with which its types are
 * compared with the caller's. */
static ilp_status read_callee(struct ilp_tail_editor *editor, ilp_token token,
                              struct callee *callee, struct ilp_error *error)
{
    struct ilp_image *image = editor->image;
    ilp_rid rid = ILP_TOKEN_RID(token);
    *callee = (struct callee){
        .name = "", .signature = {image, NULL, &callee->arguments}, .arguments = {.image = image}};
    switch (ILP_TOKEN_TABLE(token)) {
    case ILP_StandAloneSig: return read_pointer(editor, rid, callee, error);
    case ILP_MethodSpec: {
        const struct ilp_sig *spec;
        ILPI_TRY(read_signature(editor,
                                ilp_cell(image, ILP_MethodSpec, rid, ILP_MethodSpec_Instantiation),
                                ILP_SIG_METHOD_SPEC, &spec, error));
        callee->arguments.methods = spec->params;
        token = ilp_cell(image, ILP_MethodSpec, rid, ILP_MethodSpec_Method);
        rid = ILP_TOKEN_RID(token);
        break;
    }
    default: break;
    }
    return ILP_TOKEN_TABLE(token) == ILP_MethodDef ? read_definition(editor, rid, callee, error)
                                                   : read_reference(editor, rid, callee, error);
}

/* Whether `this` of a non-virtual call is a managed pointer, as for value types (I.8.6.1.5). It may
 * point to a local. */
static ilp_status check_this(struct ilp_tail_editor *editor, const struct callee *callee,
                             const char **obstacle, struct ilp_error *error)
{
    static const char pointer[] = "`this` is a managed pointer";
    if (ILP_TOKEN_TABLE(callee->owner) == ILP_TypeSpec) {
        const struct ilp_type *owner;
        ILPI_TRY(read_type_spec(editor, callee->owner, &owner, error));
        bool object = owner->element == ILP_ELEMENT_SZARRAY ||
                      owner->element == ILP_ELEMENT_ARRAY ||
                      (owner->element == ILP_ELEMENT_GENERICINST &&
                       owner->inner->element == ILP_ELEMENT_CLASS);
        *obstacle = object ? NULL : pointer;
        return ILP_OK;
    }
    struct ilpi_type_def def = ilpi_resolve_type(editor->image, callee->owner, editor->resolver);
    if (!def.image) {
        *obstacle = "the type of `this` cannot be found";
    } else {
        *obstacle = ilpi_is_value_type_def(def.image, def.rid) ? pointer : NULL;
    }
    return ILP_OK;
}

/* `offset - start < length` cannot overflow, unlike `offset < start + length`: clauses of invalid
 * bodies have any numbers. */
static bool is_in(uint32_t offset, uint32_t start, uint32_t length)
{
    return offset >= start && offset - start < length;
}

/* A filter's code is from its offset to the handler's (II.25.4.6); a clause has no length for
 * it. */
static bool is_protected(const struct ilp_body *body, uint32_t offset)
{
    for (size_t i = 0; i < body->clause_count; i++) {
        const struct ilp_eh_clause *clause = &body->clauses[i];
        bool filter = clause->flags == ILPI_EH_FILTER && offset >= clause->token_or_filter &&
                      offset < clause->handler_offset;
        if (filter || is_in(offset, clause->try_offset, clause->try_length) ||
            is_in(offset, clause->handler_offset, clause->handler_length)) {
            return true;
        }
    }
    return false;
}

/* Prefixes directly precede their instruction, so the walk back ends at the first that is not
 * marked. */
static bool is_constrained(const struct ilpi_code *code, uint32_t i)
{
    while ((code->insns[i].marks & ILPI_INSN_AFTER_PREFIX) != 0) {
        if (code->insns[--i].op == ILPI_OP_CONSTRAINED) {
            return true;
        }
    }
    return false;
}

/* Checks that need only the callee's signature. */
static const char *check_convention(const struct ilp_tail_editor *editor,
                                    const struct callee *callee)
{
    static const struct ilpi_type_equality equality = {.names = ILPI_NAMES_OF_ONE_IMAGE};
    const struct ilp_sig *signature = callee->signature.sig;
    struct ilpi_closed_type theirs = {editor->image, signature->ret, callee->signature.arguments};
    struct ilpi_closed_type ours = {editor->image, editor->signature->ret, NULL};
    uint8_t convention = signature->convention & ILP_CALL_MASK;
    if (convention == ILP_CALL_VARARG) {
        return "the callee takes a variable number of arguments";
    }
    if (convention != ILP_CALL_DEFAULT || (callee->flags & ILPI_METHOD_PINVOKE) != 0) {
        return "the callee is native code";
    }
    if (strcmp(callee->name, ".ctor") == 0) {
        return "the callee is a constructor";
    }
    return ilpi_same_type(&equality, theirs, ours) ? NULL : "the callee returns another type";
}

/* Checks of `this`, by the call's opcode and the callee. */
static ilp_status check_kind(struct ilp_tail_editor *editor, uint32_t i,
                             const struct callee *callee, const char **obstacle,
                             struct ilp_error *error)
{
    unsigned op = editor->code.insns[i].op;
    bool takes_this = (callee->signature.sig->convention & ILP_CALL_HASTHIS) != 0;
    if (takes_this && op == ILPI_OP_CALLI) {
        *obstacle = "`this` may be a managed pointer";
    } else if (is_constrained(&editor->code, i)) {
        /* CoreCLR 10 refuses the prefix before static virtual methods */
        *obstacle = takes_this ? "`this` is a managed pointer" : "the callee is static and virtual";
    } else if (takes_this && op == ILPI_OP_CALL) {
        return check_this(editor, callee, obstacle, error);
    }
    return ILP_OK;
}

/* Checks that need no callee. */
static const char *check_place(const struct ilp_tail_editor *editor, const struct ilpi_insn *insn)
{
    if (is_protected(&editor->body, insn->offset)) {
        return "it is in a protected block";
    }
    if (editor->obstacle) {
        return editor->obstacle;
    }
    return (insn->marks & ILPI_INSN_SEEN) == 0 ? "it cannot be reached" : NULL;
}

/* The cheap checks first; the callee's signature is only read if they all pass. The stack must have
 * exactly the arguments: III.2.4. */
ilp_status ilpi_tail_check_call(struct ilp_tail_editor *editor, uint32_t i, const char **obstacle,
                                struct ilp_error *error)
{
    const struct ilpi_insn *insn = &editor->code.insns[i];
    struct ilpi_call_shape shape;
    struct callee callee;
    ilp_token token = ilpi_insn_token(&editor->code, insn);
    *obstacle = check_place(editor, insn);
    if (*obstacle) {
        return ILP_OK;
    }
    ILPI_TRY(
        ilpi_call_shape_of(&editor->call_shapes, (enum ilpi_op)insn->op, token, &shape, error));
    if (editor->stack.depth[i] != shape.pops) {
        *obstacle = "more than the arguments is on the stack";
        return ILP_OK;
    }
    ILPI_TRY(read_callee(editor, token, &callee, error));
    *obstacle = check_convention(editor, &callee);
    if (!*obstacle) {
        ILPI_TRY(check_kind(editor, i, &callee, obstacle, error));
    }
    struct ilpi_closed_type parameter = {editor->image, callee.signature.sig->params,
                                         callee.signature.arguments};
    for (; !*obstacle && parameter.type; parameter.type = parameter.type->next) {
        *obstacle = check_parameter(editor, parameter);
    }
    return ILP_OK;
}

/* ---- a method ---- */

/* A pinned local is a pointer into an object that stays where it is only as long as the frame. */
static ilp_status has_pinned(struct ilp_tail_editor *editor, bool *pinned, struct ilp_error *error)
{
    const struct ilp_sig *locals;
    *pinned = false;
    if (ILP_TOKEN_TABLE(editor->body.locals) != ILP_StandAloneSig) {
        return ILP_OK;
    }
    ILPI_TRY(
        read_signature(editor,
                       ilp_cell(editor->image, ILP_StandAloneSig,
                                ILP_TOKEN_RID(editor->body.locals), ILP_StandAloneSig_Signature),
                       ILP_SIG_LOCALS, &locals, error));
    for (const struct ilp_type *local = locals->params; local; local = local->next) {
        *pinned = *pinned || local->element == ILP_ELEMENT_PINNED;
    }
    return ILP_OK;
}

/* Finds instructions that make pointers into the frame. */
static void look_at_frame(struct ilp_tail_editor *editor, bool *localloc)
{
    *localloc = false;
    for (size_t i = 0; i < editor->code.count; i++) {
        switch (editor->code.insns[i].op) {
        case ILPI_OP_LOCALLOC: *localloc = true; break;
        case ILPI_OP_LDLOCA:
        case ILPI_OP_LDLOCA_S:
        case ILPI_OP_LDARGA:
        case ILPI_OP_LDARGA_S: editor->takes_addresses = true; break;
        default: break;
        }
    }
}

/* Checks that concern all calls of the method. */
static const char *check_caller(const struct ilp_tail_editor *editor, bool localloc)
{
    uint32_t flags = ilp_cell(editor->image, ILP_MethodDef, editor->method,
                              ILP_MethodDef_ImplFlags);
    if ((flags & ILPI_METHOD_IMPL_SYNCHRONIZED) != 0) {
        return "the method is synchronized";
    }
    if ((flags & ILPI_METHOD_IMPL_ASYNC) != 0) {
        return "the method is runtime-async";
    }
    if (localloc) {
        return "the method has memory in its frame (localloc)";
    }
    return (editor->signature->convention & ILP_CALL_MASK) == ILP_CALL_VARARG
               ? "the method takes a variable number of arguments"
               : NULL;
}

/* In this order: what may be wrong with the whole method is found before the stack is computed,
 * which is the expensive part. check_place() needs the marks that it leaves. */
ilp_status ilpi_tail_check_method(struct ilp_tail_editor *editor, struct ilp_error *error)
{
    const struct ilp_image *image = editor->image;
    struct ilpi_calls calls = {&editor->call_shapes, ilpi_call_shape_of};
    bool localloc;
    ILPI_TRY(read_signature(editor,
                            ilp_cell(image, ILP_MethodDef, editor->method, ILP_MethodDef_Signature),
                            ILP_SIG_METHOD, &editor->signature, error));
    ILPI_TRY(has_pinned(editor, &editor->takes_addresses, error));
    look_at_frame(editor, &localloc);
    editor->obstacle = check_caller(editor, localloc);
    bool returns = ilpi_type_unmodified(editor->signature->ret)->element != ILP_ELEMENT_VOID;
    return editor->obstacle ? ILP_OK
                            : ilpi_stack_compute(&editor->stack, &editor->code, &editor->body,
                                                 &calls, returns, error);
}
