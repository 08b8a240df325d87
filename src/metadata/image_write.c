/* Emits a changed image in one forward pass: headers, the original's sections with a few patched
 * bytes, then new bodies and the new metadata root. All offsets are planned by pe_plan.c and
 * layout.c.
 *
 *   plan     strong name -> layout of the metadata -> debug directory -> file (compact, or grown)
 *   seal     emit to a hash -> signature;  emit to a sum -> checksum;  origin
 *   emit     emit to the caller's sink
 *
 * The sink cannot seek, so the bytes that depend on all others (signature, checksum) are known
 * before it gets the first: emit() is deterministic and runs once for each of them. */
#include "metadata/layout.h"
#include "metadata/retained.h"
#include "metadata/strong_name_plan.h"
#include "pe/compact.h"
#include "pe/origin.h"

/* The state of one write. */
struct writing {
    struct ilp_edit *edit;
    const struct ilp_write_options *options;
    struct ilpi_strong_name strong_name;
    struct ilpi_layout layout;
    struct ilpi_debug_plan debug;
    struct ilpi_compact compact; /* of a file with the compact layout; else `plan` has everything */
    struct ilpi_kept kept;       /* of such a file */
    struct ilpi_pe_plan plan;
    struct ilp_digest origin;
};

/* ---- origin ---- */

bool ilp_image_origin(const struct ilp_image *image, struct ilp_digest *digest)
{
    return image->pe.layout == ILP_LAYOUT_FILE &&
           ilpi_origin_read(image->pe.bytes, image->root_offset, digest);
}

void ilpi_image_keep_digest(struct ilp_image *image,
                            void (*read)(const void *user, struct ilp_bytes piece),
                            const void *user)
{
    ilpi_digest_by_pieces(image->pe.bytes, &image->digest, read, user);
    image->has_digest = true;
}

static struct ilp_digest digest_of(const struct ilp_image *image)
{
    struct ilp_digest digest = image->digest;
    if (!image->has_digest) {
        ilp_digest_of(image->pe.bytes, &digest);
    }
    return digest;
}

/* Between patches the original is passed on as large spans, which struct ilpi_out gives to the sink
 * without a copy. */
static void write_original(const struct ilpi_pe_plan *plan, struct ilpi_out *out)
{
    const uint8_t *original = plan->pe->bytes.data;
    uint64_t at = plan->headers_end;
    for (unsigned i = 0; i < plan->patch_count; i++) {
        const struct ilpi_pe_patch *patch = &plan->patches[i];
        ilpi_out_bytes(out, original + at, (size_t)(patch->offset - at));
        ilpi_out_bytes(out, patch->bytes.data, patch->bytes.size);
        at = patch->offset + patch->bytes.size;
    }
    ilpi_out_bytes(out, original + at, (size_t)(plan->kept_end - at));
}

/* The original, and the bytes added after it, in the order that plan_grown() computed: bodies,
 * debug data, origin, root. Each ilpi_out_to() also checks that the plan was right. */
static void write_grown(const struct writing *writing, struct ilpi_out *out)
{
    const struct ilpi_pe_plan *plan = &writing->plan;
    const struct ilpi_buf *bodies = &writing->edit->bodies;
    ilpi_out_bytes(out, plan->headers, plan->headers_size);
    write_original(plan, out);
    ilpi_out_to(out, plan->contents_offset);
    ilpi_out_bytes(out, bodies->data, bodies->size);
    ilpi_out_zeros(out, (4 - bodies->size % 4) % 4);
    ilpi_debug_write(&writing->debug, out);
    ilpi_out_to(out, plan->contents_offset + plan->contents_size - writing->layout.root_size -
                         ILPI_ORIGIN_BYTES);
    ilpi_origin_store(ilpi_out_piece(out, ILPI_ORIGIN_BYTES), &writing->origin);
    ilpi_root_write(&writing->layout, out);
    ilpi_out_to(out, plan->file_size);
}

static void emit_root(const void *user, struct ilpi_out *out)
{
    ilpi_root_write(user, out);
}

/* The callback for every pass: a sink that sums, hashes, compares or writes gets the same bytes. */
static ilp_status emit(const void *user, const struct ilp_sink *sink, struct ilp_error *error)
{
    const struct writing *writing = user;
    const struct ilpi_pe_plan *plan = &writing->plan;
    struct ilpi_out out;
    ilpi_out_init(&out, sink, error);
    if (plan->info.compacted) {
        struct ilpi_root_emission root = {&writing->layout, emit_root};
        ilpi_compact_write(&writing->compact, plan, &root, &out);
    } else {
        write_grown(writing, &out);
    }
    ilpi_out_flush(&out);
    return out.status;
}

