/* Facts from a type's fields: the underlying type of an enum, and whether a struct holds references
 * (II.14.3, I.8.7). */
#include "metadata/flags.h"
#include "verify/type.h"
#include "verify/type_table.h"

/* Structs that nest deeper count as managed. */
#define MAX_NESTING 8u

static bool is_static(const struct ilp_image *image, ilp_rid field)
{
    return (ilp_cell(image, ILP_Field, field, ILP_Field_Flags) & ILPI_FIELD_STATIC) != 0;
}

static struct ilp_bytes signature_of(const struct ilp_image *image, ilp_rid field)
{
    return ilp_blob(image, ilp_cell(image, ILP_Field, field, ILP_Field_Signature));
}

/* An enum has one instance field, of its underlying type. */
static const struct ilpi_vtype *find_underlying(struct ilpi_verifier *verifier,
                                                struct ilpi_def *def)
{
    struct ilp_image *image = def->image;
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, ILP_TypeDef, ILP_TOKEN_RID(def->token), ILP_TypeDef_FieldList, &first, &end);
    for (ilp_rid position = first; position < end && ilpi_spend_work(verifier, 1); position++) {
        ilp_rid rid = ilpi_list_row(image, ILP_Field, position);
        struct ilp_bytes blob = signature_of(image, rid);
        if (!is_static(image, rid) && blob.size == 2 && blob.data[0] == 0x06 &&
            ilpi_element_is_primitive_value(blob.data[1])) {
            return ilpi_type_of_element(verifier, blob.data[1]);
        }
    }
    return verifier->types->unknown;
}

const struct ilpi_vtype *ilpi_type_underlying(struct ilpi_verifier *verifier,
                                              const struct ilpi_vtype *type)
{
    if (!type->def || type->def->what != ILPI_WHAT_ENUM) {
        return type;
    }
    if (!type->def->underlying) {
        type->def->underlying = find_underlying(verifier, type->def);
    }
    return type->def->underlying;
}

static bool is_unmanaged(struct ilpi_verifier *verifier, const struct ilpi_vtype *type,
                         unsigned depth);

/* Unmanaged: no field, at any depth, is a reference (C# `unmanaged`). A field of unknown type
 * counts as managed. */
static bool fields_are_unmanaged(struct ilpi_verifier *verifier, const struct ilpi_def *def,
                                 unsigned depth)
{
    struct ilp_image *image = def->image;
    struct ilp_arena arena = {.alloc = &verifier->alloc};
    bool all = depth < MAX_NESTING;
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, ILP_TypeDef, ILP_TOKEN_RID(def->token), ILP_TypeDef_FieldList, &first, &end);
    for (ilp_rid position = first; all && position < end; position++) {
        ilp_rid rid = ilpi_list_row(image, ILP_Field, position);
        if (is_static(image, rid)) {
            continue;
        }
        const struct ilp_sig *sig = ilpi_verify_sig(verifier, signature_of(image, rid),
                                                    ILP_SIG_FIELD, &arena);
        all = sig && is_unmanaged(verifier, ilpi_type_load(verifier, image, sig->ret), depth + 1);
    }
    ilpi_arena_free(&arena);
    return all;
}

/* Remembered by definition, not by instance: a type parameter in a field counts as managed. */
static bool is_unmanaged(struct ilpi_verifier *verifier, const struct ilpi_vtype *type,
                         unsigned depth)
{
    struct ilpi_def *def = type->def;
    if (ilpi_element_is_primitive_value(type->kind) || type->kind == ILP_ELEMENT_PTR ||
        type->kind == ILP_ELEMENT_FNPTR || (def && def->what == ILPI_WHAT_ENUM)) {
        return true;
    }
    if (type->kind != ILP_ELEMENT_VALUETYPE || !def || def->what != ILPI_WHAT_VALUE) {
        return false;
    }
    if (def->unmanaged == 0) {
        def->unmanaged = ILP_NO + 1; /* in case it contains itself */
        def->unmanaged = (uint8_t)(fields_are_unmanaged(verifier, def, depth) ? ILP_YES + 1
                                                                              : ILP_NO + 1);
    }
    return def->unmanaged == ILP_YES + 1;
}

bool ilpi_type_is_unmanaged(struct ilpi_verifier *verifier, const struct ilpi_vtype *type)
{
    return is_unmanaged(verifier, type, 0);
}
