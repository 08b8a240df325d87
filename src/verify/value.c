/* Values on the stack: made from types, checked against types, and merged. See value.h.
 *
 * What fits what (ilpi_value_fits(); III.1.6, III.1.8.1.2.3), besides equal kinds:
 *
 *   expected   accepted
 *   int32      native int, which is truncated
 *   native     int32, method pointers; a managed pointer is MIXED
 *   object     null; objects of assignable types, value types as boxed
 *   struct     the same type; a boxed one, if boxing changes nothing
 *   byref      the same reduced type; a native int is MIXED, other numbers are REINTERPRETED
 *
 * Merging only moves upward here, so a walk that merges ends (body.c):
 *
 *   null, object   -> object: the common class, LOOSE if it is a third one
 *   int32, byref and method pointers with native int -> native int
 *   two types of which one is not known -> unknown, which accepts all */
#include "verify/value.h"

#include <stdio.h>

#include "verify/type_table.h"

struct ilpi_stack_value ilpi_value_plain(struct ilpi_verifier *verifier, enum ilpi_stack_kind kind)
{
    static const uint8_t elements[] = {
        [ILPI_STACK_INT32] = ILP_ELEMENT_I4,    [ILPI_STACK_INT64] = ILP_ELEMENT_I8,
        [ILPI_STACK_NATIVE] = ILP_ELEMENT_I,    [ILPI_STACK_FLOAT] = ILP_ELEMENT_R8,
        [ILPI_STACK_NULL] = ILP_ELEMENT_OBJECT, [ILPI_STACK_METHOD] = ILP_ELEMENT_FNPTR,
    };
    uint8_t element = kind < sizeof elements ? elements[kind] : 0;
    return (struct ilpi_stack_value){.type = ilpi_type_of_element(verifier, element),
                                     .kind = (uint8_t)kind};
}

/* By the reduced type: enums were replaced by their underlying type. Type parameters are structs
 * here, since no operation on numbers or objects is allowed on them before a box. */
static uint8_t kind_of(struct ilpi_verifier *verifier, const struct ilpi_vtype *type)
{
    switch (type->kind) {
    case ILP_ELEMENT_BOOLEAN:
    case ILP_ELEMENT_CHAR:
    case ILP_ELEMENT_I1:
    case ILP_ELEMENT_U1:
    case ILP_ELEMENT_I2:
    case ILP_ELEMENT_U2:
    case ILP_ELEMENT_I4:
    case ILP_ELEMENT_U4: return ILPI_STACK_INT32;
    case ILP_ELEMENT_I8:
    case ILP_ELEMENT_U8: return ILPI_STACK_INT64;
    case ILP_ELEMENT_R4:
    case ILP_ELEMENT_R8: return ILPI_STACK_FLOAT;
    case ILP_ELEMENT_I:
    case ILP_ELEMENT_U:
    case ILP_ELEMENT_PTR:
    case ILP_ELEMENT_FNPTR: return ILPI_STACK_NATIVE;
    case ILP_ELEMENT_BYREF: return ILPI_STACK_BYREF;
    case ILP_ELEMENT_VAR:
    case ILP_ELEMENT_MVAR:
    case ILP_ELEMENT_TYPEDBYREF: return ILPI_STACK_STRUCT;
    case ILPI_KIND_UNKNOWN:
        if (type->number == ILP_ELEMENT_BYREF) {
            return ILPI_STACK_BYREF;
        }
        return type->number == ILP_ELEMENT_PTR ? ILPI_STACK_NATIVE : ILPI_STACK_UNKNOWN;
    default:
        if (ilpi_type_is_reference(verifier, type) == ILP_YES) {
            return ILPI_STACK_OBJECT;
        }
        /* an unresolved value type may be an enum */
        return ilpi_type_is_unresolved(type) ? ILPI_STACK_UNKNOWN : ILPI_STACK_STRUCT;
    }
}

struct ilpi_stack_value ilpi_value_of(struct ilpi_verifier *verifier, const struct ilpi_vtype *type)
{
    const struct ilpi_vtype *stored = ilpi_type_underlying(verifier, type);
    struct ilpi_stack_value value = {.type = type, .kind = kind_of(verifier, stored)};
    if (value.kind == ILPI_STACK_BYREF) {
        value.type = type->inner ? type->inner : verifier->types->unknown;
    }
    return value;
}

