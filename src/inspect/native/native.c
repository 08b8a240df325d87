/* Calls a native function with the address of a copy of the value, its size and the method's id:
 *
 *   25             dup
 *   13 N           stloc N         a new local of the value's type
 *   12 N           ldloca N
 *   E0             conv.u
 *   FE 1C <type>   sizeof T        ldc.i4 where the size is known (III.4.25)
 *   21 <id>        ldc.i8
 *   28 <method>    call            a P/Invoke method in the module (II.15.5.2); or
 *   21 <address> D3 29 <sig>       ldc.i8; conv.i; calli (III.3.20), and once more for `then`
 *
 * Of a reference it is what it leads to that is copied, and the address of a null reference is null:
 *
 *   25             dup
 *   25             dup
 *   2D 05          brtrue.s L
 *   26 16 E0       pop; ldc.i4.0; conv.u
 *   2B nn          br.s M
 *   71 <type>      L: ldobj T      ldind.ref for objects, ldind.i for pointers
 *   13 N 12 N E0   stloc N; ldloca N; conv.u
 *                  M: sizeof, ldc.i8, call
 *
 * Nothing is boxed, so that byref-like values can be shown, too. But a garbage collection may move the objects that a
 * value refers to while native code reads them, unless the call is made without leaving the runtime's cooperative mode.
 */
#include "inspect/native/native.h"

#include "inspect/put.h"
#include "types/value_size.h"

static const char interop_services[] = "System.Runtime.InteropServices";
static const char compiler_services[] = "System.Runtime.CompilerServices";
static const char suppress_attribute[] = "SuppressGCTransitionAttribute";

static bool by_address(const struct ilp_native *native)
{
    return native->call >= ILP_NATIVE_CALLI;
}

/* Whether no garbage collection can happen during the call. */
static bool stays(const struct ilp_native *native)
{
    return native->call == ILP_NATIVE_PINVOKE_NO_TRANSITION ||
           native->call == ILP_NATIVE_CALLI_NO_TRANSITION || native->call == ILP_NATIVE_CALLI_MANAGED;
}

/* ---- opening ---- */

/* Rows behind those of a table that others are reached through would not be reached. */
static ilp_status check_tables(const struct ilp_rewriter *rewriter, struct ilp_error *error)
{
    static const uint8_t indirect[] = {ILP_FieldPtr, ILP_MethodPtr, ILP_ParamPtr};
    for (size_t i = 0; i < sizeof indirect; i++) {
        if (ilp_row_count(rewriter->image, indirect[i]) != 0) {
            return ilpi_fail(error, ILP_E_CANNOT_EMBED, ILPI_NO_OFFSET, 0,
                             "no P/Invoke method can be added: the module has a table %s",
                             ilp_table_name(indirect[i]));
        }
    }
    return ILP_OK;
}

/* An older runtime would not know the attribute, and collect garbage during the call. */
static ilp_status check_suppression(const struct ilp_rewriter *rewriter, struct ilp_error *error)
{
    struct ilp_assembly_name core = rewriter->core_name;
    struct ilpi_type_def def = {NULL, 0};
    bool there = false;
    if (rewriter->core_scope != 0) {
        ilpi_assembly_ref_name(rewriter->image, ILP_TOKEN_RID(rewriter->core_scope), &core);
    }
    if (core.name) {
        ILPI_TRY(ilpi_resolve_name(&core, interop_services, suppress_attribute, rewriter->resolver, &def,
                                   &there, error));
    }
    return def.image ? ILP_OK
                     : ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
                                 "no GC transition can be left out: %s, and .NET 5 is the first to know "
                                 "%s",
                                 there ? "the module is built for an older framework"
                                       : "the module's core library was not found",
                                 suppress_attribute);
}

/* The P/Invoke method that was added before, by what it is called and takes. */
static void find_added(const struct ilp_image *image, struct ilpi_inspector_binding *binding)
{
    static const uint8_t signature[] = ILPI_NATIVE_SIGNATURE;
    ilp_rid first;
    ilp_rid end;
    if (binding->embedded == 0) {
        return;
    }
    ilpi_list(image, ILP_TypeDef, binding->embedded, ILP_TypeDef_MethodList, &first, &end);
    struct ilp_bytes own = ilp_blob(image, ilp_cell(image, ILP_MethodDef, first, ILP_MethodDef_Signature));
    if (end - first != 1 || own.size != sizeof signature ||
        memcmp(own.data, signature, sizeof signature) != 0) {
        binding->embedded = 0;
    } else {
        binding->calls[ILPI_OVERLOAD_NATIVE][ILP_PASS_ID] = ILP_TOKEN(ILP_MethodDef, first);
    }
}

