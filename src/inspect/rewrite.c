/* Decides about one method and rewrites it. See rewrite.h for the way of the bytes.
 *
 * Every step that can refuse comes before the first token is asked for, so that a refused method leaves no
 * trace in the module.
 */
#include "inspect/rewrite.h"

#include <stdio.h>

#include "inspect/embed/embed.h"
#include "inspect/native/native.h"
#include "metadata/flags.h"
#include "types/task_type.h"

ilp_status ilpi_refuse_method(struct ilp_method_result *result, enum ilp_reason reason, ilp_status status,
                       const struct ilp_error *why, struct ilp_error *error)
{
    enum ilp_class class = ilp_status_class(status);
    result->inspected = 0;
    result->stripped = 0;
    result->body = (struct ilp_bytes){NULL, 0};
    if (class == ILP_CLASS_DATA || class == ILP_CLASS_LIMIT || class == ILP_CLASS_UNSUPPORTED) {
        result->reason = class == ILP_CLASS_LIMIT ? ILP_REASON_LIMIT : reason;
        snprintf(result->detail, sizeof result->detail, "%s", why->message);
        return ILP_OK;
    }
    if (error) {
        *error = *why;
    }
    return status;
}

/* Methods are asked for in the order of their rows, mostly. */
static ilp_rid owner_of(struct ilp_rewriter *rewriter, ilp_rid method)
{
    bool known = rewriter->owner_first <= method && method < rewriter->owner_end;
    if (!known || rewriter->image->method_position) {
        rewriter->owner = ilp_owner_of_method(rewriter->image, method);
        ilpi_list(rewriter->image, ILP_TypeDef, rewriter->owner, ILP_TypeDef_MethodList,
                  &rewriter->owner_first, &rewriter->owner_end);
        rewriter->owner_is_embedded = ilpi_is_embedded(rewriter->image, rewriter->owner);
        rewriter->owner_listed =
            ilpi_is_core_library(rewriter) &&
            ilpi_denylist_reason(rewriter->image, rewriter->owner, NULL) != NULL;
    }
    return rewriter->owner;
}

/* Finds the body of a MethodDef; empty when it has none, with the reason. */
static struct ilp_bytes find_body(const struct ilp_rewriter *rewriter, ilp_rid method,
                                  uint64_t *offset, struct ilp_method_result *result)
{
    const struct ilp_image *image = rewriter->image;
    uint32_t rva = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_RVA);
    struct ilp_bytes bytes = {NULL, 0};
    if (rva == 0) {
        result->reason = ILP_REASON_NO_BODY;
        return bytes;
    }
    bytes = ilp_image_rva(image, rva, offset);
    if (bytes.size == 0) {
        result->reason = ILP_REASON_BAD_BODY;
        snprintf(result->detail, sizeof result->detail, "RVA 0x%X leads outside of the file", rva);
    }
    return bytes;
}

ilp_status ilpi_analyse(struct ilp_rewriter *rewriter, struct ilp_bytes bytes, uint64_t offset,
                        bool returns, struct ilp_body *body, struct ilp_method_result *result,
                        struct ilp_error *error)
{
    struct ilpi_calls calls = {&rewriter->call_shapes, ilpi_call_shape_of};
    ilpi_arena_reset(&rewriter->scratch);
    ILPI_TRY(ilp_body_read(body, bytes, offset, &rewriter->scratch, error));
    ILPI_TRY(ilpi_spend(&rewriter->budget, body->size, error));
    result->old_size = (uint32_t)body->size;
    ILPI_TRY(ilpi_code_decode(&rewriter->code, body, error));
    return ilpi_stack_compute(&rewriter->stack, &rewriter->code, body, &calls, returns, error);
}

/* How high the stack gets from the value to the call: the value, and behind it the name or its like, or its copy while a
 * reference is looked at; below it `this`, where an iterator's field is written, too. */
