/* Compares types of two images: their trees element by element (II.23.2.12), their names by what
 * they resolve to. The depth of a tree is limited by the reader of signatures. */
#include "types/type_identity.h"

bool ilpi_same_module(const struct ilp_image *left, const struct ilp_image *right)
{
    struct ilp_bytes ids[2] = {ilp_guid(left, ilp_cell(left, ILP_Module, 1, ILP_Module_Mvid)),
                               ilp_guid(right, ilp_cell(right, ILP_Module, 1, ILP_Module_Mvid))};
    struct ilp_assembly_name names[2];
    return left == right ||
           (ids[0].size != 0 && ids[0].size == ids[1].size &&
            memcmp(ids[0].data, ids[1].data, ids[0].size) == 0 &&
            ilp_image_assembly_name(left, &names[0]) && ilp_image_assembly_name(right, &names[1]) &&
            strcmp(names[0].name, names[1].name) == 0);
}

static bool same_definition(struct ilpi_placed_type left, struct ilpi_placed_type right,
                            const struct ilp_resolver *resolver)
{
    struct ilpi_type_def a = ilpi_resolve_type(left.image, left.type->token, resolver);
    struct ilpi_type_def b = ilpi_resolve_type(right.image, right.type->token, resolver);
    return a.image && b.image && a.rid == b.rid && ilpi_same_module(a.image, b.image);
}

/* The arguments of two instances, one after the other. */
static bool same_arguments(struct ilpi_placed_type left, struct ilpi_placed_type right,
                           const struct ilp_resolver *resolver)
{
    left.type = left.type->inner->next;
    right.type = right.type->inner->next;
    while (left.type && right.type && ilpi_same_type(left, right, resolver)) {
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

bool ilpi_same_type(struct ilpi_placed_type left, struct ilpi_placed_type right,
                    const struct ilp_resolver *resolver)
{
    const struct ilp_type *a = left.type;
    const struct ilp_type *b = right.type;
    struct ilpi_placed_type inner[2] = {{left.image, a->inner}, {right.image, b->inner}};
    if (a->element != b->element) {
        return false;
    }
    switch (a->element) {
    case ILP_ELEMENT_CLASS:
    case ILP_ELEMENT_VALUETYPE: return same_definition(left, right, resolver);
    case ILP_ELEMENT_GENERICINST:
        return ilpi_same_type(inner[0], inner[1], resolver) &&
               same_arguments(left, right, resolver);
    case ILP_ELEMENT_ARRAY:
        return a->number == b->number && same_shape(a->shape, b->shape) &&
               ilpi_same_type(inner[0], inner[1], resolver);
    case ILP_ELEMENT_SZARRAY:
    case ILP_ELEMENT_PTR:
    case ILP_ELEMENT_BYREF: return ilpi_same_type(inner[0], inner[1], resolver);
    case ILP_ELEMENT_CMOD_REQD:
    case ILP_ELEMENT_CMOD_OPT:
        return same_definition(left, right, resolver) &&
               ilpi_same_type(inner[0], inner[1], resolver);
    case ILP_ELEMENT_VAR:
    case ILP_ELEMENT_MVAR:
    case ILP_ELEMENT_FNPTR: return false;
    default: return true;
    }
}
