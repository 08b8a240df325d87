/* Bytes after the headers that change: the CLI header (II.25.3.3) and the strong-name signature.
 * pe_debug.c adds the debug directory. */
#include "pe/pe_plan.h"
#include "pe/ready_to_run.h"

/* Patches are kept sorted by offset: write_original() of image_write.c emits what is between them.
 * There are at most ILPI_MAX_PATCHES, one for each caller. */
uint8_t *ilpi_pe_add_patch(struct ilpi_pe_plan *plan, uint64_t offset, size_t size,
                           struct ilp_arena *arena)
{
    uint8_t *bytes = ilpi_arena_alloc(arena, size);
    unsigned at = plan->patch_count++;
    while (at != 0 && plan->patches[at - 1].offset > offset) {
        plan->patches[at] = plan->patches[at - 1];
        at--;
    }
    plan->patches[at] = (struct ilpi_pe_patch){offset, {bytes, size}};
    return bytes;
}

/* The header stays where it is, changed in a copy (a patch), with the new root, the signature, and
 * without the precompiled code if that is dropped. */
static ilp_status patch_cli_header(struct ilpi_pe_plan *plan,
                                   const struct ilpi_pe_contents *contents, struct ilp_arena *arena,
                                   struct ilp_error *error)
{
    const struct ilpi_pe *pe = plan->pe;
    uint8_t *header = ilpi_pe_add_patch(plan, pe->cli_offset, ILPI_CLI_HEADER_BYTES, arena);
    if (!header) {
        return ilpi_fail_memory(error, ILPI_CLI_HEADER_BYTES);
    }
    memcpy(header, plan->pe->bytes.data + pe->cli_offset, ILPI_CLI_HEADER_BYTES);
    ilpi_store_u32(header + ILPI_CLI_AT_METADATA, plan->contents_rva + contents->root_at);
    ilpi_store_u32(header + ILPI_CLI_AT_METADATA + 4, contents->root_size);
    ilpi_strong_name_put(contents->strong_name, header);
    if (plan->info.native_code_dropped) {
        ilpi_r2r_drop_cli(header);
    }
    return ILP_OK;
}

/* Zeros, as in public-signed files. A signature replaces them when the rest of the file is
 * known. */
static ilp_status patch_signature(struct ilpi_pe_plan *plan,
                                  const struct ilpi_strong_name *strong_name,
                                  struct ilp_arena *arena, struct ilp_error *error)
{
    if (strong_name->size == 0) {
        return ILP_OK;
    }
    plan->signature_offset = strong_name->offset + plan->growth;
    plan->signature = ilpi_pe_add_patch(plan, strong_name->offset, strong_name->size, arena);
    return plan->signature ? ILP_OK : ilpi_fail_memory(error, strong_name->size);
}

/* Contradictory headers can make the patches overlap. The headers are excluded as well: pe_plan.c
 * changes these in a copy, and the bytes must not be in both. */
static ilp_status check_patches(const struct ilpi_pe_plan *plan, struct ilp_error *error)
{
    uint64_t at = plan->headers_end;
    for (unsigned i = 0; i < plan->patch_count; i++) {
        const struct ilpi_pe_patch *patch = &plan->patches[i];
        if (patch->offset < at || patch->offset + patch->bytes.size > plan->kept_end) {
            return ilpi_fail(error, ILP_E_BAD_PE, patch->offset, 0,
                             "the CLI header, the debug directory or the strong-name signature "
                             "share their bytes "
                             "with others");
        }
        at = patch->offset + patch->bytes.size;
    }
    return ILP_OK;
}

ilp_status ilpi_pe_plan_patches(struct ilpi_pe_plan *plan, const struct ilpi_pe_contents *contents,
                                struct ilp_arena *arena, struct ilp_error *error)
{
    ILPI_TRY(patch_cli_header(plan, contents, arena, error));
    ILPI_TRY(patch_signature(plan, contents->strong_name, arena, error));
    return check_patches(plan, error);
}
