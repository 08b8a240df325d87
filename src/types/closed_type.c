/* Substitution and equality of closed types: trees compared element by element (II.23.2.12). See
 * closed_type.h.
 *
 *   List<!0> with {string}:  type GENERICINST -> List, VAR 0    arguments -> types: string, outer
 *   VAR 0, when it is met: string, in the image of the list and with its `outer` arguments
 *
 * A parameter's argument may have parameters of the place where it was written; that is what
 * `outer` is for. Each substitution moves outwards, so it ends. No type is ever built: instances of
 * deep generic code would need memory for each combination. */
#include "types/closed_type.h"
#include "base/bytes.h"

/* ---- substitution ---- */

/* The recursion moves outwards (see above), one step for each level of `outer`. A number beyond the
 * list gives a type of NULL: an open or broken reference, which equals nothing. */
static struct ilpi_closed_type substituted(struct ilpi_closed_type type)
{
    const struct ilpi_type_arguments *arguments = type.arguments;
    if (!type.type || !arguments ||
        (type.type->element != ILP_ELEMENT_VAR && type.type->element != ILP_ELEMENT_MVAR)) {
        return type;
    }
    const struct ilp_type *argument = type.type->element == ILP_ELEMENT_VAR ? arguments->types
                                                                            : arguments->methods;
    for (uint32_t number = type.type->number; argument && number != 0; number--) {
        argument = argument->next;
    }
    return substituted((struct ilpi_closed_type){arguments->image, argument, arguments->outer});
}

static struct ilpi_closed_type unmodified(struct ilpi_closed_type type)
{
    type.type = type.type ? ilpi_type_unmodified(type.type) : NULL;
    return type;
}

struct ilpi_closed_type ilpi_type_bound(struct ilpi_closed_type type)
{
    return unmodified(substituted(unmodified(type)));
}

/* ---- equality ---- */

/* One module may be opened twice, from different places. The MVID is unique by definition
 * (II.22.30), but obfuscators and rewriters copy it, so the name must agree too. */
bool ilpi_same_module(const struct ilp_image *left, const struct ilp_image *right)
{
    struct ilp_bytes ids[2] = {ilp_guid(left, ilp_cell(left, ILP_Module, 1, ILP_Module_Mvid)),
                               ilp_guid(right, ilp_cell(right, ILP_Module, 1, ILP_Module_Mvid))};
    struct ilp_assembly_name names[2];
    return left == right ||
           (ids[0].size != 0 && ilpi_bytes_equal(ids[0], ids[1]) &&
            ilp_image_assembly_name(left, &names[0]) && ilp_image_assembly_name(right, &names[1]) &&
            strcmp(names[0].name, names[1].name) == 0);
}

static bool same_definition(const struct ilpi_type_equality *equality, struct ilpi_closed_type left,
                            struct ilpi_closed_type right)
{
    struct ilpi_type_def a = ilpi_resolve_type(left.image, left.type->token, equality->resolver);
    struct ilpi_type_def b = ilpi_resolve_type(right.image, right.type->token, equality->resolver);
    return a.image && b.image && a.rid == b.rid && ilpi_same_module(a.image, b.image);
}

/* By the innermost name: of nested types the enclosing ones are not compared. */
static bool same_text(struct ilpi_closed_type left, struct ilpi_closed_type right)
{
    const char *spaces[2];
    const char *names[2];
    ilpi_type_name(left.image, left.type->token, &spaces[0], &names[0]);
    ilpi_type_name(right.image, right.type->token, &spaces[1], &names[1]);
    return strcmp(names[0], names[1]) == 0 && strcmp(spaces[0], spaces[1]) == 0;
}

static bool same_name(const struct ilpi_type_equality *equality, struct ilpi_closed_type left,
                      struct ilpi_closed_type right)
{
    switch (equality->names) {
    case ILPI_NAMES_OF_ONE_IMAGE: return left.type->token == right.type->token;
    case ILPI_NAMES_AS_TEXT: return same_text(left, right);
    case ILPI_NAMES_RESOLVED: return same_definition(equality, left, right);
    }
    return false;
}

/* Arguments of instances, or parameters of methods. For an instance the list begins with the
 * generic type itself, whose `next` are the arguments. */