static uint32_t call_height(const struct ilp_rewriter *rewriter, const struct ilpi_decision *decision)
{
    const struct ilp_inspector *inspector = rewriter->binding->inspector;
    if (inspector->native) {
        return ilpi_native_height(inspector);
    }
    return 1u + (rewriter->overload->takes != ILP_PASS_VALUE || decision->by_reference) +
           (rewriter->location.field != 0 && rewriter->overload->replaces);
}

static uint32_t new_max_stack(const struct ilp_rewriter *rewriter, const struct ilp_body *body,
                              const struct ilpi_decision *decision)
{
    uint32_t height = call_height(rewriter, decision);
    uint32_t needed = 0;
    for (size_t i = 0; i < rewriter->insertion_count; i++) {
        uint32_t depth = rewriter->stack.depth[rewriter->insertions[i].insn];
        uint32_t here = !rewriter->treatment.guard ? depth + height : depth > height ? depth : height;
        needed = here > needed ? here : needed;
    }
    uint32_t computed = rewriter->stack.max > needed ? rewriter->stack.max : needed;
    return body->fat && body->max_stack > computed ? body->max_stack : computed;
}

/* Makes the tokens and the new body. */
static ilp_status build(struct ilp_rewriter *rewriter, const struct ilp_body *body,
                        const struct ilpi_decision *decision, ilp_rid owner, ilp_rid method,
                        struct ilp_method_result *result, struct ilp_error *error)
{
    size_t size;
    ILPI_TRY(ilpi_sequence_build(rewriter, decision, owner, method, &size, error));
    result->nameless = result->passes != rewriter->overload->takes;
    result->passes = rewriter->overload->takes;
    result->id = result->passes == ILP_PASS_ID ? ilpi_method_id(rewriter, method) : 0;
    result->value = result->native ? decision->value : (struct ilp_bytes){NULL, 0};
    for (size_t i = 0; i < rewriter->insertion_count; i++) {
        struct ilpi_insertion *insertion = &rewriter->insertions[i];
        uint32_t skipped = 1 - insertion->entry; /* the ret in front, unless it is needed */
        insertion->bytes = (struct ilp_bytes){rewriter->sequence + skipped, size - skipped};
    }
    ILPI_TRY(ilpi_patch_apply(&rewriter->patch, &rewriter->code, body, rewriter->insertions,
                              rewriter->insertion_count, error));
    struct ilp_body changed = *body;
    changed.code = ilpi_buf_bytes(&rewriter->patch.code);
    changed.clauses = rewriter->patch.clauses;
    if (rewriter->binding->inspector->native) {
        ILPI_TRY(ilpi_native_locals(rewriter, decision, &changed, error));
    } else if (rewriter->treatment.guard) {
        ILPI_TRY(ilpi_guard_locals(rewriter, decision, &changed, error));
        ILPI_TRY(ilpi_guard_clauses(rewriter, &changed, error));
    }
    changed.max_stack = (uint16_t)new_max_stack(rewriter, body, decision);
    rewriter->body.size = 0;
    rewriter->body.status = ILP_OK;
    ILPI_TRY(ilpi_body_write(&rewriter->body, &changed, error));
    result->body = ilpi_buf_bytes(&rewriter->body);
    rewriter->has_map = true;
    result->moved = ilpi_patch_moves(&rewriter->patch, &rewriter->code);
    return ILP_OK;
}

ilp_status ilpi_insert(struct ilp_rewriter *rewriter, const struct ilp_body *body,
                       const struct ilpi_decision *decision, ilp_rid owner, ilp_rid method,
                       struct ilp_method_result *result, struct ilp_error *error)
{
    if (rewriter->binding->inspector->native) {
        ILPI_TRY(ilpi_native_check(rewriter, body, error));
    } else if (rewriter->treatment.guard) {
        ILPI_TRY(ilpi_guard_check(rewriter, body, error));
    }
    return rewriter->emitter ? build(rewriter, body, decision, owner, method, result, error) : ILP_OK;
}

