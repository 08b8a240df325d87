/* Chooses the overload that takes a value: the one for exactly its type, else a generic one, else
 * the one for objects. A byref-like value cannot be boxed, and a generic method takes it only with
 * `allows ref struct`; the same goes for a value type that was not found, which may be
 * byref-like. */
#include "inspect/overload.h"

#include "inspect/native/native.h"
#include "types/closed_type.h"

/* ---- typed overloads ---- */

/* Compares the value's type with those of all typed overloads. */
static ilp_status find_typed(struct ilpi_method_job *job, struct ilp_bytes type,
                             struct ilpi_remembered_overloads *found, struct ilp_error *error)
{
    const struct ilp_inspector *inspector = job->binding->inspector;
    struct ilp_sig *sig;
    /* the method's may hold the body */
    struct ilp_arena *scratch = &job->module->policy.scratch;
    ilpi_arena_reset(scratch);
    ILPI_TRY(ilp_sig_read(&sig, type, ILP_SIG_TYPE_SPEC, 0, scratch, error));
    *found = (struct ilpi_remembered_overloads){.type = type.data};
    struct ilpi_closed_type own = {job->module->image, sig->ret, NULL};
    struct ilpi_type_equality equality = {ILPI_NAMES_RESOLVED, true, job->module->resolver};
    for (size_t i = 0; i < inspector->overload_count; i++) {
        const struct ilpi_overload *overload = &inspector->overloads[i];
        struct ilpi_closed_type taken = {inspector->assembly, overload->type, NULL};
        if (overload->form == ILPI_OVERLOAD_TYPED && ilpi_same_type(&equality, own, taken)) {
            found->overloads[overload->state][overload->takes] = overload;
        }
    }
    return ILP_OK;
}

/* Methods with one signature return one type, at one address in the image: the last result for that
 * address is kept. */
static ilp_status typed_overloads(struct ilpi_method_job *job, struct ilp_bytes type,
                                  struct ilpi_remembered_overloads **found, struct ilp_error *error)
{
    size_t place = (size_t)((uintptr_t)type.data % ILPI_REMEMBERED_OVERLOADS);
    *found = &job->binding->remembered[place];
    return (*found)->type == type.data ? ILP_OK : find_typed(job, type, *found, error);
}

/* ---- choosing ---- */

/* Takes the overload, by the parameter after the value, that fits what the rule passes; only the
 * method's name may be dropped. Beside an overload that takes the name, one that takes the id is
 * kept as the fallback. It has to take and return the same, since the code around the call is
 * planned by then. */
static bool take_one(struct ilpi_method_job *job,
                     const struct ilpi_overload *const overloads[ILP_PASS_COUNT])
{
    uint8_t pass = job->action.pass;
    const struct ilpi_overload *overload = pass == ILP_PASS_NAME && !overloads[pass]
                                               ? overloads[ILP_PASS_VALUE]
                                               : overloads[pass];
    const struct ilpi_overload *fallback = overloads[ILP_PASS_ID];
    bool usable = overload && fallback && overload->takes == ILP_PASS_NAME &&
                  job->module->module_number != 0 && overload->replaces == fallback->replaces &&
                  overload->allows_ref == fallback->allows_ref && !overload->state;
    job->overload = overload;
    job->fallback = usable ? fallback : NULL;
    return overload != NULL;
}

/* For a form other than the typed one. */
static bool take_form(struct ilpi_method_job *job, enum ilpi_overload_form form, bool byref_like)
{
    const struct ilp_inspector *inspector = job->binding->inspector;
    const struct ilpi_overload *const *overloads = inspector->values[job->passes_state][form];
    const struct ilpi_overload *allowing[ILP_PASS_COUNT];
    if (!byref_like) {
        return take_one(job, overloads);
    }
    for (unsigned i = 0; i < ILP_PASS_COUNT; i++) {
        allowing[i] = overloads[i] && overloads[i]->allows_ref ? overloads[i] : NULL;
    }
    return take_one(job, allowing);
}

/* A reference (by_reference) is dereferenced into an object, so typed and generic overloads do not
 * apply to it. The first that fits, from left to right:
 *
 *   value                          typed   generic                    object
 *   plain                          yes     yes                        yes
 *   by reference                   no      no                         yes
 *   byref-like, or perhaps         yes     if it allows ref struct    no
 *   TypedReference                 no      no                         no */
ilp_status ilpi_overload_choose(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilpi_decision *decision = &job->decision;
    bool plain = decision->reason == ILP_REASON_INSPECTED;
    bool byref_like = decision->reason == ILP_REASON_BYREF_LIKE ||
                      decision->reason == ILP_REASON_ALLOWS_REF ||
                      decision->reason == ILP_REASON_UNRESOLVED;
    job->overload = NULL;
    job->fallback = NULL;
    if (job->binding->inspector->native) {
        return ilpi_native_choose(job, error);
    }
    if (!plain && !byref_like) {
        return ILP_OK;
    }
    bool as_it_is = !decision->by_reference && decision->value.data[0] != ILP_ELEMENT_TYPEDBYREF;
    bool taken = false;
    if (as_it_is && job->binding->remembered) {
        struct ilpi_remembered_overloads *typed;
        ILPI_TRY(typed_overloads(job, decision->value, &typed, error));
        taken = take_one(job, typed->overloads[job->passes_state]);
    }
    taken = taken || (as_it_is && take_form(job, ILPI_OVERLOAD_GENERIC, byref_like));
    if (taken || (plain && take_form(job, ILPI_OVERLOAD_OBJECT, false))) {
        decision->reason = ILP_REASON_INSPECTED;
    } else if (plain) {
        decision->reason = ILP_REASON_NO_OVERLOAD;
    }
    return ILP_OK;
}
