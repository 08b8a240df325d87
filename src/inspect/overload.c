/* Chooses the inspector's method that takes a value: the one for exactly its type, else one for any type, else one for
 * objects. Boxing a byref-like value is not possible, and a method for any type takes it only if it says so; the same
 * goes for a value type that could not be found, which may be one.
 */
#include "inspect/native/native.h"
#include "types/type_identity.h"

/* ---- typed offers ---- */

/* Compares the value's type with those of all typed offers. */
static ilp_status find_typed(struct ilp_rewriter *rewriter, struct ilp_bytes type,
                             struct ilpi_remembered_offers *found, struct ilp_error *error)
{
    const struct ilp_inspector *inspector = rewriter->target->inspector;
    struct ilp_sig *sig;
    struct ilp_arena *scratch = &rewriter->policy.scratch; /* the rewriter's own may hold the body */
    ilpi_arena_reset(scratch);
    ILPI_TRY(ilp_sig_read(&sig, type, ILP_SIG_TYPE_SPEC, 0, scratch, error));
    *found = (struct ilpi_remembered_offers){.type = type.data};
    for (size_t i = 0; i < inspector->offer_count; i++) {
        const struct ilpi_offer *offer = &inspector->offers[i];
        struct ilpi_placed_type own = {rewriter->image, sig->ret};
        struct ilpi_placed_type taken = {inspector->assembly, offer->type};
        bool same = false;
        if (offer->form == ILPI_OFFER_TYPED) {
            ILPI_TRY(ilpi_same_type(own, taken, rewriter->resolver, &same, error));
        }
        if (same) {
            found->offers[offer->takes] = offer;
        }
    }
    return ILP_OK;
}

/* Methods with one signature return one type, which stands at one place in the image: what was found for it last is
 * kept. */
static ilp_status typed_offers(struct ilp_rewriter *rewriter, struct ilp_bytes type,
                               struct ilpi_remembered_offers **found, struct ilp_error *error)
{
    size_t place = (size_t)((uintptr_t)type.data % ILPI_REMEMBERED_OFFERS);
    *found = &rewriter->target->remembered[place];
    return (*found)->type == type.data ? ILP_OK : find_typed(rewriter, type, *found, error);
}

/* ---- choosing ---- */

/* Takes the one of `offers`, by what they take behind the value, that fits what the rule passes: of a method's name alone
 * it says that it need not be taken. Beside one that takes the name, one that takes the id is kept in reserve. */
static bool take_one(struct ilp_rewriter *rewriter, const struct ilpi_offer *const offers[ILP_PASS_COUNT])
{
    uint8_t pass = rewriter->treatment.pass;
    const struct ilpi_offer *offer =
        pass == ILP_PASS_NAME && !offers[pass] ? offers[ILP_PASS_VALUE] : offers[pass];
    const struct ilpi_offer *reserve = offers[ILP_PASS_ID];
    bool usable = offer && reserve && offer->takes == ILP_PASS_NAME && rewriter->module_number != 0 &&
                  offer->replaces == reserve->replaces && offer->allows_ref == reserve->allows_ref;
    rewriter->offer = offer;
    rewriter->reserve = usable ? reserve : NULL;
    return offer != NULL;
}

/* Of one form, which is not the typed one, there is at most one offer of each kind. */
static bool take_form(struct ilp_rewriter *rewriter, enum ilpi_offer_form form, bool byref_like)
{
    const struct ilp_inspector *inspector = rewriter->target->inspector;
    const struct ilpi_offer *offers[ILP_PASS_COUNT] = {NULL};
    for (size_t i = 0; i < inspector->offer_count; i++) {
        const struct ilpi_offer *offer = &inspector->offers[i];
        if (offer->form == form && (!byref_like || offer->allows_ref)) {
            offers[offer->takes] = offer;
        }
    }
    return take_one(rewriter, offers);
}

ilp_status ilpi_offer_choose(struct ilp_rewriter *rewriter, struct ilpi_decision *decision,
                             struct ilp_error *error)
{
    bool plain = decision->reason == ILP_REASON_INSPECTED;
    bool byref_like = decision->reason == ILP_REASON_BYREF_LIKE ||
                      decision->reason == ILP_REASON_ALLOWS_REF ||
                      decision->reason == ILP_REASON_UNRESOLVED;
    rewriter->offer = NULL;
    rewriter->reserve = NULL;
    if (rewriter->target->inspector->native) {
        return ilpi_native_choose(rewriter, decision, error);
    }
    if (!plain && !byref_like) {
        return ILP_OK;
    }
    bool as_it_is = !decision->by_reference && decision->value.data[0] != ILP_ELEMENT_TYPEDBYREF;
    bool taken = false;
    if (as_it_is && rewriter->target->remembered) {
        struct ilpi_remembered_offers *typed;
        ILPI_TRY(typed_offers(rewriter, decision->value, &typed, error));
        taken = take_one(rewriter, typed->offers);
    }
    taken = taken || (as_it_is && take_form(rewriter, ILPI_OFFER_GENERIC, byref_like));
    if (taken || (plain && take_form(rewriter, ILPI_OFFER_OBJECT, false))) {
        decision->reason = ILP_REASON_INSPECTED;
    } else if (plain) {
        decision->reason = ILP_REASON_NO_OVERLOAD;
    }
    return ILP_OK;
}
