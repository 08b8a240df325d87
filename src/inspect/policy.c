/* Decides from a return type whether and how its value can be handed over as an object.
 *
 * Boxing is the question: a byref-like value type cannot be boxed, and neither a signature nor a TypeRef
 * says which types are byref-like. So value types are resolved to their definition; what cannot be found,
 * and is not in data/known_types.def, counts as byref-like.
 */
#include "inspect/policy.h"

#include <stdlib.h>

/* ImplFlags 0x2000: a runtime-async method, whose `ret` takes the T of Task<T> or nothing (.NET 10). */
#define METHOD_IMPL_ASYNC 0x2000u

/* GenericParamAttributes.AllowByRefLike, C# 13's `allows ref struct`. */
#define GENERIC_PARAM_ALLOWS_REF 0x20u

enum verdict { VERDICT_UNKNOWN, VERDICT_BOXABLE, VERDICT_BYREF_LIKE, VERDICT_UNRESOLVED };

/* ---- types known by name ---- */

struct known_type {
    const char *name_space;
    const char *name;
    enum verdict verdict;
};

static const struct known_type known_types[] = {
#define KNOWN(name_space, name, verdict) {name_space, name, VERDICT_##verdict},
#include "data/known_types.def"
#undef KNOWN
};

static int compare_known(const void *left, const void *right)
{
    const struct known_type *a = left;
    const struct known_type *b = right;
    int order = strcmp(a->name_space, b->name_space);
    return order != 0 ? order : strcmp(a->name, b->name);
}

static enum verdict verdict_by_name(const char *name_space, const char *name)
{
    struct known_type key = {name_space, name, VERDICT_UNKNOWN};
    const struct known_type *known = bsearch(&key, known_types, sizeof known_types / sizeof key,
                                             sizeof key, compare_known);
    return known ? known->verdict : VERDICT_UNRESOLVED;
}

/* ---- types known by definition ---- */

static bool extends(const struct ilp_image *image, ilp_rid type, const char *base)
{
    const char *name_space;
    const char *name;
    ilpi_type_name(image, ilp_cell(image, ILP_TypeDef, type, ILP_TypeDef_Extends), &name_space, &name);
    return strcmp(name_space, "System") == 0 && strcmp(name, base) == 0;
}

/* Older core libraries do not mark these three; compilers embed the attribute in any assembly. */
static enum verdict read_definition(struct ilpi_type_def def)
{
    const char *name_space;
    const char *name;
    if (extends(def.image, def.rid, "Enum")) {
        return VERDICT_BOXABLE;
    }
    if (!extends(def.image, def.rid, "ValueType")) {
        return VERDICT_UNRESOLVED; /* the signature says value type, the definition does not */
    }
    ilp_token type = ILP_TOKEN(ILP_TypeDef, def.rid);
    ilpi_type_name(def.image, type, &name_space, &name);
    if (strcmp(name_space, "System") == 0 &&
        (strcmp(name, "TypedReference") == 0 || strcmp(name, "ArgIterator") == 0 ||
         strcmp(name, "RuntimeArgumentHandle") == 0 || strcmp(name, "Void") == 0)) {
        return VERDICT_BYREF_LIKE;
    }
    return ilpi_has_attribute(def.image, type, "System.Runtime.CompilerServices",
                              "IsByRefLikeAttribute")
               ? VERDICT_BYREF_LIKE
               : VERDICT_BOXABLE;
}

/* Many references may lead to one definition here: it is looked at once. */
static enum verdict verdict_by_definition(struct ilpi_policy *policy, struct ilpi_type_def def)
{
    if (def.image != policy->image) {
        return read_definition(def);
    }
    uint8_t *remembered = &policy->verdicts[1][def.rid];
    if (*remembered == VERDICT_UNKNOWN) {
        *remembered = (uint8_t)read_definition(def);
    }
    return (enum verdict)*remembered;
}

