/* What may be passed to a native function. It is called with the address of a copy of the value
 * (native_call.c), so that nothing is boxed and byref-like values can be shown, too. But a garbage
 * collection may move the objects that a value refers to while native code reads them, unless the
 * call stays in the runtime's cooperative mode. */
#include "inspect/native/native.h"

#include "sig/sig.h"
#include "types/value_size.h"

static const char interop_services[] = "System.Runtime.InteropServices";
static const char suppress_attribute[] = "SuppressGCTransitionAttribute";

/* ---- opening ---- */

/* Rows that others are reached through must be at the end of their table. */
static ilp_status check_tables(const struct ilpi_module_context *module, struct ilp_error *error)
{
    static const uint8_t indirect[] = {ILP_FieldPtr, ILP_MethodPtr, ILP_ParamPtr};
    for (size_t i = 0; i < sizeof indirect; i++) {
        if (ilp_row_count(module->image, indirect[i]) != 0) {
            return ilpi_fail(error, ILP_E_CANNOT_EMBED, ILPI_NO_OFFSET, 0,
                             "no P/Invoke method can be added: the module has a table %s",
                             ilp_table_name(indirect[i]));
        }
    }
    return ILP_OK;
}

/* An older runtime ignores the attribute, and may collect garbage during the call. */
static ilp_status check_suppression(const struct ilpi_module_context *module,
                                    struct ilp_error *error)
{
    struct ilp_assembly_name core = module->core.name;
    struct ilpi_type_def def = {NULL, 0};
    bool there = false;
    if (module->core.token != 0) {
        ilpi_assembly_ref_name(module->image, ILP_TOKEN_RID(module->core.token), &core);
    }
    if (core.name) {
        def = ilpi_resolve_name(&core, interop_services, suppress_attribute, module->resolver,
                                &there);
    }
    return def.image
               ? ILP_OK
               : ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
                           "no GC transition can be left out: %s, and .NET 5 is the first to know "
                           "%s",
                           there ? "the module is built for an older framework"
                                 : "the module's core library was not found",
                           suppress_attribute);
}

/* Finds the P/Invoke method that an earlier patch added, by its name and signature. */
static void find_added(const struct ilp_image *image, struct ilpi_inspector_binding *binding)
{
    static const uint8_t signature[] = ILPI_NATIVE_SIGNATURE;
    ilp_rid first;
    ilp_rid end;
    if (binding->embedded == 0) {
        return;
    }
    ilpi_list(image, ILP_TypeDef, binding->embedded, ILP_TypeDef_MethodList, &first, &end);
    struct ilp_bytes own = ilp_blob(image,
                                    ilp_cell(image, ILP_MethodDef, first, ILP_MethodDef_Signature));
    /* a class with other methods is not one that an emitter has added */
    if (end - first != 1 || own.size != sizeof signature ||
        memcmp(own.data, signature, sizeof signature) != 0) {
        binding->embedded = 0;
    } else {
        binding->made->calls[ILPI_OVERLOAD_NATIVE][ILP_PASS_ID] = ILP_TOKEN(ILP_MethodDef, first);
    }
}

/* A binding by address needs nothing in the module but signatures; by name, a class with a P/Invoke
 * method. */
ilp_status ilpi_native_open(struct ilpi_module_context *module,
                            struct ilpi_inspector_binding *binding, struct ilp_error *error)
{
    const struct ilp_native *native = binding->inspector->native;
    size_t size = ILPI_REMEMBERED_REFERENCES * sizeof *binding->references;
    binding->references = ilpi_arena_alloc(&module->arena, size);
    if (!binding->references) {
        return ilpi_fail_memory(error, size);
    }
    if (ilpi_native_is_by_address(native)) {
        binding->embedded = 0;
        return ILP_OK;
    }
    find_added(module->image, binding);
    ILPI_TRY(check_tables(module, error));
    return ilpi_native_stays_cooperative(native) ? check_suppression(module, error) : ILP_OK;
}

/* ---- choosing ---- */

