/* Types of explicit layout with overlapping fields (II.10.7): numbers over numbers are a union,
 * which is not verifiable; a reference over a number would turn the number into a reference, and no
 * runtime loads that.
 *
 *   offset      0   4   8   12
 *   int64 a     =======             a and b: a union
 *   int32 b         ===
 *   object c            =======     c alone
 *   int32 d                 ===     c and d: refused */
#include "metadata/flags.h"
#include "types/value_size.h"
#include "verify/member.h"

#define NO_OFFSET UINT32_MAX
#define POINTER   4u /* the least on any machine */

/* The smallest size of a field on any machine: a type whose size depends on its fields counts as
 * one byte. */
static uint32_t least_size(struct ilpi_verifier *verifier, const struct ilpi_vtype *type,
                           bool *reference)
{
    const struct ilpi_vtype *stored = ilpi_type_underlying(verifier, type);
    *reference = ilpi_type_is_reference(verifier, type) == ILP_YES;
    if (*reference || stored->kind == ILP_ELEMENT_PTR) {
        return POINTER;
    }
    uint32_t size = ilpi_primitive_size(stored->kind, POINTER);
    return size != 0 ? size : 1;
}

static uint32_t offset_of(const struct ilp_image *image, ilp_rid field)
{
    uint32_t position = 0;
    ilp_rid row = ilpi_next_with_key(image, ILP_FieldLayout, field, &position);
    bool is_static = (ilp_cell(image, ILP_Field, field, ILP_Field_Flags) & ILPI_FIELD_STATIC) != 0;
    return row != 0 && !is_static ? ilp_cell(image, ILP_FieldLayout, row, ILP_FieldLayout_Offset)
                                  : NO_OFFSET;
}

/* By rising offset, each field against the earlier one with the highest end: if a field overlaps
 * any earlier one, it overlaps that one. One pass after the sort. */
static void check_fields(struct ilpi_verifier *verifier, ilp_rid type,
                         const struct ilpi_keyed *fields, size_t count)
{
    uint64_t end = 0;
    bool last_reference = false;
    bool union_reported = false;
    for (size_t i = 0; i < count; i++) {
        bool reference;
        const struct ilpi_vfield *field = ilpi_field_of_token(verifier,
                                                              ILP_TOKEN(ILP_Field, fields[i].rid));
        uint32_t size = least_size(verifier, field->type, &reference);
        if (fields[i].key < end && reference != last_reference && field->known != ILPI_KNOWN_NOT &&
            (reference || ilpi_type_is_unmanaged(verifier, field->type))) {
            ilpi_report_row(verifier, ILPI_FIND_LAYOUT, ILP_TypeDef, type,
                            "%.80s at offset %u: a reference and a number overlap", field->name,
                            fields[i].key);
            return;
        }
        if (fields[i].key < end && !union_reported) {
            ilpi_report_row(verifier, ILPI_FIND_OVERLAP, ILP_TypeDef, type, "%.80s at offset %u",
                            field->name, fields[i].key);
            union_reported = true;
        }
        if ((uint64_t)fields[i].key + size > end) {
            end = (uint64_t)fields[i].key + size;
            last_reference = reference;
        }
    }
}

/* Fields of value types count as one byte, their least size, so this misses overlaps, but reports
 * none that is not there. */
void ilpi_verify_overlaps(struct ilpi_verifier *verifier)
{
    const struct ilp_image *image = verifier->image;
    for (ilp_rid type = 1; type <= image->tables[ILP_TypeDef].count && verifier->status == ILP_OK;
         type++) {
        uint32_t flags = ilp_cell(image, ILP_TypeDef, type, ILP_TypeDef_Flags);
        ilp_rid first;
        ilp_rid end;
        size_t count = 0;
        ilpi_list(image, ILP_TypeDef, type, ILP_TypeDef_FieldList, &first, &end);
        if ((flags & ILPI_TYPE_LAYOUT_MASK) != ILPI_TYPE_EXPLICIT || first >= end) {
            continue;
        }
        size_t size = (end - first) * sizeof(struct ilpi_keyed);
        struct ilpi_keyed *fields = ilpi_resize(&verifier->alloc, NULL, 0, size);
        if (!fields) {
            ilpi_verify_no_memory(verifier, size);
            return;
        }
        for (ilp_rid position = first; position < end; position++) {
            ilp_rid field = ilpi_list_row(image, ILP_Field, position);
            uint32_t offset = offset_of(image, field);
            if (offset != NO_OFFSET) {
                fields[count++] = (struct ilpi_keyed){offset, field};
            }
        }
        ilpi_keyed_sort(fields, count);
        check_fields(verifier, type, fields, count);
        ilpi_resize(&verifier->alloc, fields, size, 0);
    }
}