ilp_status ilpi_native_open(struct ilp_rewriter *rewriter, struct ilpi_inspector_binding *binding, struct ilp_error *error)
{
    const struct ilp_native *native = binding->inspector->native;
    size_t size = ILPI_REMEMBERED_REFERENCES * sizeof *binding->references;
    binding->references = ilpi_arena_alloc(&rewriter->arena, size);
    if (!binding->references) {
        return ilpi_fail_memory(error, size);
    }
    if (by_address(native)) {
        binding->embedded = 0;
        return ILP_OK;
    }
    find_added(rewriter->image, binding);
    ILPI_TRY(check_tables(rewriter, error));
    return stays(native) ? check_suppression(rewriter, error) : ILP_OK;
}

/* ---- choosing ---- */

/* What is remembered goes by where the type stands, as for typed overloads (overload.c). */
static ilp_status ask_references(struct ilp_rewriter *rewriter, struct ilp_bytes type,
                                 struct ilpi_remembered_references *found, struct ilp_error *error)
{
    struct ilp_arena *scratch = &rewriter->policy.scratch; /* the rewriter's own may hold the body */
    struct ilp_sig *sig;
    ilpi_arena_reset(scratch);
    ILPI_TRY(ilp_sig_read(&sig, type, ILP_SIG_TYPE_SPEC, 0, scratch, error));
    *found = (struct ilpi_remembered_references){.type = NULL};
    ILPI_TRY(ilpi_value_references(rewriter->image, sig->ret, rewriter->resolver, scratch, &found->holds,
                                   &found->unresolved, error));
    found->type = type.data;
    return ILP_OK;
}

/* Whether a garbage collection could move what the value refers to: objects, and what is in them. */
static ilp_status check_references(struct ilp_rewriter *rewriter, struct ilpi_decision *decision,
                                   struct ilp_error *error)
{
    uint8_t element = decision->value.data[0];
    if (decision->box == ILPI_BOX_PRIMITIVE) {
        return ILP_OK;
    }
    bool structure = element == ILP_ELEMENT_VALUETYPE || element == ILP_ELEMENT_GENERICINST;
    if (decision->reason != ILP_REASON_INSPECTED || decision->box == ILPI_BOX_NONE || !structure) {
        decision->reason =
            decision->reason == ILP_REASON_UNRESOLVED ? ILP_REASON_UNRESOLVED : ILP_REASON_MANAGED_REFERENCE;
        return ILP_OK;
    }
    struct ilpi_remembered_references *known =
        &rewriter->binding
             ->references[(size_t)((uintptr_t)decision->value.data % ILPI_REMEMBERED_REFERENCES)];
    if (known->type != decision->value.data) {
        ILPI_TRY(ask_references(rewriter, decision->value, known, error));
    }
    if (known->holds == ILP_UNKNOWN && known->unresolved != 0) {
        decision->reason = ILP_REASON_UNRESOLVED;
        decision->unresolved = known->unresolved;
    } else if (known->holds != ILP_NO) {
        decision->reason = ILP_REASON_MANAGED_REFERENCE;
    }
    return ILP_OK;
}

ilp_status ilpi_native_choose(struct ilp_rewriter *rewriter, struct ilpi_decision *decision,
                              struct ilp_error *error)
{
    const struct ilp_inspector *inspector = rewriter->binding->inspector;
    bool byref_like = decision->reason == ILP_REASON_BYREF_LIKE ||
                      decision->reason == ILP_REASON_ALLOWS_REF ||
                      decision->reason == ILP_REASON_UNRESOLVED;
    if ((decision->reason != ILP_REASON_INSPECTED && !byref_like) ||
        (byref_like && decision->box == ILPI_BOX_NONE)) { /* TypedReference, of which there is no sizeof */
        return ILP_OK;
    }
    if (!stays(inspector->native) && rewriter->treatment.references == ILP_REFERENCES_SKIP) {
        ILPI_TRY(check_references(rewriter, decision, error));
        if (decision->reason != ILP_REASON_INSPECTED) {
            return ILP_OK;
        }
    }
    decision->reason = ILP_REASON_INSPECTED;
    rewriter->overload = &inspector->overloads[0];
    return ILP_OK;
}

/* ---- tokens ---- */

/* A size that is the same everywhere, 0 for others. */
static uint32_t known_size(const struct ilpi_decision *decision)
{
    return decision->box == ILPI_BOX_PRIMITIVE ? ilpi_primitive_size(decision->element, 0) : 0;
}

bool ilpi_native_needs_core(const struct ilp_inspector *inspector, const struct ilpi_decision *decision)
{
    bool by_core_type = decision->box == ILPI_BOX_NONE || decision->box == ILPI_BOX_PRIMITIVE;
    return !by_address(inspector->native) || inspector->native->call == ILP_NATIVE_CALLI_NO_TRANSITION ||
           (by_core_type && (known_size(decision) == 0 || decision->by_reference));
}