static ilp_status find_verdict(struct ilpi_policy *policy, ilp_token type, uint8_t *verdict,
                               struct ilp_error *error)
{
    struct ilpi_type_def def;
    ILPI_TRY(ilpi_resolve_type(policy->image, type, policy->resolver, &def, error));
    *verdict = (uint8_t)(def.image ? verdict_by_definition(policy, def) : VERDICT_UNRESOLVED);
    bool nested = ILP_TOKEN_TABLE(type) == ILP_TypeRef &&
                  ILP_TOKEN_TABLE(ilp_cell(policy->image, ILP_TypeRef, ILP_TOKEN_RID(type),
                                           ILP_TypeRef_ResolutionScope)) == ILP_TypeRef;
    if (!def.image && !nested) {
        const char *name_space;
        const char *name;
        ilpi_type_name(policy->image, type, &name_space, &name);
        *verdict = (uint8_t)verdict_by_name(name_space, name);
    }
    return ILP_OK;
}

static ilp_status verdict_on(struct ilpi_policy *policy, ilp_token type, enum verdict *verdict,
                             struct ilp_error *error)
{
    unsigned table = ILP_TOKEN_TABLE(type);
    ilp_rid rid = ILP_TOKEN_RID(type);
    *verdict = VERDICT_UNRESOLVED;
    if ((table != ILP_TypeRef && table != ILP_TypeDef) || rid == 0 ||
        rid > policy->image->tables[table].count) {
        return ILP_OK;
    }
    uint8_t *remembered = &policy->verdicts[table == ILP_TypeDef][rid];
    if (*remembered == VERDICT_UNKNOWN) {
        ILPI_TRY(find_verdict(policy, type, remembered, error));
    }
    *verdict = (enum verdict)*remembered;
    return ILP_OK;
}

/* ---- decisions ---- */

/* What a type parameter may stand for is said by its GenericParam row. */
static enum ilp_reason decide_variable(const struct ilpi_policy *policy, ilp_token owner,
                                       uint32_t number)
{
    ilp_rid param = ilpi_find_generic_param(policy->image, owner, number);
    if (param == 0) {
        return ILP_REASON_BAD_SIGNATURE;
    }
    uint32_t flags = ilp_cell(policy->image, ILP_GenericParam, param, ILP_GenericParam_Flags);
    return flags & GENERIC_PARAM_ALLOWS_REF ? ILP_REASON_ALLOWS_REF : ILP_REASON_INSPECTED;
}

/* A value type by its token. A boxable generic type stays boxable whatever its arguments are: one that
 * could hold a byref-like argument in a field is itself byref-like. */
static ilp_status decide_value_type(struct ilpi_policy *policy, ilp_token type,
                                    struct ilpi_decision *decision, struct ilp_error *error)
{
    enum verdict verdict;
    ILPI_TRY(verdict_on(policy, type, &verdict, error));
    decision->reason = verdict == VERDICT_BOXABLE      ? ILP_REASON_INSPECTED
                       : verdict == VERDICT_BYREF_LIKE ? ILP_REASON_BYREF_LIKE
                                                       : ILP_REASON_UNRESOLVED;
    decision->unresolved = verdict == VERDICT_UNRESOLVED ? type : 0;
    return ILP_OK;
}

static ilp_status decide_type(struct ilpi_policy *policy, ilp_rid owner, ilp_rid method,
                              const struct ilp_type *type, struct ilpi_decision *decision,
                              struct ilp_error *error)
{
    type = ilpi_type_unmodified(type);
    decision->reason = ILP_REASON_INSPECTED;
    switch (type->element) {
    case ILP_ELEMENT_VOID:
        decision->reason = ILP_REASON_VOID;
        return ILP_OK;
    case ILP_ELEMENT_BYREF:
        decision->reason = ILP_REASON_BYREF;
        return ILP_OK;
    case ILP_ELEMENT_PTR:
    case ILP_ELEMENT_FNPTR:
        decision->reason = ILP_REASON_POINTER;
        return ILP_OK;
    case ILP_ELEMENT_TYPEDBYREF:
        decision->reason = ILP_REASON_BYREF_LIKE;
        return ILP_OK;
    case ILP_ELEMENT_VALUETYPE:
        decision->box = ILPI_BOX_NAMED;
        decision->type = type->token;
        return decide_value_type(policy, type->token, decision, error);
    case ILP_ELEMENT_GENERICINST:
        if (type->inner->element == ILP_ELEMENT_VALUETYPE) {
            decision->box = ILPI_BOX_SPEC;
            decision->spec = type->raw;
            return decide_value_type(policy, type->inner->token, decision, error);
        }
        return ILP_OK;
    case ILP_ELEMENT_VAR:
    case ILP_ELEMENT_MVAR:
        decision->box = ILPI_BOX_SPEC;
        decision->spec = type->raw;
        decision->reason = decide_variable(policy,
                                           type->element == ILP_ELEMENT_VAR
                                               ? ILP_TOKEN(ILP_TypeDef, owner)
                                               : ILP_TOKEN(ILP_MethodDef, method),
                                           type->number);
        return ILP_OK;
    default:
        if (ilpi_element_is_primitive_value(type->element)) {
            decision->box = ILPI_BOX_PRIMITIVE;
            decision->element = type->element;
        }
        return ILP_OK;
    }
}

