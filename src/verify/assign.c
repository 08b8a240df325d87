/* Which references are assignable (I.8.7.1, I.8.7.3, III.1.8.1.2.3), and the common type of two
 * (III.1.8.1.3).
 *
 * A question about classes may require others about their arguments, without end in a crafted file:
 * steps and depth are limited, beyond which the result is unknown.
 *
 *   assignable (limits, remembered results)
 *     decide --> parameter_to      a generic parameter: by its constraints
 *            --> array_to          an array: by its elements, then as System.Array
 *            --> match_instances   the same definition: by arguments and their variance
 *            --> search_supers     bases, and for an interface theirs, with arguments substituted
 *                   \--> assignable, for each
 *
 * Results are tristate: UNKNOWN when a type that matters was not found, so that a missing reference
 * never makes an error. */
#include "metadata/flags.h"
#include "verify/type.h"
#include "verify/type_table.h"

#define MAX_BASES 64u
#define MAX_DEPTH 12u

static enum ilp_tristate assignable(struct ilpi_verifier *verifier, const struct ilpi_vtype *from,
                                    const struct ilpi_vtype *to);

static bool is_parameter(const struct ilpi_vtype *type)
{
    return type->kind == ILP_ELEMENT_VAR || type->kind == ILP_ELEMENT_MVAR;
}

/* A generic parameter that can only be a class: `class`, or a constraint that value types do not
 * extend. */
static enum ilp_tristate is_class_parameter(struct ilpi_verifier *verifier,
                                            const struct ilpi_vtype *type, unsigned depth)
{
    enum { MAX_CHAIN = 8 };
    if ((ilpi_param_flags(verifier, type) & ILPI_GENERIC_PARAM_REFERENCE_TYPE) != 0) {
        return ILP_YES;
    }
    enum ilp_tristate best = ILP_NO;
    for (uint32_t i = 0; best != ILP_YES && depth < MAX_CHAIN; i++) {
        const struct ilpi_vtype *constraint = ilpi_param_constraint(verifier, type, i);
        if (!constraint) {
            break;
        }
        const struct ilpi_def *def = constraint->def;
        enum ilp_tristate one = is_parameter(constraint)
                                    ? is_class_parameter(verifier, constraint, depth + 1)
                                    : ilpi_type_is_reference(verifier, constraint);
        bool open = (def && def->what == ILPI_WHAT_INTERFACE) ||
                    constraint->kind == ILP_ELEMENT_OBJECT ||
                    ilpi_def_is_named(def, "System", "ValueType") ||
                    ilpi_def_is_named(def, "System", "Enum");
        if (!open && one != ILP_NO) {
            best = ilpi_type_is_unresolved(constraint) ? ILP_UNKNOWN : one;
        }
    }
    return best;
}

/* Elements of arrays and variant arguments are converted only if they are such references: a
 * parameter that may be a value type would have to be boxed. */
enum ilp_tristate ilpi_type_is_plain_reference(struct ilpi_verifier *verifier,
                                               const struct ilpi_vtype *type)
{
    return is_parameter(type) ? is_class_parameter(verifier, type, 0)
                              : ilpi_type_is_reference(verifier, type);
}

/* The variance is that of the definition's GenericParam row (II.23.1.7), in the image that has
 * it. */
static uint32_t variance_of(const struct ilpi_def *def, uint32_t number)
{
    ilp_rid row = ilpi_find_generic_param(def->image, def->token, number);
    return ilp_cell(def->image, ILP_GenericParam, row, ILP_GenericParam_Flags) &
           ILPI_GENERIC_PARAM_VARIANCE_MASK;
}

/* Whether a reference to one argument is assignable to another; `same`: whether they are the same.
 * Variance applies to references only (I.8.7.1): a value type must be the same type. */
static enum ilp_tristate match_variant(struct ilpi_verifier *verifier, enum ilp_tristate same,
                                       const struct ilpi_vtype *source,
                                       const struct ilpi_vtype *target)
{
    enum ilp_tristate plain = ilpi_type_is_plain_reference(verifier, source);
    enum ilp_tristate fits = plain == ILP_NO ? ILP_NO : assignable(verifier, source, target);
    if (fits == ILP_NO) {
        return same;
    }
    return ilpi_both(fits, plain);
}

/* Two instances of one definition: each argument is the same, or compatible by its variance
 * (I.8.7.1, II.9.11). */
static enum ilp_tristate match_instances(struct ilpi_verifier *verifier,
                                         const struct ilpi_vtype *from, const struct ilpi_vtype *to)
{
    enum ilp_tristate all = ILP_YES;
    for (uint32_t i = 0; i < to->arg_count && i < from->arg_count; i++) {
        enum ilp_tristate one = ilpi_type_is_same(verifier, from->args[i], to->args[i]);
        uint32_t variance = one == ILP_YES ? 0 : variance_of(to->def, i);
        if (variance != 0) {
            bool covariant = variance == ILPI_GENERIC_PARAM_COVARIANT;
            one = match_variant(verifier, one, covariant ? from->args[i] : to->args[i],
                                covariant ? to->args[i] : from->args[i]);
        }
        if (one == ILP_NO) {
            return ILP_NO;
        }
        all = ilpi_both(all, one);
    }
    return all;
}