/* The function's signature: void (const void *, uint32_t, int64_t), with what says how it is called (II.23.2.3). */
static ilp_status calli_token(struct ilp_rewriter *rewriter, ilp_token *token, struct ilp_error *error)
{
    static const uint8_t plain[] = ILPI_NATIVE_SIGNATURE;
    static const char *const modifiers[] = {"CallConvSuppressGCTransition", "CallConvCdecl"};
    const struct ilp_emitter *emitter = rewriter->emitter;
    struct ilpi_buf signature = {.alloc = &rewriter->alloc};
    enum ilp_native_call call = rewriter->binding->inspector->native->call;
    ilpi_buf_u8(&signature, call == ILP_NATIVE_CALLI_MANAGED ? ILP_CALL_DEFAULT
                            : call == ILP_NATIVE_CALLI       ? ILP_CALL_C
                                                             : ILP_CALL_UNMANAGED);
    ilpi_buf_u8(&signature, plain[1]);
    ilp_status status = ILP_OK;
    for (unsigned i = 0; i < 2 && call == ILP_NATIVE_CALLI_NO_TRANSITION && status == ILP_OK; i++) {
        ilp_token modifier = 0;
        status = ilpi_core_token(rewriter, compiler_services, modifiers[i], &modifier, error);
        ilpi_buf_u8(&signature, ILP_ELEMENT_CMOD_OPT);
        ilpi_buf_packed(&signature, ilpi_token_to_coded(ILPI_CODED_TypeDefOrRef, modifier));
    }
    ilpi_buf_bytes_add(&signature, plain + 2, sizeof plain - 2);
    if (status == ILP_OK) {
        status = signature.status == ILP_OK
                     ? emitter->standalone_sig(emitter->user, ilpi_buf_bytes(&signature), token, error)
                     : ilpi_fail_memory(error, signature.size);
    }
    ilpi_buf_free(&signature);
    return status;
}

/* void (), unmanaged and so with a GC transition. */
static ilp_status then_token(struct ilp_rewriter *rewriter, ilp_token *token, struct ilp_error *error)
{
    static const uint8_t signature[] = {ILP_CALL_C, 0, ILP_ELEMENT_VOID};
    const struct ilp_emitter *emitter = rewriter->emitter;
    return emitter->standalone_sig(emitter->user, (struct ilp_bytes){signature, sizeof signature}, token, error);
}

static ilp_status pinvoke_token(struct ilp_rewriter *rewriter, ilp_token *token, struct ilp_error *error)
{
    static const uint8_t signature[] = ILPI_NATIVE_SIGNATURE;
    static const uint8_t constructor[] = {ILP_CALL_HASTHIS, 0, ILP_ELEMENT_VOID};
    const struct ilp_emitter *emitter = rewriter->emitter;
    const struct ilp_inspector *inspector = rewriter->binding->inspector;
    struct ilp_pinvoke pinvoke = {.name_space = inspector->name_space,
                                  .type_name = inspector->type_name,
                                  .library = inspector->native->library,
                                  .symbol = inspector->native->symbol,
                                  .signature = {signature, sizeof signature}};
    if (stays(inspector->native)) {
        ilp_token attribute = 0;
        ILPI_TRY(ilpi_core_token(rewriter, interop_services, suppress_attribute, &attribute, error));
        ILPI_TRY(emitter->member_ref(emitter->user, attribute, ".ctor",
                                     (struct ilp_bytes){constructor, sizeof constructor},
                                     &pinvoke.attribute, error));
    }
    ILPI_TRY(ilpi_core_token(rewriter, "System", "Object", &rewriter->object, error));
    pinvoke.object = rewriter->object;
    return emitter->pinvoke(emitter->user, &pinvoke, token, error);
}

ilp_status ilpi_native_tokens(struct ilp_rewriter *rewriter, const struct ilpi_decision *decision,
                              struct ilpi_native_call *call, struct ilp_error *error)
{
    struct ilpi_inspector_binding *binding = rewriter->binding;
    ilp_token *made = &binding->calls[ILPI_OVERLOAD_NATIVE][ILP_PASS_ID];
    struct ilpi_decision sized = *decision;
    if (sized.box == ILPI_BOX_NONE) { /* an object is as large as a native integer */
        sized.box = ILPI_BOX_PRIMITIVE;
        sized.element = ILP_ELEMENT_U;
    }
    *call = (struct ilpi_native_call){.function = binding->inspector->native,
                                      .copy = rewriter->copy,
                                      .size = known_size(&sized)};
    if (call->size == 0 || decision->by_reference) {
        ILPI_TRY(ilpi_box_token(rewriter, &sized, &call->type, error));
    }
    if (*made == 0) {
        ILPI_TRY(by_address(call->function) ? calli_token(rewriter, made, error)
                                            : pinvoke_token(rewriter, made, error));
    }
    call->call = *made;
    made = &binding->then;
    if (call->function->then != 0 && *made == 0) {
        ILPI_TRY(then_token(rewriter, made, error));
    }
    call->then = *made;
    return ILP_OK;
}

