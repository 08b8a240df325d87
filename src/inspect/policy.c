/* Decides from a return type whether and how its value can be passed as an object.
 *
 * Boxing decides: a byref-like value type cannot be boxed, and neither a signature nor a TypeRef
 * has which types are byref-like. So value types are resolved to their definition; a type that is
 * not found, and is not in data/known_types.def, counts as byref-like. */
#include "inspect/policy.h"

#include "metadata/flags.h"
#include "types/task_type.h"

/* ---- decisions ---- */

/* The constraints of a type parameter are in its GenericParam row (II.22.20). Without the row it is
 * not known whether a box is allowed. */
static enum ilp_reason decide_variable(const struct ilpi_policy *policy, ilp_token owner,
                                       uint32_t number)
{
    ilp_rid param = ilpi_find_generic_param(policy->image, owner, number);
    if (param == 0) {
        return ILP_REASON_BAD_SIGNATURE;
    }
    uint32_t flags = ilp_cell(policy->image, ILP_GenericParam, param, ILP_GenericParam_Flags);
    return flags & ILPI_GENERIC_PARAM_ALLOWS_REF ? ILP_REASON_ALLOWS_REF : ILP_REASON_INSPECTED;
}

/* A value type by its token. A boxable generic type stays boxable whatever its arguments are: one
 * that could hold a byref-like argument in a field is itself byref-like. */
static void decide_value_type(struct ilpi_policy *policy, ilp_token type,
                              struct ilpi_decision *decision)
{
    enum ilpi_value_type answer = ilpi_value_type_of(&policy->value_types, type);
    decision->unresolved = 0;
    switch (answer) {
    case ILPI_VALUE_UNRESOLVED:
        decision->reason = ILP_REASON_UNRESOLVED;
        decision->unresolved = type;
        break;
    case ILPI_VALUE_BYREF_LIKE: decision->reason = ILP_REASON_BYREF_LIKE; break;
    default: decision->reason = ILP_REASON_INSPECTED; break;
    }
}

/* Any type but a reference. */
static void decide_value(struct ilpi_policy *policy, ilp_rid owner, ilp_rid method,
                         const struct ilp_type *type, struct ilpi_decision *decision)
{
    type = ilpi_type_unmodified(type);
    decision->reason = ILP_REASON_INSPECTED;
    decision->value = type->raw;
    switch (type->element) {
    case ILP_ELEMENT_VOID: decision->reason = ILP_REASON_VOID; return;
    case ILP_ELEMENT_PTR:
    case ILP_ELEMENT_FNPTR:
        decision->reason = ILP_REASON_POINTER;
        decision->box = ILPI_BOX_PRIMITIVE;
        decision->element = ILP_ELEMENT_U;
        return;
    case ILP_ELEMENT_TYPEDBYREF: decision->reason = ILP_REASON_BYREF_LIKE; return;
    case ILP_ELEMENT_BYREF:
        /* a reference to a reference, which the grammar of signatures allows */
        decision->reason = ILP_REASON_BAD_SIGNATURE;
        return;
    case ILP_ELEMENT_VALUETYPE:
        decision->box = ILPI_BOX_NAMED;
        decision->type = type->token;
        decide_value_type(policy, type->token, decision);
        return;
    /* an instance of a class is an object already, and needs no box */
    case ILP_ELEMENT_GENERICINST:
        if (type->inner->element == ILP_ELEMENT_VALUETYPE) {
            decision->box = ILPI_BOX_SPEC;
            decision->spec = type->raw;
            decide_value_type(policy, type->inner->token, decision);
        }
        return;
    case ILP_ELEMENT_VAR:
    case ILP_ELEMENT_MVAR:
        decision->box = ILPI_BOX_SPEC;
        decision->spec = type->raw;
        decision->reason = decide_variable(policy,
                                           type->element == ILP_ELEMENT_VAR
                                               ? ILP_TOKEN(ILP_TypeDef, owner)
                                               : ILP_TOKEN(ILP_MethodDef, method),
                                           type->number);
        return;
    default:
        if (ilpi_element_is_primitive_value(type->element)) {
            decision->box = ILPI_BOX_PRIMITIVE;
            decision->element = type->element;
        }
    }
}

/* A returned reference is not inspected, but the report has what it refers to. */
static void decide_type(struct ilpi_policy *policy, ilp_rid owner, ilp_rid method,
                        const struct ilp_type *type, struct ilpi_decision *decision)
{
    type = ilpi_type_unmodified(type);
    decision->returned = type->raw;
    if (type->element != ILP_ELEMENT_BYREF) {
        decide_value(policy, owner, method, type, decision);
        return;
    }
    decide_value(policy, owner, method, type->inner, decision);
    decision->pointee = decision->reason;
    decision->reason = ILP_REASON_BYREF;
}