/* I.8.7.1: element types with the same reduced type, or assignable references. */
static enum ilp_tristate match_elements(struct ilpi_verifier *verifier,
                                        const struct ilpi_vtype *from, const struct ilpi_vtype *to)
{
    enum ilp_tristate same = ilpi_type_is_same(verifier, ilpi_type_reduced(verifier, from),
                                               ilpi_type_reduced(verifier, to));
    enum ilp_tristate plain = same == ILP_YES ? ILP_NO
                                              : ilpi_type_is_plain_reference(verifier, from);
    if (plain == ILP_NO) {
        return same;
    }
    enum ilp_tristate fits = assignable(verifier, from, to);
    return fits == ILP_YES ? plain : fits;
}

/* The interfaces that one-dimensional arrays have besides those of System.Array (I.8.9.1). */
static bool is_array_interface(const struct ilpi_vtype *type)
{
    static const char *const names[] = {"IList`1", "ICollection`1", "IEnumerable`1",
                                        "IReadOnlyList`1", "IReadOnlyCollection`1"};
    if (type->kind != ILP_ELEMENT_GENERICINST || type->arg_count != 1) {
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (ilpi_def_is_named(type->def, "System.Collections.Generic", names[i])) {
            return true;
        }
    }
    return false;
}

/* In this order: arrays of one rank by their elements, the interfaces that the runtime adds, and
 * all else by the base class, System.Array (I.8.9.1). */
static enum ilp_tristate array_to(struct ilpi_verifier *verifier, const struct ilpi_vtype *from,
                                  const struct ilpi_vtype *to)
{
    if (to->kind == from->kind && to->number == from->number) {
        return match_elements(verifier, from->inner, to->inner);
    }
    if (from->kind == ILP_ELEMENT_SZARRAY && is_array_interface(to)) {
        return match_elements(verifier, from->inner, to->args[0]);
    }
    const struct ilpi_vtype *array = ilpi_core_type(verifier, "System", "Array", ILP_ELEMENT_CLASS);
    return array->kind == ILPI_KIND_UNKNOWN ? ILP_UNKNOWN : assignable(verifier, array, to);
}

/* A generic parameter is assignable to itself and to its constraints' types (I.8.7.1). */
static enum ilp_tristate parameter_to(struct ilpi_verifier *verifier, const struct ilpi_vtype *from,
                                      const struct ilpi_vtype *to)
{
    enum ilp_tristate best = ILP_NO;
    if ((ilpi_param_flags(verifier, from) & ILPI_GENERIC_PARAM_VALUE_TYPE) != 0 &&
        ilpi_def_is_named(to->def, "System", "ValueType")) {
        return ILP_YES;
    }
    for (uint32_t i = 0; best != ILP_YES; i++) {
        const struct ilpi_vtype *constraint = ilpi_param_constraint(verifier, from, i);
        if (!constraint) {
            break;
        }
        enum ilp_tristate one = assignable(verifier, constraint, to);
        best = one == ILP_NO ? best : one; /* one constraint is enough */
    }
    return best;
}

/* Its interfaces, those of its bases, and theirs recursively; bases as classes. The chain of bases
 * is bounded by MAX_BASES, since a crafted TypeDef may extend itself across images. Interfaces are
 * looked at only if one is wanted: a class has many, and none is a class. */
static enum ilp_tristate search_supers(struct ilpi_verifier *verifier,
                                       const struct ilpi_vtype *from, const struct ilpi_vtype *to)
{
    enum ilp_tristate best = ILP_NO;
    const struct ilpi_vtype *at = from;
    bool interface = to->def && to->def->what == ILPI_WHAT_INTERFACE;
    for (unsigned i = 0; at && i < MAX_BASES; i++) {
        if (ilpi_type_is_unresolved(at)) {
            return ILP_UNKNOWN;
        }
        if (at->def && at->def == to->def) {
            enum ilp_tristate one = match_instances(verifier, at, to);
            if (one != ILP_NO) {
                return one;
            }
        }
        struct ilpi_def *def = interface ? ilpi_def_of_type(verifier, at) : NULL;
        struct ilpi_args args = ilpi_args_of(at);
        if (def) {
            ilpi_def_supers(verifier, def);
        }
        for (uint32_t k = 0; def && k < def->interface_count; k++) {
            enum ilp_tristate one = assignable(
                verifier, ilpi_type_substituted(verifier, def->interfaces[k], &args), to);
            if (one == ILP_YES) {
                return ILP_YES;
            }
            best = one == ILP_UNKNOWN ? ILP_UNKNOWN : best;
        }
        at = ilpi_type_base(verifier, at);
    }
    return at ? ILP_UNKNOWN : best;
}