/* ---- locals ---- */

ilp_status ilpi_native_check(struct ilp_rewriter *rewriter, const struct ilp_body *body,
                             struct ilp_error *error)
{
    const struct ilp_emitter *emitter = rewriter->emitter;
    if (emitter && !emitter->pinvoke && !by_address(rewriter->binding->inspector->native)) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0, "the emitter makes no P/Invoke method");
    }
    return ilpi_locals_room(rewriter, body, 1, &rewriter->copy, error);
}

ilp_status ilpi_native_locals(struct ilp_rewriter *rewriter, const struct ilpi_decision *decision,
                              struct ilp_body *body, struct ilp_error *error)
{
    return ilpi_locals_add(rewriter, decision->value, 1, body, error);
}

/* ---- instructions ---- */

uint32_t ilpi_native_height(const struct ilp_inspector *inspector)
{
    return by_address(inspector->native) ? 4 : 3;
}

/* From the value on the stack to the address of its copy. */
static uint8_t *put_copy(uint8_t *to, const struct ilpi_decision *decision, uint32_t local)
{
    to = decision->address ? ilpi_put(to, ILPI_OP_CONV_U) : to;
    to = ilpi_put_local(to, ILPI_LOCAL_STORE, local);
    to = ilpi_put_local(to, ILPI_LOCAL_ADDRESS, local);
    return ilpi_put(to, ILPI_OP_CONV_U);
}

static uint8_t *put_referent(uint8_t *to, const struct ilpi_decision *decision, ilp_token type,
                             uint32_t local)
{
    to = ilpi_put(to, ILPI_OP_DUP);
    to = ilpi_put(to, ILPI_OP_BRTRUE_S);
    *to++ = 5; /* over pop, ldc.i4.0, conv.u, br.s */
    to = ilpi_put(to, ILPI_OP_POP);
    to = ilpi_put(to, ILPI_OP_LDC_I4_0);
    to = ilpi_put(to, ILPI_OP_CONV_U);
    to = ilpi_put(to, ILPI_OP_BR_S);
    uint8_t *distance = to++;
    to = decision->address               ? ilpi_put(to, ILPI_OP_LDIND_I)
         : decision->box != ILPI_BOX_NONE ? ilpi_put_token(to, ILPI_OP_LDOBJ, type)
                                          : ilpi_put(to, ILPI_OP_LDIND_REF);
    to = put_copy(to, decision, local);
    *distance = (uint8_t)(to - distance - 1);
    return to;
}

static uint8_t *put_calli(uint8_t *to, uint64_t address, ilp_token signature)
{
    to = ilpi_put_i8(to, address);
    to = ilpi_put(to, ILPI_OP_CONV_I);
    return ilpi_put_token(to, ILPI_OP_CALLI, signature);
}

uint8_t *ilpi_native_put(uint8_t *to, const struct ilpi_decision *decision,
                         const struct ilpi_native_call *call, int64_t id)
{
    to = decision->by_reference ? put_referent(to, decision, call->type, call->copy)
                                : put_copy(to, decision, call->copy);
    if (call->size != 0) {
        to = ilpi_put(to, ILPI_OP_LDC_I4_S);
        *to++ = (uint8_t)call->size;
    } else {
        to = ilpi_put_token(to, ILPI_OP_SIZEOF, call->type);
    }
    to = ilpi_put_i8(to, (uint64_t)id);
    if (!by_address(call->function)) {
        return ilpi_put_token(to, ILPI_OP_CALL, call->call);
    }
    to = put_calli(to, call->function->address, call->call);
    return call->function->then != 0 ? put_calli(to, call->function->then, call->then) : to;
}

bool ilpi_native_is_call(const struct ilp_inspector *inspector, const struct ilpi_code *code, uint32_t i)
{
    const struct ilpi_insn *insns = code->insns;
    if (!inspector->native || !by_address(inspector->native) || i < 2 || insns[i].op != ILPI_OP_CALLI ||
        insns[i - 1].op != ILPI_OP_CONV_I || insns[i - 2].op != ILPI_OP_LDC_I8) {
        return false;
    }
    const uint8_t *operand = code->bytes.data + insns[i - 2].offset + 1;
    uint64_t address = (uint64_t)ilpi_load_u32(operand + 4) << 32 | ilpi_load_u32(operand);
    return address == (inspector->native->then != 0 ? inspector->native->then : inspector->native->address);
}