/* ---- the PE checksum ---- */

/* The sum of all 16-bit words, carries folded in. Since 2^16 is 1 modulo 2^16 - 1, words of 32 bits
 * give the same folded sum, and each byte counts by its position in its word, wherever the sink's
 * calls split the file. */
struct checksum {
    uint64_t sum;
    uint64_t offset;
};

/* The checksum of the PE file: the sum of its 32-bit words, whatever pieces it arrives in. Bytes at
 * the ends of pieces are added at their place in their word. */
static ilp_status checksum_write(void *user, const void *bytes, size_t size)
{
    struct checksum *checksum = user;
    const uint8_t *data = bytes;
    uint64_t sum = 0;
    for (size_t left = size; left != 0;) {
        unsigned place = (unsigned)(checksum->offset & 3);
        if (place == 0 && left >= 4) {
            size_t words = left / 4;
            for (size_t i = 0; i < words; i++) {
                sum += ilpi_load_u32(data + 4 * i);
            }
            data += 4 * words;
            left -= 4 * words;
            checksum->offset += 4 * words;
        } else {
            sum += (uint32_t)*data++ << 8 * place;
            left--;
            checksum->offset++;
        }
    }
    checksum->sum += sum;
    return ILP_OK;
}

/* The checksum is among the first bytes that a sink gets, and none gets bytes a second time, so the
 * file is emitted once more for it: 0.7 % of all instructions of a patch of FSharp.Core.dll, 1.6 %
 * of one of Microsoft.CodeAnalysis.CSharp.dll, without the sum itself. The field counts as zero in
 * its own sum; the length of the file is added to the folded sum. */
static ilp_status put_checksum(struct writing *writing, struct ilp_error *error)
{
    struct checksum checksum = {0};
    struct ilp_sink sink = {&checksum, checksum_write};
    ilpi_store_u32(writing->plan.headers + ilpi_pe_checksum_offset(writing->plan.pe), 0);
    ILPI_TRY(emit(writing, &sink, error));
    uint64_t sum = checksum.sum;
    while (sum >> 16 != 0) {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    ilpi_store_u32(writing->plan.headers + ilpi_pe_checksum_offset(writing->plan.pe),
                   (uint32_t)(sum + writing->plan.file_size));
    return ILP_OK;
}

/* ---- RVAs in the metadata ---- */

/* Whether a table has an RVA in this range: then code or data is there that must stay. */
static bool refers_into(const struct ilpi_table *table, unsigned column, uint32_t from,
                        uint32_t end)
{
    for (ilp_rid rid = 1; rid <= table->count; rid++) {
        uint32_t rva = ilpi_cell_raw(table, rid, column);
        if (rva >= from && rva < end) {
            return true;
        }
    }
    return false;
}

/* The callback of struct ilpi_rva_references. MethodDef.RVA and FieldRVA.RVA are the only cells
 * with RVAs (II.22.26, II.22.18). */
static bool any_refers_into(const void *user, uint32_t from, uint32_t end)
{
    const struct ilp_image *image = user;
    return refers_into(&image->tables[ILP_MethodDef], ILP_MethodDef_RVA, from, end) ||
           refers_into(&image->tables[ILP_FieldRVA], ILP_FieldRVA_RVA, from, end);
}

/* ---- kinds of output ---- */

/* Offsets are relative to the start of the new section's contents. All sums are in 64 bits and
 * compared once, so that none can wrap:
 *
 *   0          debug_at       origin     root_at
 *   | bodies ..| debug data | 24 bytes | metadata root | */
static ilp_status plan_grown(struct writing *writing, struct ilp_error *error)
{
    struct ilpi_layout *layout = &writing->layout;
    const struct ilpi_buf *bodies = &writing->edit->bodies;
    uint64_t debug_at = ((uint64_t)bodies->size + 3) & ~(uint64_t)3;
    uint64_t root_at = debug_at + writing->debug.size + ILPI_ORIGIN_BYTES;
    if (root_at + layout->root_size > INT32_MAX) {
        return ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                         "bodies and metadata would be larger than 2 GB");
    }
    const struct ilp_image *image = writing->edit->image;
    struct ilpi_pe_contents contents = {.size = (uint32_t)(root_at + layout->root_size),
                                        .debug_at = (uint32_t)debug_at,
                                        .root_at = (uint32_t)root_at,
                                        .root_size = layout->root_size,
                                        .debug = &writing->debug,
                                        .strong_name = &writing->strong_name,
                                        .references = {image, any_refers_into}};
    ILPI_TRY(ilpi_pe_plan(&writing->plan, &image->pe, &contents, &layout->arena, error));
    ILPI_TRY(ilpi_kept_check(writing->edit, &writing->plan, error));
    layout->bodies_rva = writing->plan.contents_rva;
    return ILP_OK;
}