enum ilp_reason ilpi_reason_for_none(const struct ilp_method_result *result)
{
    return result->already != 0                              ? ILP_REASON_ALREADY
           : result->tail_calls != 0 || result->jumps != 0 ? ILP_REASON_TAIL_CALL
                                                             : ILP_REASON_NO_RETURN;
}

/* The assembly that a TypeRef asks for, "" where it asks for none: the user may know where that is. */
static const char *assembly_of(const struct ilp_image *image, ilp_token type)
{
    for (unsigned depth = 0; depth < 32 && ILP_TOKEN_TABLE(type) == ILP_TypeRef; depth++) {
        type = ilp_cell(image, ILP_TypeRef, ILP_TOKEN_RID(type), ILP_TypeRef_ResolutionScope);
    }
    return ILP_TOKEN_TABLE(type) == ILP_AssemblyRef
               ? ilp_string(image, ilp_cell(image, ILP_AssemblyRef, ILP_TOKEN_RID(type), ILP_AssemblyRef_Name))
               : "";
}

/* "[Assembly]Namespace.Type", as in ILAsm. */
static void tell_unresolved(const struct ilp_rewriter *rewriter,
                            const struct ilpi_decision *decision, struct ilp_method_result *result)
{
    const char *name_space;
    const char *name;
    const char *assembly = assembly_of(rewriter->image, decision->unresolved);
    ilpi_type_name(rewriter->image, decision->unresolved, &name_space, &name);
    snprintf(result->detail, sizeof result->detail, assembly[0] != '\0' ? "[%.80s]%s%s%s" : "%s%s%s%s", assembly,
             name_space, name_space[0] != '\0' ? "." : "", name);
}

/* Whether a method returns a task is asked only where it matters: other types may have to be resolved for it. */
static ilp_status returns_task(struct ilp_rewriter *rewriter, ilp_rid method, enum ilp_truth *answer,
                               ilp_token *unresolved, struct ilp_error *error)
{
    struct ilp_image *image = rewriter->image;
    uint32_t blob = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Signature);
    struct ilp_sig *sig;
    ilpi_arena_reset(&rewriter->scratch);
    ILPI_TRY(ilp_sig_read(&sig, ilp_blob(image, blob), ILP_SIG_METHOD, ilpi_blob_offset(image, blob),
                          &rewriter->scratch, error));
    return ilpi_is_task(image, ilpi_type_unmodified(sig->ret), rewriter->resolver, answer, unresolved,
                        error);
}

/* The decision by the signature alone, changed by what the user asks for. */
static ilp_status treat(struct ilp_rewriter *rewriter, ilp_rid method, struct ilpi_decision *decision,
                        struct ilp_error *error)
{
    const struct ilp_treatment *treatment = &rewriter->treatment;
    decision->by_reference =
        decision->reason == ILP_REASON_BYREF && treatment->byref == ILP_BYREF_INSPECT;
    if (decision->by_reference) {
        decision->reason = decision->pointee;
    }
    decision->address =
        decision->reason == ILP_REASON_POINTER && treatment->pointers == ILP_POINTERS_INSPECT;
    if (decision->address) {
        static const uint8_t native_uint[] = {ILP_ELEMENT_U};
        decision->value = (struct ilp_bytes){native_uint, sizeof native_uint};
        decision->reason = ILP_REASON_INSPECTED;
    }
    if (decision->reason == ILP_REASON_INSPECTED && treatment->async == ILP_ASYNC_SKIP && method != 0) {
        enum ilp_truth task;
        ILPI_TRY(returns_task(rewriter, method, &task, &decision->unresolved, error));
        decision->reason = task == ILP_YES  ? ILP_REASON_TASK
                           : task == ILP_NO ? ILP_REASON_INSPECTED
                                            : ILP_REASON_UNRESOLVED;
    }
    return ILP_OK;
}