/* Results are remembered by the address of the type, as for typed overloads (overload.c). */
static ilp_status find_references(struct ilpi_module_context *module, struct ilp_bytes type,
                                  struct ilpi_remembered_references *found, struct ilp_error *error)
{
    struct ilp_arena *scratch = &module->policy.scratch; /* that of the method may hold the body */
    struct ilp_sig *sig;
    ilpi_arena_reset(scratch);
    ILPI_TRY(ilp_sig_read(&sig, type, ILP_SIG_TYPE_SPEC, 0, scratch, error));
    *found = (struct ilpi_remembered_references){.type = NULL};
    struct ilpi_value_query query = {module->image, sig->ret, module->resolver, scratch, NULL};
    ILPI_TRY(ilpi_value_references(&query, &found->holds, &found->unresolved, error));
    found->type = type.data;
    return ILP_OK;
}

/* Whether a garbage collection could move what the value refers to: objects, and their contents.
 * Primitives cannot; a struct is searched for references by its definition; everything else is
 * refused. */
static ilp_status check_references(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilpi_decision *decision = &job->decision;
    uint8_t element = decision->value.data[0];
    if (decision->box == ILPI_BOX_PRIMITIVE) {
        return ILP_OK;
    }
    bool structure = element == ILP_ELEMENT_VALUETYPE || element == ILP_ELEMENT_GENERICINST;
    if (decision->reason != ILP_REASON_INSPECTED || decision->box == ILPI_BOX_NONE || !structure) {
        decision->reason = decision->reason == ILP_REASON_UNRESOLVED ? ILP_REASON_UNRESOLVED
                                                                     : ILP_REASON_MANAGED_REFERENCE;
        return ILP_OK;
    }
    struct ilpi_remembered_references *known =
        &job->binding
             ->references[(size_t)((uintptr_t)decision->value.data % ILPI_REMEMBERED_REFERENCES)];
    if (known->type != decision->value.data) {
        ILPI_TRY(find_references(job->module, decision->value, known, error));
    }
    if (known->holds == ILP_UNKNOWN && known->unresolved != 0) {
        decision->reason = ILP_REASON_UNRESOLVED;
        decision->unresolved = known->unresolved;
    } else if (known->holds != ILP_NO) {
        decision->reason = ILP_REASON_MANAGED_REFERENCE;
    }
    return ILP_OK;
}

/* A constructor without parameters runs for each object, and its call has nothing to show; a static
 * one has no parameters. */
static bool is_bare_constructor(const struct ilpi_method_job *job)
{
    const struct ilp_image *image = job->module->image;
    uint32_t blob = ilp_cell(image, ILP_MethodDef, job->method, ILP_MethodDef_Signature);
    struct ilpi_sig_call call;
    return ilpi_is_named(job, ".cctor") ||
           (ilpi_is_constructor(job) &&
            (ilpi_sig_call_shape(ilp_blob(image, blob), 0, &call, NULL) != ILP_OK ||
             call.params == 0));
}

/* Whether the end of a call that returns nothing is passed. */
static bool passes_end(const struct ilpi_method_job *job)
{
    return job->decision.reason == ILP_REASON_VOID && job->passes_state &&
           job->binding->inspector->native->arguments.leave != 0 && !is_bare_constructor(job);
}

/* The function has one form, so nothing is chosen but whether the value may be passed: byref-like
 * values may, as no box is made, and references only if they cannot move meanwhile. */
ilp_status ilpi_native_choose(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilpi_decision *decision = &job->decision;
    const struct ilp_inspector *inspector = job->binding->inspector;
    bool byref_like = decision->reason == ILP_REASON_BYREF_LIKE ||
                      decision->reason == ILP_REASON_ALLOWS_REF ||
                      decision->reason == ILP_REASON_UNRESOLVED;
    job->ends = passes_end(job);
    if (job->ends) {
        decision->reason = ILP_REASON_INSPECTED;
        job->overload = &inspector->overloads[0];
        return ILP_OK;
    }
    if ((decision->reason != ILP_REASON_INSPECTED && !byref_like) ||
        (byref_like && decision->box == ILPI_BOX_NONE)) {
        /* TypedReference, which sizeof does not accept */
        return ILP_OK;
    }
    if (!ilpi_native_stays_cooperative(inspector->native) &&
        job->action.references == ILP_REFERENCES_SKIP) {
        ILPI_TRY(check_references(job, error));
        if (decision->reason != ILP_REASON_INSPECTED) {
            return ILP_OK;
        }
    }
    decision->reason = ILP_REASON_INSPECTED;
    job->overload = &inspector->overloads[0];
    return ILP_OK;
}