static bool same_list(const struct ilpi_type_equality *equality, struct ilpi_closed_type left,
                      struct ilpi_closed_type right)
{
    while (left.type && right.type && ilpi_same_type(equality, left, right)) {
        left.type = left.type->next;
        right.type = right.type->next;
    }
    return !left.type && !right.type;
}

static bool same_shape(const struct ilp_array_shape *left, const struct ilp_array_shape *right)
{
    return left->size_count == right->size_count && left->bound_count == right->bound_count &&
           (left->size_count == 0 ||
            memcmp(left->sizes, right->sizes, left->size_count * sizeof *left->sizes) == 0) &&
           (left->bound_count == 0 ||
            memcmp(left->bounds, right->bounds, left->bound_count * sizeof *left->bounds) == 0);
}

static struct ilpi_closed_type type_in(struct ilpi_closed_signature of, const struct ilp_type *type)
{
    return (struct ilpi_closed_type){of.image, type, of.arguments};
}

bool ilpi_same_signature(const struct ilpi_type_equality *equality,
                         struct ilpi_closed_signature left, struct ilpi_closed_signature right)
{
    const struct ilp_sig *a = left.sig;
    const struct ilp_sig *b = right.sig;
    return a->kind == b->kind && a->convention == b->convention &&
           a->generic_count == b->generic_count &&
           ilpi_same_type(equality, type_in(left, a->ret), type_in(right, b->ret)) &&
           same_list(equality, type_in(left, a->params), type_in(right, b->params));
}

/* Modifiers are part of how a function is called (II.23.2.2). */
static bool same_function(const struct ilpi_type_equality *equality, struct ilpi_closed_type left,
                          struct ilpi_closed_type right)
{
    struct ilpi_type_equality exact = *equality;
    struct ilpi_closed_signature functions[2] = {
        {left.image, left.type->method, left.arguments},
        {right.image, right.type->method, right.arguments},
    };
    exact.modifiers = true;
    /* in RESOLVED mode function pointers are equal to nothing (closed_type.h) */
    return equality->names != ILPI_NAMES_RESOLVED &&
           ilpi_same_signature(&exact, functions[0], functions[1]);
}

static struct ilpi_closed_type inner_of(struct ilpi_closed_type type)
{
    type.type = type.type->inner;
    return type;
}

/* Elements must be equal first, and then what each kind has. In RESOLVED mode type parameters are
 * equal to nothing: after substitution any that remain belong to different methods. */
bool ilpi_same_type(const struct ilpi_type_equality *equality, struct ilpi_closed_type left,
                    struct ilpi_closed_type right)
{
    left = equality->modifiers ? substituted(left) : ilpi_type_bound(left);
    right = equality->modifiers ? substituted(right) : ilpi_type_bound(right);
    const struct ilp_type *a = left.type;
    const struct ilp_type *b = right.type;
    if (!a || !b || a->element != b->element) {
        return false;
    }
    switch (a->element) {
    case ILP_ELEMENT_CLASS:
    case ILP_ELEMENT_VALUETYPE: return same_name(equality, left, right);
    case ILP_ELEMENT_CMOD_REQD:
    case ILP_ELEMENT_CMOD_OPT:
        return same_name(equality, left, right) &&
               ilpi_same_type(equality, inner_of(left), inner_of(right));
    case ILP_ELEMENT_GENERICINST: return same_list(equality, inner_of(left), inner_of(right));
    case ILP_ELEMENT_ARRAY:
        return a->number == b->number && same_shape(a->shape, b->shape) &&
               ilpi_same_type(equality, inner_of(left), inner_of(right));
    case ILP_ELEMENT_SZARRAY:
    case ILP_ELEMENT_PTR:
    case ILP_ELEMENT_BYREF:
    case ILP_ELEMENT_PINNED: return ilpi_same_type(equality, inner_of(left), inner_of(right));
    case ILP_ELEMENT_VAR:
    case ILP_ELEMENT_MVAR: return equality->names != ILPI_NAMES_RESOLVED && a->number == b->number;
    case ILP_ELEMENT_FNPTR: return same_function(equality, left, right);
    default: return true;
    }
}