ilp_status ilpi_take_decision(struct ilp_rewriter *rewriter, ilp_rid method,
                              struct ilpi_decision *decision, struct ilp_method_result *result,
                              struct ilp_error *error)
{
    ILPI_TRY(treat(rewriter, method, decision, error));
    ILPI_TRY(ilpi_overload_choose(rewriter, decision, error));
    result->reason = decision->reason;
    if (decision->reason == ILP_REASON_UNRESOLVED) {
        tell_unresolved(rewriter, decision, result);
    }
    if (!rewriter->overload) {
        return ILP_OK;
    }
    result->boxed = decision->box != ILPI_BOX_NONE && rewriter->overload->form == ILPI_OVERLOAD_OBJECT;
    result->passes = rewriter->overload->takes;
    result->replaces = rewriter->overload->replaces;
    result->native = rewriter->overload->form == ILPI_OVERLOAD_NATIVE;
    bool needs_core = (result->boxed && decision->box == ILPI_BOX_PRIMITIVE) || rewriter->treatment.guard ||
                      rewriter->overload->takes == ILP_PASS_HANDLE ||
                      (result->native && ilpi_native_needs_core(rewriter->binding->inspector, decision));
    if (needs_core && rewriter->core_scope == 0 && !rewriter->core_name.name) {
        result->reason = ILP_REASON_NO_CORE_LIBRARY;
    }
    return ILP_OK;
}

/* Decides by the signature alone; whatever it is that a refusal has to tell is told in *result. */
static ilp_status decide(struct ilp_rewriter *rewriter, ilp_rid owner, ilp_rid method,
                         struct ilpi_decision *decision, struct ilp_method_result *result,
                         struct ilp_error *error)
{
    struct ilp_error why = {.status = ILP_OK};
    uint32_t blob = ilp_cell(rewriter->image, ILP_MethodDef, method, ILP_MethodDef_Signature);
    ilp_status status = ilpi_spend(&rewriter->budget, ilp_blob(rewriter->image, blob).size, &why);
    if (status == ILP_OK) {
        status = ilpi_policy_decide(&rewriter->policy, owner, method, decision, &why);
    }
    if (status != ILP_OK) {
        return ilpi_refuse_method(result, ILP_REASON_BAD_SIGNATURE, status, &why, error);
    }
    bool bad = decision->reason == ILP_REASON_BAD_SIGNATURE;
    ILPI_TRY(ilpi_take_decision(rewriter, method, decision, result, error));
    if (bad) {
        snprintf(result->detail, sizeof result->detail, "%s", why.message);
    }
    return ILP_OK;
}

static ilp_status rewrite_body(struct ilp_rewriter *rewriter, const struct ilpi_decision *decision,
                               ilp_rid owner, ilp_rid method, struct ilp_bytes bytes,
                               uint64_t offset, struct ilp_method_result *result,
                               struct ilp_error *error)
{
    struct ilp_body body;
    ILPI_TRY(ilpi_analyse(rewriter, bytes, offset, true, &body, result, error));
    ILPI_TRY(ilpi_sites_find(rewriter, result, error));
    result->tail_sites = rewriter->tail_sites;
    result->tail_site_count = rewriter->tail_site_count;
    if (rewriter->insertion_count == 0) {
        result->reason = ilpi_reason_for_none(result);
        return ILP_OK;
    }
    return ilpi_insert(rewriter, &body, decision, owner, method, result, error);
}

static ilp_status set_treatment(struct ilp_rewriter *rewriter, const struct ilp_treatment *treatment,
                                ilp_token method, struct ilp_error *error)
{
    rewriter->treatment = treatment ? *treatment : (struct ilp_treatment){0};
    treatment = &rewriter->treatment;
    if (treatment->inspector < rewriter->binding_count && rewriter->bindings[treatment->inspector].stands_in) {
        rewriter->treatment.pass = ILP_PASS_NAME;
        rewriter->treatment.guard = false;
    }
    if (treatment->inspector >= rewriter->binding_count ||
        !ilpi_has_form(rewriter->bindings[treatment->inspector].inspector, treatment) ||
        !ilpi_is_guardable(rewriter->bindings[treatment->inspector].inspector, treatment)) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, method,
                         "inspector %u is not there or lacks what is asked for", treatment->inspector);
    }
    rewriter->binding = &rewriter->bindings[treatment->inspector];
    bool ids = treatment->pass == ILP_PASS_ID || rewriter->binding->inspector->native;
    if (ids && rewriter->module_number == 0 && rewriter->emitter) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, method,
                         "ids are to be passed, but the request has no module_number for them");
    }
    return ILP_OK;
}