/* The order matters: ilpi_compact_begin() refuses what is not understood before the rows are
 * walked, ilpi_kept_find() needs the image alone, and the new RVAs of bodies exist only after
 * ilpi_compact_plan(). The layout of the metadata takes them last, because they change no size. */
static ilp_status plan_compact(struct writing *writing, struct ilp_error *error)
{
    struct ilpi_layout *layout = &writing->layout;
    struct ilpi_compact_contents contents = {.bodies = ilpi_buf_bytes(&writing->edit->bodies),
                                             .root_size = layout->root_size,
                                             .debug = &writing->debug,
                                             .strong_name = &writing->strong_name};
    ILPI_TRY(ilpi_compact_begin(&writing->compact, &writing->plan, &writing->edit->image->pe,
                                &contents, error));
    ILPI_TRY(ilpi_kept_find(&writing->kept, writing->edit, &layout->arena, error));
    contents.spans = writing->kept.spans;
    contents.span_count = writing->kept.count;
    ILPI_TRY(
        ilpi_compact_plan(&writing->compact, &writing->plan, &contents, &layout->arena, error));
    layout->bodies_rva = writing->compact.bodies_rva;
    layout->kept = &writing->kept;
    return ILP_OK;
}

/* With ILP_WRITE_AUTO, a file that cannot have the compact layout is planned a second time. Memory
 * of the first plan stays in the arena until the write ends; the reason is kept for the write
 * info. */
static ilp_status plan_file(struct writing *writing, struct ilp_error *error)
{
    struct ilp_error why = {.status = ILP_OK};
    if (writing->options->layout == ILP_WRITE_KEEP) {
        return plan_grown(writing, error);
    }
    ilp_status status = plan_compact(writing, &why);
    if (status == ILP_E_CANNOT_COMPACT && writing->options->layout == ILP_WRITE_AUTO) {
        writing->compact = (struct ilpi_compact){.count = 0};
        writing->kept = (struct ilpi_kept){.count = 0};
        status = plan_grown(writing, error);
        writing->plan.info.not_compacted = why;
    } else if (status != ILP_OK && error) {
        *error = why;
    }
    return status;
}

/* Fills in what depends on all other bytes: the signature first, since the checksum counts it
 * (pe_sign.c signs zeros in its place). */
static ilp_status seal(struct writing *writing, const struct ilp_digest *origin,
                       struct ilp_error *error)
{
    writing->origin = *origin;
    if (writing->compact.origin) {
        ilpi_origin_store(writing->compact.origin, origin);
    }
    if (writing->strong_name.state == ILP_STRONG_NAME_SIGNED) {
        struct ilpi_emission emission = {writing, emit};
        memset(writing->plan.signature, 0, writing->strong_name.size);
        ILPI_TRY(ilpi_pe_sign(&writing->plan, &writing->strong_name, &emission,
                              &writing->edit->alloc, error));
    }
    return writing->plan.checksum ? put_checksum(writing, error) : ILP_OK;
}

struct comparing {
    struct ilp_bytes left; /* not compared yet */
    bool same;
};

/* A sink that compares bytes with those of the image instead of writing them. */
static ilp_status compare(void *user, const void *bytes, size_t size)
{
    struct comparing *comparing = user;
    comparing->same = comparing->same && size <= comparing->left.size &&
                      memcmp(comparing->left.data, bytes, size) == 0;
    if (comparing->same) {
        comparing->left = (struct ilp_bytes){comparing->left.data + size,
                                             comparing->left.size - size};
    }
    return ILP_OK;
}

/* Whether the image equals what would be written, except for its origin. So a second pass over a
 * compact file gives the same file, with the origin of the first, instead of one whose origin is
 * the file itself. */
