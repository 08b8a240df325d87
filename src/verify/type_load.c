/* Types from signatures and tokens, and their derived properties (II.23.2.12, I.8.7).
 *
 *   Examples, as trees of a signature and as types of the verifier:
 *   CLASS 0x01000005                        CLASS, def: the definition that is found
 *   GENERICINST CLASS List`1, VAR 0         GENERICINST, def: List`1, args: {VAR 0}
 *   CMOD_OPT T, PTR, I4                     PTR of I4: modifiers are dropped
 *   BYREF of a type that is not found       UNKNOWN, but known to be a BYREF (unknown_of()) */
#include "verify/type.h"
#include "verify/type_table.h"

/* ---- from trees ---- */

#define MAX_ARGS 256u

/* A wrong number of arguments makes the type unknown, so that nothing follows from it:
 * check_instance() in signatures.c reports the number. */
static const struct ilpi_vtype *load_instance(struct ilpi_verifier *verifier,
                                              struct ilp_image *image, const struct ilp_type *tree)
{
    const struct ilpi_vtype *args[MAX_ARGS];
    uint32_t count = 0;
    for (const struct ilp_type *arg = tree->inner->next; arg && count < MAX_ARGS; arg = arg->next) {
        args[count++] = ilpi_type_load(verifier, image, arg);
    }
    struct ilpi_def *def = ilpi_def_of_token(verifier, image, tree->inner->token);
    return count != tree->number
               ? verifier->types->unknown
               : ilpi_type_instance(verifier, def, tree->inner->element, args, count);
}

#define UNKNOWN_TYPE(element, of)                                                        \
    {                                                                                    \
        .kind = ILPI_KIND_UNKNOWN, .number = element, .inner = of, .size = 1, .depth = 1 \
    }

/* UNKNOWN, with what the first bytes of the signature show. */
static const struct ilpi_vtype *unknown_of(struct ilpi_verifier *verifier,
                                           const struct ilp_type *type)
{
    static const struct ilpi_vtype reference = UNKNOWN_TYPE(ILP_ELEMENT_CLASS, NULL);
    static const struct ilpi_vtype byref = UNKNOWN_TYPE(ILP_ELEMENT_BYREF, NULL);
    static const struct ilpi_vtype byref_to_reference = UNKNOWN_TYPE(ILP_ELEMENT_BYREF, &reference);
    static const struct ilpi_vtype pointer = UNKNOWN_TYPE(ILP_ELEMENT_PTR, NULL);
    bool instance = type->element == ILP_ELEMENT_GENERICINST;
    switch (instance ? type->inner->element : type->element) {
    case ILP_ELEMENT_CLASS:
    case ILP_ELEMENT_SZARRAY:
    case ILP_ELEMENT_ARRAY: return &reference;
    case ILP_ELEMENT_BYREF: {
        const struct ilp_type *inner = ilpi_type_unmodified(type->inner);
        return unknown_of(verifier, inner) == &reference ? &byref_to_reference : &byref;
    }
    case ILP_ELEMENT_PTR: return &pointer;
    default: return verifier->types->unknown;
    }
}

/* A type in a signature as the verifier's: equal types become one object (intern), and modifiers
 * are dropped. */
static const struct ilpi_vtype *load(struct ilpi_verifier *verifier, struct ilp_image *image,
                                     const struct ilp_type *type)
{
    if (!ilpi_spend_work(verifier, 4)) {
        return verifier->types->unknown;
    }
    switch (type->element) {
    case ILP_ELEMENT_CLASS:
    case ILP_ELEMENT_VALUETYPE:
        if (ILP_TOKEN_TABLE(type->token) == ILP_TypeSpec) {
            /* II.23.2.8 allows it, no compiler emits it, and it could contain itself */
            return verifier->types->unknown;
        }
        return ilpi_type_of_def(verifier, ilpi_def_of_token(verifier, image, type->token),
                                type->element);
    case ILP_ELEMENT_VAR:
    case ILP_ELEMENT_MVAR: return ilpi_type_var(verifier, type->element, type->number);
    case ILP_ELEMENT_PTR:
    case ILP_ELEMENT_BYREF:
    case ILP_ELEMENT_SZARRAY:
    case ILP_ELEMENT_ARRAY:
        return ilpi_type_wrapped(verifier, type->element,
                                 ilpi_type_load(verifier, image, type->inner),
                                 type->element == ILP_ELEMENT_ARRAY ? type->number : 0);
    case ILP_ELEMENT_GENERICINST: return load_instance(verifier, image, type);
    default: return ilpi_type_of_element(verifier, type->element);
    }
}