/* Task, Task<T>, ValueTask or ValueTask<T>: the declared type of a runtime-async method. Sets *result to
 * the T, or to NULL when there is none; false for any other type. */
static bool unwrap_task(const struct ilp_image *image, const struct ilp_type *type,
                        const struct ilp_type **result)
{
    const struct ilp_type *named = type->element == ILP_ELEMENT_GENERICINST ? type->inner : type;
    if (named->element != ILP_ELEMENT_CLASS && named->element != ILP_ELEMENT_VALUETYPE) {
        return false;
    }
    const char *name_space;
    const char *name;
    ilpi_type_name(image, named->token, &name_space, &name);
    bool generic = type->element == ILP_ELEMENT_GENERICINST;
    *result = generic ? named->next : NULL;
    return strcmp(name_space, "System.Threading.Tasks") == 0 &&
           (strcmp(name, generic ? "Task`1" : "Task") == 0 ||
            strcmp(name, generic ? "ValueTask`1" : "ValueTask") == 0);
}

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
        if (!unwrap_task(image, ilpi_type_unmodified(type), &type)) {
            return ILP_OK;
        }
        if (!type) {
            decision->reason = ILP_REASON_VOID;
            return ILP_OK;
        }
    }
    return decide_type(policy, owner, method, type, decision, error);
}

/* A type parameter is another one in each type or method; a broken signature has more to tell; the answer for
 * a runtime-async method is not that for others. */
static bool depends_on_method(const struct ilpi_decision *decision)
{
    return decision->reason == ILP_REASON_BAD_SIGNATURE ||
           (decision->spec.size != 0 && (decision->spec.data[0] == ILP_ELEMENT_VAR ||
                                         decision->spec.data[0] == ILP_ELEMENT_MVAR));
}

ilp_status ilpi_policy_decide(struct ilpi_policy *policy, ilp_rid owner, ilp_rid method,
                              struct ilpi_decision *decision, struct ilp_error *error)
{
    const struct ilp_image *image = policy->image;
    uint32_t blob = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Signature);
    bool async = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_ImplFlags) & METHOD_IMPL_ASYNC;
    struct ilpi_remembered_decision *remembered =
        &policy->decisions[blob % ILPI_REMEMBERED_DECISIONS];
    if (!async && blob != 0 && remembered->blob == blob) {
        *decision = remembered->decision;
        return ILP_OK;
    }
    ILPI_TRY(decide_signature(policy, owner, method, blob, async, decision, error));
    if (!async && !depends_on_method(decision)) {
        *remembered = (struct ilpi_remembered_decision){blob, *decision};
    }
    return ILP_OK;
}

ilp_status ilpi_policy_init(struct ilpi_policy *policy, struct ilp_image *image,
                            const struct ilp_resolver *resolver, struct ilpi_heap *heap,
                            struct ilp_arena *arena, struct ilp_error *error)
{
    *policy = (struct ilpi_policy){.image = image, .resolver = resolver, .scratch = {.heap = heap}};
    size_t decisions = ILPI_REMEMBERED_DECISIONS * sizeof *policy->decisions;
    policy->decisions = ilpi_arena_alloc(arena, decisions);
    if (!policy->decisions) {
        return ilpi_fail_memory(error, decisions);
    }
    for (unsigned i = 0; i < 2; i++) {
        size_t rows = (size_t)image->tables[i == 0 ? ILP_TypeRef : ILP_TypeDef].count + 1;
        policy->verdicts[i] = ilpi_arena_alloc(arena, rows);
        if (!policy->verdicts[i]) {
            return ilpi_fail_memory(error, rows);
        }
    }
    return ILP_OK;
}

void ilpi_policy_free(struct ilpi_policy *policy)
{
    ilpi_arena_free(&policy->scratch);
}