/* `async`: of runtime-async methods, which declare Task<T> and return a T. */
static ilp_status decide_signature(struct ilpi_policy *policy, ilp_rid owner, ilp_rid method,
                                   uint32_t blob, bool async, struct ilpi_decision *decision,
                                   struct ilp_error *error)
{
    struct ilp_image *image = policy->image;
    *decision = (struct ilpi_decision){.reason = ILP_REASON_BAD_SIGNATURE};
    ilpi_arena_reset(&policy->scratch);
    struct ilp_sig *sig;
    ilp_status status = ilp_sig_read(&sig, ilp_blob(image, blob), ILP_SIG_METHOD,
                                     ilpi_blob_offset(image, blob), &policy->scratch, error);
    if (status != ILP_OK) {
        return ilp_status_class(status) == ILP_CLASS_MEMORY ? status : ILP_OK;
    }
    const struct ilp_type *type = sig->ret;
    if (async) {
        if (!ilpi_task_result(image, ilpi_type_unmodified(type), &type)) {
            return ILP_OK;
        }
        if (!type) {
            decision->reason = ILP_REASON_VOID;
            return ILP_OK;
        }
    }
    decide_type(policy, owner, method, type, decision);
    return ILP_OK;
}

/* For a type without a method: a state machine's result. A signature that is invalid is a reason,
 * not an error. */
ilp_status ilpi_policy_decide_type(struct ilpi_policy *policy, ilp_rid owner, struct ilp_bytes type,
                                   struct ilpi_decision *decision, struct ilp_error *error)
{
    struct ilp_sig *sig;
    *decision = (struct ilpi_decision){.reason = ILP_REASON_BAD_SIGNATURE};
    ilpi_arena_reset(&policy->scratch);
    ilp_status status = ilp_sig_read(&sig, type, ILP_SIG_TYPE_SPEC, 0, &policy->scratch, error);
    if (status != ILP_OK) {
        return ilp_status_class(status) == ILP_CLASS_MEMORY ? status : ILP_OK;
    }
    decide_type(policy, owner, 0, sig->ret, decision);
    return ILP_OK;
}

void ilpi_policy_decide_parameter(struct ilpi_policy *policy, ilp_rid owner, ilp_rid method,
                                  const struct ilp_type *type, struct ilpi_decision *decision)
{
    *decision = (struct ilpi_decision){.reason = ILP_REASON_BAD_SIGNATURE};
    decide_type(policy, owner, method, type, decision);
}

/* Not cached: a type parameter differs in each type or method, a broken signature has a message,
 * and a runtime-async method has another outcome. */
static bool depends_on_method(const struct ilpi_decision *decision)
{
    return decision->reason == ILP_REASON_BAD_SIGNATURE ||
           (decision->spec.size != 0 && (decision->spec.data[0] == ILP_ELEMENT_VAR ||
                                         decision->spec.data[0] == ILP_ELEMENT_MVAR));
}

static ilp_status remember(const struct ilpi_policy *policy, struct ilpi_remembered_decision **slot,
                           uint32_t blob, const struct ilpi_decision *decision,
                           struct ilp_error *error)
{
    if (!*slot) {
        *slot = ilpi_arena_alloc(policy->arena, sizeof **slot);
    }
    if (!*slot) {
        return ilpi_fail_memory(error, sizeof **slot);
    }
    **slot = (struct ilpi_remembered_decision){blob, *decision};
    return ILP_OK;
}

/* The cache is direct-mapped by blob offset: methods with one signature have one outcome, unless it
 * depends on the method. */
ilp_status ilpi_policy_decide(struct ilpi_policy *policy, ilp_rid owner, ilp_rid method,
                              struct ilpi_decision *decision, struct ilp_error *error)
{
    const struct ilp_image *image = policy->image;
    uint32_t blob = ilpi_method_cell(image, method, ILP_MethodDef_Signature);
    bool async = ilpi_method_cell(image, method, ILP_MethodDef_ImplFlags) & ILPI_METHOD_IMPL_ASYNC;
    struct ilpi_remembered_decision **slot = &policy->decisions[blob % policy->decision_slots];
    /* a slot exists only with a decision in it, so blob 0 is not mistaken for a free one */
    if (!async && *slot && (*slot)->blob == blob) {
        *decision = (*slot)->decision;
        return ILP_OK;
    }
    ILPI_TRY(decide_signature(policy, owner, method, blob, async, decision, error));
    return !async && !depends_on_method(decision) ? remember(policy, slot, blob, decision, error)
                                                  : ILP_OK;
}

/* Decisions are remembered by the offset of the signature's blob: methods with equal signatures
 * share one, and most modules have few different ones. */
ilp_status ilpi_policy_init(struct ilpi_policy *policy, struct ilp_image *image,
                            const struct ilp_resolver *resolver, struct ilpi_alloc *alloc,
                            struct ilp_arena *arena, struct ilp_error *error)
{
    uint32_t methods = image->tables[ILP_MethodDef].count;
    *policy = (struct ilpi_policy){.image = image,
                                   .decision_slots = methods < ILPI_REMEMBERED_DECISIONS
                                                         ? methods + 1
                                                         : ILPI_REMEMBERED_DECISIONS,
                                   .arena = arena,
                                   .scratch = {.alloc = alloc}};
    policy->decisions = ilpi_arena_array(arena, policy->decision_slots, sizeof *policy->decisions);
    if (!policy->decisions) {
        return ilpi_fail_memory(error, policy->decision_slots * sizeof *policy->decisions);
    }
    return ilpi_value_types_init(&policy->value_types, image, resolver, arena, error);
}

void ilpi_policy_free(struct ilpi_policy *policy)
{
    ilpi_arena_free(&policy->scratch);
}
