/* Refuses a file in which method bodies or field data share bytes with structures that change:
 * headers, the CLI header, the debug directory, the strong-name signature. A patch would change the
 * code or data. See retained.h. */
#include "il/body_format.h"
#include "metadata/flags.h"
#include "metadata/retained.h"
#include "pe/pe_plan.h"

/* Whether the plan changes any of these bytes of the original. Headers are compared byte by byte,
 * because most of them stay; patches are small, and all their bytes count as changed. */
static bool is_patched(const struct ilpi_pe_plan *plan, uint64_t offset, uint64_t size)
{
    bool patched = false;
    if (offset < plan->headers_end) {
        uint64_t left = plan->headers_end - offset;
        patched = memcmp(plan->headers + offset, plan->pe->bytes.data + offset,
                         (size_t)(size < left ? size : left)) != 0;
    }
    for (unsigned i = 0; i < plan->patch_count; i++) {
        const struct ilpi_pe_patch *patch = &plan->patches[i];
        patched = patched || (size != 0 && offset < patch->offset + patch->bytes.size &&
                              offset + size > patch->offset);
    }
    return patched;
}

/* The length of native code is unknown: it has at least one byte, and the headers hold no code that
 * could end before they do. */
static uint64_t native_extent(const struct ilpi_pe_plan *plan, uint64_t offset)
{
    return offset < plan->headers_end ? plan->headers_end - offset : 1;
}

static uint64_t body_extent(const struct ilp_edit *edit, const struct ilpi_pe_plan *plan,
                            ilp_rid rid, struct ilp_bytes body, uint64_t offset)
{
    uint32_t flags = ilpi_edit_cell_raw(edit, ILP_MethodDef, rid, ILP_MethodDef_ImplFlags);
    return (flags & ILPI_METHOD_IMPL_CODE_TYPE_MASK) == ILPI_METHOD_IMPL_NATIVE
               ? native_extent(plan, offset)
               : ilpi_body_extent(body);
}

/* Nearly all bodies and data begin after the last patch, so few are measured. Patches rise, so the
 * last one's end decides; the CLI header is always patched, so there is one. */
static bool is_before(const struct ilpi_pe_plan *plan, struct ilp_bytes bytes, uint64_t offset)
{
    const struct ilpi_pe_patch *last = &plan->patches[plan->patch_count - 1];
    return bytes.size != 0 && offset < last->offset + last->bytes.size;
}

/* In a crafted file a body may share bytes with the headers or the signature, which are patched:
 * then the body would change too. */
static ilp_status check_bodies(const struct ilp_edit *edit, const struct ilpi_pe_plan *plan,
                               struct ilp_error *error)
{
    for (ilp_rid rid = 1; rid <= ilp_row_count(edit->image, ILP_MethodDef); rid++) {
        uint32_t rva = ilpi_edit_cell_raw(edit, ILP_MethodDef, rid, ILP_MethodDef_RVA);
        if (rva == 0 || ilpi_place_of(&edit->body_at, rid) != 0) {
            continue;
        }
        uint64_t offset = 0;
        struct ilp_bytes body = ilp_image_rva(edit->image, rva, &offset);
        if (is_before(plan, body, offset) &&
            is_patched(plan, offset, body_extent(edit, plan, rid, body, offset))) {
            return ilpi_fail(error, ILP_E_BAD_PE, offset, ILP_TOKEN(ILP_MethodDef, rid),
                             "the body of 0x%08X shares its bytes with the headers or the "
                             "strong-name signature",
                             ILP_TOKEN(ILP_MethodDef, rid));
        }
    }
    return ILP_OK;
}

static ilp_status check_data(const struct ilp_edit *edit, const struct ilpi_pe_plan *plan,
                             struct ilp_error *error)
{
    for (ilp_rid rid = 1; rid <= ilp_row_count(edit->image, ILP_FieldRVA); rid++) {
        uint32_t rva = ilpi_edit_cell_raw(edit, ILP_FieldRVA, rid, ILP_FieldRVA_RVA);
        if (rva == 0 || ilpi_place_of(&edit->data_at, rid) != 0) {
            continue;
        }
        uint64_t offset = 0;
        struct ilp_bytes data = ilp_image_rva(edit->image, rva, &offset);
        uint32_t size = ilpi_kept_data_size(edit, rid);
        if (is_before(plan, data, offset) && is_patched(plan, offset, size != 0 ? size : 1)) {
            ilp_rid field = ilpi_edit_cell_raw(edit, ILP_FieldRVA, rid, ILP_FieldRVA_Field);
            return ilpi_fail(error, ILP_E_BAD_PE, offset, ILP_TOKEN(ILP_FieldRVA, rid),
                             "the data of field 0x%08X shares its bytes with the headers or the "
                             "strong-name signature",
                             ILP_TOKEN(ILP_Field, field));
        }
    }
    return ILP_OK;
}

ilp_status ilpi_kept_check(const struct ilp_edit *edit, const struct ilpi_pe_plan *plan,
                           struct ilp_error *error)
{
    ILPI_TRY(check_bodies(edit, plan, error));
    return check_data(edit, plan, error);
}