/* ---- compatibility ---- */

static enum ilpi_fit fit_of(enum ilp_tristate answer)
{
    static const uint8_t fits[] = {
        [ILP_YES] = ILPI_FIT, [ILP_NO] = ILPI_FIT_NOT, [ILP_UNKNOWN] = ILPI_FIT_UNKNOWN};
    return (enum ilpi_fit)fits[answer];
}

/* A boxed Nullable<T> is a boxed T (III.4.1). */
static const struct ilpi_vtype *boxed_as(const struct ilpi_vtype *type)
{
    return type->kind == ILP_ELEMENT_GENERICINST &&
                   ilpi_def_is_named(type->def, "System", "Nullable`1")
               ? type->args[0]
               : type;
}

static bool is_value_type(struct ilpi_verifier *verifier, const struct ilpi_vtype *type)
{
    return type->kind == ILP_ELEMENT_VAR || type->kind == ILP_ELEMENT_MVAR ||
           ilpi_type_is_reference(verifier, type) == ILP_NO;
}

/* A boxed value is assignable as its class: to object, System.ValueType, System.Enum and its
 * interfaces. A LOOSE value was merged from unrelated classes, which may share the interface. */
static enum ilpi_fit reference_fits(struct ilpi_verifier *verifier, struct ilpi_stack_value value,
                                    const struct ilpi_vtype *type)
{
    if (value.kind == ILPI_STACK_NULL) {
        return ILPI_FIT;
    }
    if (value.kind != ILPI_STACK_OBJECT) {
        return ILPI_FIT_NOT;
    }
    bool boxed = is_value_type(verifier, value.type);
    if ((value.flags & ILPI_VALUE_LOOSE) != 0 && type->def &&
        type->def->what == ILPI_WHAT_INTERFACE) {
        return ILPI_FIT;
    }
    return fit_of(
        ilpi_type_is_assignable(verifier, boxed ? boxed_as(value.type) : value.type, type));
}

/* References must be to the same type, except for its sign (III.1.8.1.2.1). */
static enum ilpi_fit byref_fits(struct ilpi_verifier *verifier, struct ilpi_stack_value value,
                                const struct ilpi_vtype *pointee)
{
    if (value.kind == ILPI_STACK_NATIVE) {
        return ILPI_FIT_MIXED;
    }
    if (value.kind != ILPI_STACK_BYREF) {
        return ILPI_FIT_NOT;
    }
    enum ilp_tristate same = ilpi_type_is_same(verifier, ilpi_type_reduced(verifier, value.type),
                                               ilpi_type_reduced(verifier, pointee));
    if (same == ILP_NO && ilpi_type_is_unmanaged(verifier, value.type) &&
        ilpi_type_is_unmanaged(verifier, pointee)) {
        return ILPI_FIT_REINTERPRETED;
    }
    if (same != ILP_YES) {
        return fit_of(same);
    }
    if ((value.flags & ILPI_VALUE_READONLY) != 0) {
        return ILPI_FIT_READONLY;
    }
    return (value.flags & ILPI_VALUE_INIT_ONLY) != 0 ? ILPI_FIT_INIT_ONLY : ILPI_FIT;
}

/* One of them is unknown. Equal types fit also then, and so do two references to one name that was
 * not found. If the expected type is at least known to be a reference, a number cannot fit. */
static enum ilpi_fit unknown_fits(struct ilpi_stack_value value, const struct ilpi_vtype *type)
{
    bool same = value.type == type && type->kind != ILPI_KIND_UNKNOWN;
    bool same_name = value.type->def && value.type->def == type->def && value.type->arg_count == 0;
    if (same || same_name) {
        return ILPI_FIT;
    }
    bool may_be_object = value.kind == ILPI_STACK_OBJECT || value.kind == ILPI_STACK_UNKNOWN;
    if (!ilpi_type_is_unknown_reference(type) || may_be_object) {
        return ILPI_FIT_UNKNOWN;
    }
    return value.kind == ILPI_STACK_NULL ? ILPI_FIT : ILPI_FIT_NOT;
}