/* The tree was read within the limits of signatures, so the recursion is no deeper. */
const struct ilpi_vtype *ilpi_type_load(struct ilpi_verifier *verifier, struct ilp_image *image,
                                        const struct ilp_type *tree)
{
    tree = ilpi_type_unmodified(tree);
    const struct ilpi_vtype *type = load(verifier, image, tree);
    return type->kind == ILPI_KIND_UNKNOWN ? unknown_of(verifier, tree) : type;
}

static const struct ilpi_vtype *load_spec(struct ilpi_verifier *verifier, struct ilp_image *image,
                                          ilp_rid rid)
{
    struct ilp_bytes blob = ilp_blob(image,
                                     ilp_cell(image, ILP_TypeSpec, rid, ILP_TypeSpec_Signature));
    /* not scratch, which may hold a tree in use */
    struct ilp_arena arena = {.alloc = &verifier->alloc};
    const struct ilpi_vtype *type = verifier->types->unknown;
    const struct ilp_sig *sig = ilpi_verify_sig(verifier, blob, ILP_SIG_TYPE_SPEC, &arena);
    if (sig) {
        type = ilpi_type_load(verifier, image, sig->ret);
    }
    ilpi_arena_free(&arena);
    return type;
}

/* By token. A TypeSpec of the verified image is loaded once. */
const struct ilpi_vtype *ilpi_type_of_token(struct ilpi_verifier *verifier, struct ilp_image *image,
                                            ilp_token token)
{
    struct ilpi_types *types = verifier->types;
    ilp_rid rid = ILP_TOKEN_RID(token);
    unsigned table = ILP_TOKEN_TABLE(token);
    if ((table != ILP_TypeDef && table != ILP_TypeRef && table != ILP_TypeSpec) || rid == 0 ||
        rid > image->tables[table].count) {
        return types->unknown;
    }
    if (table != ILP_TypeSpec) {
        return ilpi_type_of_def(verifier, ilpi_def_of_token(verifier, image, token),
                                ILPI_KIND_VAGUE);
    }
    if (image != verifier->image) {
        return load_spec(verifier, image, rid);
    }
    uint32_t *known = &types->own_specs[rid];
    if (*known == 0) {
        *known = ILPI_UNKNOWN_SPEC; /* a TypeSpec that contains itself is unknown */
        const struct ilpi_vtype *type = load_spec(verifier, image, rid);
        *known = type->kind != ILPI_KIND_UNKNOWN ? type->place + 1 : ILPI_UNKNOWN_SPEC;
    }
    return *known != ILPI_UNKNOWN_SPEC ? types->all.items[*known - 1] : types->unknown;
}

/* ---- derived properties ---- */

/* UNKNOWN for a type that was found nowhere, and whose signature does not say: then neither rule is
 * applied. */
enum ilp_tristate ilpi_type_is_reference(struct ilpi_verifier *verifier,
                                         const struct ilpi_vtype *type)
{
    (void)verifier;
    switch (type->kind) {
    case ILPI_KIND_UNKNOWN:
    case ILPI_KIND_VAGUE: return ILP_UNKNOWN;
    case ILP_ELEMENT_CLASS:
    case ILP_ELEMENT_STRING:
    case ILP_ELEMENT_OBJECT:
    case ILP_ELEMENT_SZARRAY:
    case ILP_ELEMENT_ARRAY: return ILP_YES;
    case ILP_ELEMENT_GENERICINST: return type->number == ILP_ELEMENT_CLASS ? ILP_YES : ILP_NO;
    default: return ILP_NO;
    }
}

/* A type that is not found may be byref-like, unless it is a reference type by its signature
 * (CLASS). */
enum ilp_tristate ilpi_type_is_byref_like(struct ilpi_verifier *verifier,
                                          const struct ilpi_vtype *type)
{
    if (type->kind == ILP_ELEMENT_TYPEDBYREF) {
        return ILP_YES;
    }
    if (type->kind == ILPI_KIND_UNKNOWN || type->kind == ILPI_KIND_VAGUE) {
        return ILP_UNKNOWN;
    }
    if (!type->def) {
        return ILP_NO;
    }
    if (type->def->what == ILPI_WHAT_UNRESOLVED) {
        return ilpi_type_is_reference(verifier, type) == ILP_YES ? ILP_NO : ILP_UNKNOWN;
    }
    return type->def->byref_like ? ILP_YES : ILP_NO;
}

/* The reduced type of I.8.7.1: enums become their underlying types, unsigned integers signed ones.
 * Further bool and char become int8 and int16, as in its verification types, and pointers native
 * int. */
