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

static ilp_status same_definition(struct ilpi_placed_type left, struct ilpi_placed_type right,
                                  const struct ilp_resolver *resolver, bool *same,
                                  struct ilp_error *error)
{
    struct ilpi_type_def defs[2];
    ILPI_TRY(ilpi_resolve_type(left.image, left.type->token, resolver, &defs[0], error));
    ILPI_TRY(ilpi_resolve_type(right.image, right.type->token, resolver, &defs[1], error));
    *same = defs[0].image && defs[1].image && defs[0].rid == defs[1].rid &&
            ilpi_same_module(defs[0].image, defs[1].image);
    return ILP_OK;
}

/* The arguments of two instances, one after the other. */
static ilp_status same_arguments(struct ilpi_placed_type left, struct ilpi_placed_type right,
                                 const struct ilp_resolver *resolver, bool *same,
                                 struct ilp_error *error)
{
    left.type = left.type->inner->next;
    right.type = right.type->inner->next;
    while (*same && left.type && right.type) {
        ILPI_TRY(ilpi_same_type(left, right, resolver, same, error));
        left.type = left.type->next;
        right.type = right.type->next;
    }
    *same = *same && !left.type && !right.type;
    return ILP_OK;
}

static bool same_shape(const struct ilp_array_shape *left, const struct ilp_array_shape *right)
{
    return left->size_count == right->size_count && left->bound_count == right->bound_count &&
           (left->size_count == 0 ||
            memcmp(left->sizes, right->sizes, left->size_count * sizeof *left->sizes) == 0) &&
           (left->bound_count == 0 ||
            memcmp(left->bounds, right->bounds, left->bound_count * sizeof *left->bounds) == 0);
}

ilp_status ilpi_same_type(struct ilpi_placed_type left, struct ilpi_placed_type right,
                          const struct ilp_resolver *resolver, bool *same, struct ilp_error *error)
{
    const struct ilp_type *a = left.type;
    const struct ilp_type *b = right.type;
    struct ilpi_placed_type inner[2] = {{left.image, a->inner}, {right.image, b->inner}};
    *same = a->element == b->element;
    if (!*same) {
        return ILP_OK;
    }
    switch (a->element) {
    case ILP_ELEMENT_CLASS:
    case ILP_ELEMENT_VALUETYPE: return same_definition(left, right, resolver, same, error);
    case ILP_ELEMENT_GENERICINST:
        ILPI_TRY(ilpi_same_type(inner[0], inner[1], resolver, same, error));
        return same_arguments(left, right, resolver, same, error);
    case ILP_ELEMENT_ARRAY:
        *same = a->number == b->number && same_shape(a->shape, b->shape);
        return *same ? ilpi_same_type(inner[0], inner[1], resolver, same, error) : ILP_OK;
    case ILP_ELEMENT_SZARRAY:
    case ILP_ELEMENT_PTR:
    case ILP_ELEMENT_BYREF: return ilpi_same_type(inner[0], inner[1], resolver, same, error);
    case ILP_ELEMENT_CMOD_REQD:
    case ILP_ELEMENT_CMOD_OPT:
        ILPI_TRY(same_definition(left, right, resolver, same, error));
        return *same ? ilpi_same_type(inner[0], inner[1], resolver, same, error) : ILP_OK;
    case ILP_ELEMENT_VAR:
    case ILP_ELEMENT_MVAR:
    case ILP_ELEMENT_FNPTR: *same = false; return ILP_OK;
    default: return ILP_OK;
    }
}