static ilp_status is_written_already(struct writing *writing, bool *already,
                                     struct ilp_error *error)
{
    struct comparing comparing = {writing->edit->image->pe.bytes, true};
    struct ilp_sink sink = {&comparing, compare};
    struct ilp_digest origin;
    *already = false;
    if (ilp_edit_is_empty(writing->edit) && ilp_image_origin(writing->edit->image, &origin)) {
        ILPI_TRY(seal(writing, &origin, error));
        ILPI_TRY(emit(writing, &sink, error));
        *already = comparing.same && comparing.left.size == 0;
    }
    return ILP_OK;
}

static bool mvid_is_kept(const struct ilp_edit *edit)
{
    uint32_t index = ilp_cell(edit->image, ILP_Module, 1, ILP_Module_Mvid);
    struct ilp_bytes old = ilp_guid(edit->image, index);
    return old.size != 0 &&
           (!edit->guids || memcmp(edit->guids + (index - 1) * old.size, old.data, old.size) == 0);
}

/* A compacted file is compared with its source: to compact a compact file again gives the file
 * itself. */
static ilp_status write_pe(struct writing *writing, const struct ilp_sink *sink,
                           struct ilp_write_info *info, struct ilp_error *error)
{
    struct ilp_digest origin;
    bool already = false;
    ILPI_TRY(ilpi_debug_plan(&writing->debug, &writing->edit->image->pe, writing->options,
                             writing->edit->bodies.size != 0, &writing->layout.arena, error));
    ILPI_TRY(plan_file(writing, error));
    if (writing->plan.info.compacted) {
        ILPI_TRY(is_written_already(writing, &already, error));
    }
    if (!already) {
        origin = digest_of(writing->edit->image);
        ILPI_TRY(seal(writing, &origin, error));
    }
    ILPI_TRY(emit(writing, sink, error));
    writing->plan.info.mvid_kept = mvid_is_kept(writing->edit);
    *info = writing->plan.info;
    if (already) {
        *info = (struct ilp_write_info){.size = writing->plan.file_size};
    }
    return ILP_OK;
}

/* Metadata alone (ILP_LAYOUT_METADATA): the root is all there is to write. */
static ilp_status write_root_alone(struct writing *writing, const struct ilp_sink *sink,
                                   struct ilp_write_info *info, struct ilp_error *error)
{
    struct ilpi_out out;
    if (writing->edit->bodies.size != 0) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                         "metadata without a PE file around it has no place for bodies");
    }
    ilpi_out_init(&out, sink, error);
    ilpi_root_write(&writing->layout, &out);
    ilpi_out_flush(&out);
    info->size = out.offset;
    return out.status;
}

/* An edit without changes copies the file, also one that could not be rewritten. The plans live in
 * the layout's arena, and are freed with it. */
ilp_status ilp_edit_write(struct ilp_edit *edit, const struct ilp_write_options *options,
                          const struct ilp_sink *sink, struct ilp_write_info *info,
                          struct ilp_error *error)
{
    static const struct ilp_write_options defaults = {0};
    struct ilp_write_info unused = {0};
    struct ilp_image *image = edit->image;
    ILPI_TRY(ILPI_CHECK_RESERVED(options, error));
    ILPI_TRY(ILPI_CHECK_RESERVED(options ? options->link : NULL, error));
    info = info ? info : &unused;
    *info = (struct ilp_write_info){.size = image->pe.bytes.size};
    if (ilp_edit_is_empty(edit) && !(options && options->layout == ILP_WRITE_COMPACT)) {
        struct ilpi_out out;
        ilpi_out_init(&out, sink, error);
        ilpi_out_bytes(&out, image->pe.bytes.data, image->pe.bytes.size);
        ilpi_out_flush(&out);
        return out.status;
    }
    struct writing writing = {.edit = edit, .options = options ? options : &defaults};
    if (image->pe.layout != ILP_LAYOUT_METADATA) {
        ILPI_TRY(ilpi_strong_name_plan(&writing.strong_name, edit, writing.options, error));
    }
    ILPI_TRY(ilpi_layout_plan(&writing.layout, edit, error));
    ilp_status status = image->pe.layout == ILP_LAYOUT_METADATA
                            ? write_root_alone(&writing, sink, info, error)
                            : write_pe(&writing, sink, info, error);
    ilpi_layout_free(&writing.layout);
    return status;
}