static bool answer_never(const struct ilp_rewriter *rewriter, ilp_rid method,
                         struct ilp_method_result *result)
{
    const struct ilp_image *image = rewriter->image;
    const char *why = ilpi_denylist_reason(
        image, rewriter->owner,
        ilp_string(image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name)));
    if (why) {
        result->reason = ILP_REASON_NEVER;
        snprintf(result->detail, sizeof result->detail, "%s", why);
    }
    return why != NULL;
}

ilp_status ilp_rewrite_method(struct ilp_rewriter *rewriter, ilp_token method,
                              const struct ilp_treatment *treatment, struct ilp_bytes body,
                              struct ilp_method_result *result, struct ilp_error *error)
{
    const struct ilp_image *image = rewriter->image;
    ilp_rid rid = ILP_TOKEN_RID(method);
    *result = (struct ilp_method_result){.reason = ILP_REASON_NO_BODY, .rule = ILP_NO_RULE};
    rewriter->has_map = false;
    rewriter->method = rid;
    rewriter->tail_site_count = 0;
    rewriter->location = (struct ilpi_value_location){.field = 0};
    if (ILP_TOKEN_TABLE(method) != ILP_MethodDef || rid - 1 >= image->tables[ILP_MethodDef].count) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, method, "0x%08X is no method here",
                         method);
    }
    ILPI_TRY(set_treatment(rewriter, treatment, method, error));
    ilp_rid owner = owner_of(rewriter, rid);
    if (rewriter->owner_is_embedded) {
        result->reason = ILP_REASON_INSPECTOR;
        return ILP_OK;
    }
    if (rewriter->owner_listed && answer_never(rewriter, rid, result)) {
        return ILP_OK;
    }
    uint32_t code_type =
        ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_ImplFlags) & ILPI_METHOD_IMPL_CODE_TYPE_MASK;
    if (code_type != ILPI_METHOD_IMPL_IL) {
        result->reason = code_type == ILPI_METHOD_IMPL_RUNTIME ? ILP_REASON_NO_BODY : ILP_REASON_NATIVE;
        return ILP_OK;
    }
    uint64_t offset = 0;
    if (body.size == 0) {
        body = find_body(rewriter, rid, &offset, result);
        if (body.size == 0) {
            return ILP_OK;
        }
    }
    bool done;
    ILPI_TRY(ilpi_rewrite_state_machine(rewriter, rid, owner, body, offset, result, &done, error));
    if (done) {
        return ILP_OK;
    }
    struct ilpi_decision decision;
    ILPI_TRY(decide(rewriter, owner, rid, &decision, result, error));
    if (result->reason != ILP_REASON_INSPECTED) {
        return ILP_OK;
    }
    struct ilp_error why = {.status = ILP_OK};
    ilp_status status = rewrite_body(rewriter, &decision, owner, rid, body, offset, result, &why);
    return status == ILP_OK ? ILP_OK : ilpi_refuse_method(result, ILP_REASON_BAD_BODY, status, &why, error);
}

ilp_status ilp_rewriter_map(struct ilp_rewriter *rewriter, const struct ilp_il_map **map, size_t *count,
                            struct ilp_error *error)
{
    *map = NULL;
    *count = 0;
    return rewriter->has_map ? ilpi_patch_map(&rewriter->patch, &rewriter->code, map, count, error)
                             : ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0, "the last method was not rewritten");
}