/* Whether a value on the stack may be stored in a location of that type (III.1.8.1.2.3). FIT_MIXED:
 * it is not verifiable but correct, as a managed pointer that is used as a number. */
enum ilpi_fit ilpi_value_fits(struct ilpi_verifier *verifier, struct ilpi_stack_value value,
                              const struct ilpi_vtype *type)
{
    struct ilpi_stack_value wanted = ilpi_value_of(verifier, type);
    if (wanted.kind == ILPI_STACK_UNKNOWN || value.kind == ILPI_STACK_UNKNOWN) {
        return unknown_fits(value, type);
    }
    switch (wanted.kind) {
    case ILPI_STACK_INT32: /* III.1.6: a native int is truncated */
        return value.kind == ILPI_STACK_INT32 || value.kind == ILPI_STACK_NATIVE ? ILPI_FIT
                                                                                 : ILPI_FIT_NOT;
    case ILPI_STACK_NATIVE:
        if (value.kind == ILPI_STACK_BYREF) {
            return ILPI_FIT_MIXED;
        }
        return value.kind == ILPI_STACK_NATIVE || value.kind == ILPI_STACK_INT32 ||
                       value.kind == ILPI_STACK_METHOD
                   ? ILPI_FIT
                   : ILPI_FIT_NOT;
    case ILPI_STACK_OBJECT: return reference_fits(verifier, value, type);
    case ILPI_STACK_STRUCT:
        if (value.kind == ILPI_STACK_OBJECT && value.type == type) {
            /* boxing a reference gives itself */
            return fit_of(ilpi_type_is_plain_reference(verifier, type));
        }
        return value.kind != ILPI_STACK_STRUCT
                   ? ILPI_FIT_NOT
                   : fit_of(ilpi_type_is_same(verifier, value.type, type));
    case ILPI_STACK_BYREF: return byref_fits(verifier, value, wanted.type);
    default: return value.kind == wanted.kind ? ILPI_FIT : ILPI_FIT_NOT;
    }
}

/* ---- merging ---- */

/* THIS survives only if both are it, UNINIT if either is: each flag goes to the side on which less
 * is allowed. Two boxed value types, of which one seems to be the common type, have only object in
 * common: a boxed value type has no subclasses. */
static void merge_references(struct ilpi_verifier *verifier, struct ilpi_stack_value *value,
                             struct ilpi_stack_value other)
{
    uint8_t flags = (uint8_t)((value->flags | other.flags) &
                              (ILPI_VALUE_UNINIT | ILPI_VALUE_LOOSE));
    flags |= value->flags & other.flags & ILPI_VALUE_THIS;
    if (value->kind == ILPI_STACK_NULL || other.kind == ILPI_STACK_NULL) {
        bool first = value->kind == ILPI_STACK_NULL;
        value->type = first ? other.type : value->type;
        value->kind = first ? other.kind : value->kind;
        value->flags = (uint8_t)(flags & ~ILPI_VALUE_THIS);
        return;
    }
    if (value->type != other.type) {
        bool boxed = is_value_type(verifier, value->type) || is_value_type(verifier, other.type);
        const struct ilpi_vtype *common = ilpi_type_common(verifier, value->type, other.type);
        if (boxed && (common == value->type || common == other.type) &&
            is_value_type(verifier, common)) {
            common = ilpi_type_of_element(verifier, ILP_ELEMENT_OBJECT);
        }
        if (common != value->type && common != other.type) {
            flags |= ILPI_VALUE_LOOSE;
        }
        value->type = common;
        value->kind = common->kind == ILPI_KIND_UNKNOWN ? ILPI_STACK_UNKNOWN : ILPI_STACK_OBJECT;
    }
    value->flags = flags;
}

static bool is_native(uint8_t kind)
{
    return kind == ILPI_STACK_NATIVE || kind == ILPI_STACK_METHOD;
}