const struct ilpi_vtype *ilpi_type_reduced(struct ilpi_verifier *verifier,
                                           const struct ilpi_vtype *type)
{
    static const uint8_t signless[] = {
        [ILP_ELEMENT_BOOLEAN] = ILP_ELEMENT_I1, [ILP_ELEMENT_U1] = ILP_ELEMENT_I1,
        [ILP_ELEMENT_CHAR] = ILP_ELEMENT_I2,    [ILP_ELEMENT_U2] = ILP_ELEMENT_I2,
        [ILP_ELEMENT_U4] = ILP_ELEMENT_I4,      [ILP_ELEMENT_U8] = ILP_ELEMENT_I8,
        [ILP_ELEMENT_U] = ILP_ELEMENT_I,        [ILP_ELEMENT_PTR] = ILP_ELEMENT_I,
        [ILP_ELEMENT_FNPTR] = ILP_ELEMENT_I,
    };
    type = ilpi_type_underlying(verifier, type);
    return type->kind < sizeof signless && signless[type->kind] != 0
               ? ilpi_type_of_element(verifier, signless[type->kind])
               : type;
}

static enum ilp_tristate is_known_reference(struct ilpi_verifier *verifier,
                                            const struct ilpi_vtype *type)
{
    return ilpi_type_is_unknown_reference(type) ? ILP_YES : ilpi_type_is_reference(verifier, type);
}

/* For two types that may be the same, as far as their definitions are known: NO if only one is a
 * reference. */
static enum ilp_tristate may_be_same(struct ilpi_verifier *verifier, const struct ilpi_vtype *left,
                                     const struct ilpi_vtype *right)
{
    enum ilp_tristate left_is = is_known_reference(verifier, left);
    enum ilp_tristate right_is = left_is != ILP_UNKNOWN ? is_known_reference(verifier, right)
                                                        : ILP_UNKNOWN;
    return right_is != ILP_UNKNOWN && left_is != right_is ? ILP_NO : ILP_UNKNOWN;
}

/* Bounded by the size of types. */
enum ilp_tristate ilpi_type_is_same(struct ilpi_verifier *verifier, const struct ilpi_vtype *left,
                                    const struct ilpi_vtype *right)
{
    if (left == right) {
        return left->kind == ILPI_KIND_UNKNOWN ? ILP_UNKNOWN : ILP_YES;
    }
    if (left->kind == ILPI_KIND_UNKNOWN || right->kind == ILPI_KIND_UNKNOWN) {
        return may_be_same(verifier, left, right);
    }
    if (left->def && left->def == right->def && left->arg_count == right->arg_count) {
        enum ilp_tristate all = ILP_YES;
        for (uint32_t i = 0; i < left->arg_count; i++) {
            all = ilpi_both(all, ilpi_type_is_same(verifier, left->args[i], right->args[i]));
        }
        return all;
    }
    if (ilpi_type_is_unresolved(left) || ilpi_type_is_unresolved(right)) {
        /* two names in one image are two types; a name here and a definition there may be one
         * type */
        bool counts_differ = left->arg_count != right->arg_count && left->def && right->def;
        return counts_differ ? ILP_NO : may_be_same(verifier, left, right);
    }
    if (left->kind != right->kind || !left->inner || left->number != right->number) {
        return ILP_NO;
    }
    return ilpi_type_is_same(verifier, left->inner, right->inner);
}

/* ---- generic parameters ---- */

void ilpi_set_context(struct ilpi_verifier *verifier, ilp_rid type, ilp_rid method)
{
    verifier->types->context_type = type;
    verifier->types->context_method = method;
}

static ilp_rid param_row(struct ilpi_verifier *verifier, const struct ilpi_vtype *var)
{
    const struct ilpi_types *types = verifier->types;
    ilp_token owner = var->kind == ILP_ELEMENT_VAR
                          ? ILP_TOKEN(ILP_TypeDef, types->context_type)
                          : ILP_TOKEN(ILP_MethodDef, types->context_method);
    return ilpi_find_generic_param(verifier->image, owner, var->number);
}

uint32_t ilpi_param_flags(struct ilpi_verifier *verifier, const struct ilpi_vtype *var)
{
    return ilp_cell(verifier->image, ILP_GenericParam, param_row(verifier, var),
                    ILP_GenericParam_Flags);
}

/* The number-th constraint, NULL after the last one. Constraints are sorted by their parameter
 * (II.22.21), so those of one follow one another. */
const struct ilpi_vtype *ilpi_param_constraint(struct ilpi_verifier *verifier,
                                               const struct ilpi_vtype *var, uint32_t number)
{
    ilp_rid param = param_row(verifier, var);
    uint32_t position = 0;
    ilp_rid row = 0;
    for (uint32_t i = 0; param != 0 && i <= number; i++) {
        row = ilpi_next_with_key(verifier->image, ILP_GenericParamConstraint, param, &position);
        if (row == 0 || !ilpi_spend_work(verifier, 1)) {
            return NULL;
        }
    }
    return row == 0 ? NULL
                    : ilpi_type_of_token(verifier, verifier->image,
                                         ilp_cell(verifier->image, ILP_GenericParamConstraint, row,
                                                  ILP_GenericParamConstraint_Constraint));
}