/* The order matters: UNKNOWN is examined before anything reads a definition, and parameters before
 * arrays, because nothing is assignable to a parameter but itself. */
static enum ilp_tristate decide(struct ilpi_verifier *verifier, const struct ilpi_vtype *from,
                                const struct ilpi_vtype *to)
{
    enum ilp_tristate same = ilpi_type_is_same(verifier, from, to);
    if (same == ILP_YES || (to->kind == ILP_ELEMENT_OBJECT && from->kind != ILP_ELEMENT_BYREF)) {
        return ILP_YES;
    }
    if (from->kind == ILPI_KIND_UNKNOWN || to->kind == ILPI_KIND_UNKNOWN) {
        return ILP_UNKNOWN;
    }
    if (is_parameter(from)) {
        return parameter_to(verifier, from, to);
    }
    if (is_parameter(to) || from->kind == ILP_ELEMENT_BYREF || to->kind == ILP_ELEMENT_BYREF) {
        return ILP_NO;
    }
    if (from->kind == ILP_ELEMENT_SZARRAY || from->kind == ILP_ELEMENT_ARRAY) {
        return array_to(verifier, from, to);
    }
    if (from->def && from->def == to->def) {
        enum ilp_tristate one = match_instances(verifier, from, to);
        if (one != ILP_NO) {
            return one;
        }
    }
    if (ilpi_type_is_unresolved(from)) {
        return ILP_UNKNOWN;
    }
    if (!ilpi_def_of_type(verifier, from)) {
        return ILP_UNKNOWN; /* a primitive, and no core library */
    }
    enum ilp_tristate found = search_supers(verifier, from, to);
    return found == ILP_NO && ilpi_type_is_unresolved(to) ? ILP_UNKNOWN : found;
}

/* Decides once for each pair of types, and remembers the answer. The recursion goes through bases,
 * interfaces and variant type arguments, so its depth and its work are limited; what exceeds them
 * is UNKNOWN, which is never reported as an error. */
static enum ilp_tristate assignable(struct ilpi_verifier *verifier, const struct ilpi_vtype *from,
                                    const struct ilpi_vtype *to)
{
    struct ilpi_types *types = verifier->types;
    if (from == to && from->kind != ILPI_KIND_UNKNOWN) {
        return ILP_YES;
    }
    if (types->answer_depth >= MAX_DEPTH || !ilpi_spend_work(verifier, 8)) {
        return ILP_UNKNOWN;
    }
    /* A table with one entry per slot: a later question replaces an earlier one. Types exist once,
     * so their addresses are the key; the low bits of addresses are always zero. */
    size_t slot = ((uintptr_t)from / 16 * 31 + (uintptr_t)to / 16) % ILPI_REMEMBERED_ANSWERS;
    struct ilpi_remembered_answer *remembered = &types->answers[slot];
    if (remembered->from == from && remembered->to == to) {
        return (enum ilp_tristate)remembered->answer;
    }
    types->answer_depth++;
    enum ilp_tristate answer = decide(verifier, from, to);
    types->answer_depth--;
    /* a result from inside the recursion may be unknown for its depth alone; one about type
     * parameters depends on the method */
    if (types->answer_depth == 0 || answer == ILP_YES) {
        bool own = from->open || to->open;
        *remembered = own ? *remembered
                          : (struct ilpi_remembered_answer){from, to, (uint8_t)answer};
    }
    return answer;
}

enum ilp_tristate ilpi_type_is_assignable(struct ilpi_verifier *verifier,
                                          const struct ilpi_vtype *from,
                                          const struct ilpi_vtype *to)
{
    return assignable(verifier, from, to);
}

/* Bases of `left`, from itself upward, and the first one to which `right` is assignable: the
 * closest common base class. Interfaces are not searched (III.1.8.1.3 leaves them out); see
 * ILPI_VALUE_LOOSE. */
const struct ilpi_vtype *ilpi_type_common(struct ilpi_verifier *verifier,
                                          const struct ilpi_vtype *left,
                                          const struct ilpi_vtype *right)
{
    if (assignable(verifier, left, right) == ILP_YES) {
        return right;
    }
    const struct ilpi_vtype *at = left;
    for (unsigned i = 0; at && i < MAX_BASES && !ilpi_type_is_unresolved(at); i++) {
        enum ilp_tristate fits = assignable(verifier, right, at);
        if (fits == ILP_YES) {
            return at;
        }
        if (fits == ILP_UNKNOWN) {
            return verifier->types->unknown;
        }
        at = at->kind == ILP_ELEMENT_SZARRAY || at->kind == ILP_ELEMENT_ARRAY
                 ? ilpi_core_type(verifier, "System", "Array", ILP_ELEMENT_CLASS)
                 : ilpi_type_base(verifier, at);
    }
    return at && ilpi_type_is_unresolved(at) ? verifier->types->unknown
                                             : ilpi_type_of_element(verifier, ILP_ELEMENT_OBJECT);
}