/* Values of two kinds, one of them a native int: numbers of any size continue as that. */
static enum ilpi_fit merge_native(struct ilpi_verifier *verifier, struct ilpi_stack_value *value,
                                  struct ilpi_stack_value other)
{
    static const uint8_t fits[] = {
        [ILPI_STACK_NATIVE] = ILPI_FIT,
        [ILPI_STACK_METHOD] = ILPI_FIT,
        [ILPI_STACK_INT32] = ILPI_FIT_RESIZED,
        [ILPI_STACK_BYREF] = ILPI_FIT_MIXED,
    };
    enum ilpi_fit fit = ILPI_FIT_NOT;
    if (is_native(value->kind)) {
        fit = (enum ilpi_fit)fits[other.kind];
    } else if (is_native(other.kind)) {
        fit = (enum ilpi_fit)fits[value->kind];
    }
    *value = fit == ILPI_FIT_NOT ? *value : ilpi_value_plain(verifier, ILPI_STACK_NATIVE);
    return fit;
}

/* An unknown value stays unknown and makes no finding, since it could be anything. For all flags
 * but THIS the union is the restrictive side: a reference is read-only, or into this frame, if it
 * is so on one path. */
static enum ilpi_fit merge(struct ilpi_verifier *verifier, struct ilpi_stack_value *value,
                           struct ilpi_stack_value other)
{
    bool references = (value->kind == ILPI_STACK_NULL || value->kind == ILPI_STACK_OBJECT) &&
                      (other.kind == ILPI_STACK_NULL || other.kind == ILPI_STACK_OBJECT);
    if (value->kind == ILPI_STACK_UNKNOWN || other.kind == ILPI_STACK_UNKNOWN) {
        *value = value->kind == ILPI_STACK_UNKNOWN ? *value : other;
        return ILPI_FIT;
    }
    if (references) {
        merge_references(verifier, value, other);
        return ILPI_FIT;
    }
    if (value->kind != other.kind ||
        (value->kind == ILPI_STACK_METHOD && value->method != other.method)) {
        return merge_native(verifier, value, other);
    }
    value->flags = (uint8_t)((value->flags & other.flags & ILPI_VALUE_THIS) |
                             ((value->flags | other.flags) & ~ILPI_VALUE_THIS));
    if (value->kind == ILPI_STACK_STRUCT || value->kind == ILPI_STACK_BYREF) {
        enum ilp_tristate same = ilpi_type_is_same(verifier,
                                                   ilpi_type_reduced(verifier, value->type),
                                                   ilpi_type_reduced(verifier, other.type));
        if (same == ILP_UNKNOWN) {
            value->kind = ILPI_STACK_UNKNOWN;
            value->type = verifier->types->unknown;
        }
        return same != ILP_NO ? ILPI_FIT : ILPI_FIT_NOT;
    }
    return ILPI_FIT;
}

/* `changed` decides whether the block is walked again; a merge that is impossible leaves the first
 * value. */
enum ilpi_fit ilpi_value_merge(struct ilpi_verifier *verifier, struct ilpi_stack_value *value,
                               struct ilpi_stack_value other, bool *changed)
{
    struct ilpi_stack_value before = *value;
    enum ilpi_fit fit = merge(verifier, value, other);
    *changed = fit != ILPI_FIT_NOT &&
               (before.type != value->type || before.kind != value->kind ||
                before.flags != value->flags || before.method != value->method);
    return fit;
}

/* For messages: "int32", "boxed Point", "string&". */
struct ilpi_value_name ilpi_value_name_of(struct ilpi_stack_value value)
{
    struct ilpi_value_name name;
    struct ilpi_type_name type = ilpi_type_name_of(value.type);
    bool parameter = value.type->kind == ILP_ELEMENT_VAR || value.type->kind == ILP_ELEMENT_MVAR;
    bool boxed = value.kind == ILPI_STACK_OBJECT &&
                 (parameter || value.type->kind < ILP_ELEMENT_STRING ||
                  value.type->kind == ILP_ELEMENT_VALUETYPE ||
                  (value.type->kind == ILP_ELEMENT_GENERICINST &&
                   value.type->number == ILP_ELEMENT_VALUETYPE));
    switch (value.kind) {
    case ILPI_STACK_NULL: snprintf(name.text, sizeof name.text, "null"); break;
    case ILPI_STACK_METHOD: snprintf(name.text, sizeof name.text, "a method pointer"); break;
    case ILPI_STACK_BYREF: snprintf(name.text, sizeof name.text, "%s&", type.text); break;
    default: snprintf(name.text, sizeof name.text, "%s%s", boxed ? "boxed " : "", type.text); break;
    }
    return name;
}
