/* Emits a changed image in one forward pass: headers, the original's sections with a few bytes patched,
 * then new bodies and the new metadata root. All places come from pe_plan.c and layout.c.
 */
#include "metadata/pe_write.h"

/* Everything one emission needs. */
struct writing {
    struct ilp_edit *edit;
    struct ilpi_layout layout;
    struct ilpi_pe_plan plan;
};

static void write_original(const struct ilpi_pe_plan *plan, struct ilpi_out *out)
{
    const uint8_t *original = plan->image->bytes.data;
    uint64_t at = plan->headers_end;
    for (unsigned i = 0; i < plan->patch_count; i++) {
        const struct ilpi_pe_patch *patch = &plan->patches[i];
        ilpi_out_bytes(out, original + at, (size_t)(patch->offset - at));
        ilpi_out_bytes(out, patch->bytes, patch->size);
        at = patch->offset + patch->size;
    }
    ilpi_out_bytes(out, original + at, (size_t)(plan->kept_end - at));
}

static ilp_status emit(const struct writing *writing, const struct ilp_sink *sink,
                       struct ilp_error *error)
{
    const struct ilpi_pe_plan *plan = &writing->plan;
    const struct ilpi_buf *bodies = &writing->edit->bodies;
    struct ilpi_out out;
    ilpi_out_init(&out, sink, error);
    ilpi_out_bytes(&out, plan->headers, plan->headers_size);
    write_original(plan, &out);
    ilpi_out_to(&out, plan->contents_offset);
    ilpi_out_bytes(&out, bodies->data, bodies->size);
    ilpi_out_to(&out, plan->contents_offset + plan->contents_size - writing->layout.root_size);
    ilpi_root_write(&writing->layout, &out);
    ilpi_out_to(&out, plan->file_size);
    ilpi_out_flush(&out);
    return out.status;
}

/* ---- the PE checksum ---- */

/* The sum of all 16-bit words, carries folded, with the field itself taken as zero; an odd byte at a
 * sink's call is kept for the next one. */
struct checksum {
    uint64_t sum;
    bool half;
    uint8_t low;
};

static ilp_status checksum_write(void *user, const void *bytes, size_t size)
{
    struct checksum *checksum = user;
    const uint8_t *data = bytes;
    for (size_t i = 0; i < size; i++) {
        if (checksum->half) {
            checksum->sum += (uint32_t)(checksum->low | data[i] << 8);
        }
        checksum->low = data[i];
        checksum->half = !checksum->half;
    }
    return ILP_OK;
}

static ilp_status put_checksum(struct writing *writing, struct ilp_error *error)
{
    struct checksum checksum = {0};
    struct ilp_sink sink = {&checksum, checksum_write};
    ILPI_TRY(emit(writing, &sink, error));
    uint64_t sum = checksum.sum + (checksum.half ? checksum.low : 0);
    while (sum >> 16 != 0) {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    ilpi_store_u32(writing->plan.headers + ilpi_pe_checksum_offset(writing->plan.image),
                   (uint32_t)(sum + writing->plan.file_size));
    return ILP_OK;
}

/* ---- kinds of output ---- */

static ilp_status write_pe(struct writing *writing, const struct ilp_sink *sink,
                           struct ilp_write_info *info, struct ilp_error *error)
{
    struct ilpi_layout *layout = &writing->layout;
    uint64_t root_at = ((uint64_t)writing->edit->bodies.size + 3) & ~(uint64_t)3;
    if (root_at + layout->root_size > INT32_MAX) {
        return ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                         "bodies and metadata would be larger than 2 GB");
    }
    ILPI_TRY(ilpi_pe_plan(&writing->plan, writing->edit->image, &layout->arena,
                          (uint32_t)(root_at + layout->root_size), (uint32_t)root_at,
                          layout->root_size, writing->edit->body_at != NULL, error));
    layout->bodies_rva = writing->plan.contents_rva;
    if (writing->plan.checksum) {
        ILPI_TRY(put_checksum(writing, error));
    }
    ILPI_TRY(emit(writing, sink, error));
    *info = writing->plan.info;
    return ILP_OK;
}

static ilp_status write_root_alone(struct writing *writing, const struct ilp_sink *sink,
                                   struct ilp_write_info *info, struct ilp_error *error)
{
    struct ilpi_out out;
    if (writing->edit->body_at) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                         "metadata without a PE file around it has no place for bodies");
    }
    ilpi_out_init(&out, sink, error);
    ilpi_root_write(&writing->layout, &out);
    ilpi_out_flush(&out);
    info->size = out.offset;
    return out.status;
}

ilp_status ilp_edit_write(struct ilp_edit *edit, const struct ilp_sink *sink,
                          struct ilp_write_info *info, struct ilp_error *error)
{
    struct ilp_write_info unused;
    struct ilp_image *image = edit->image;
    info = info ? info : &unused;
    *info = (struct ilp_write_info){.size = image->bytes.size};
    if (ilp_edit_is_empty(edit)) {
        struct ilpi_out out;
        ilpi_out_init(&out, sink, error);
        ilpi_out_bytes(&out, image->bytes.data, image->bytes.size);
        ilpi_out_flush(&out);
        return out.status;
    }
    struct writing writing = {.edit = edit};
    ILPI_TRY(ilpi_layout_plan(&writing.layout, edit, error));
    ilp_status status = image->layout == ILP_LAYOUT_METADATA
                            ? write_root_alone(&writing, sink, info, error)
                            : write_pe(&writing, sink, info, error);
    ilpi_layout_free(&writing.layout);
    return status;
}
