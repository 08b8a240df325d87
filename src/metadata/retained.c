/* Finds the spans that rows refer to: their extents and alignments. See retained.h.
 *
 * A body's header gives its length. Field data is as long as the field's type; if that is not known
 * here, it may extend to where something else begins.
 *
 *   rows --add--> one span for each row, sizes of some data 0
 *        --sort--> by RVA
 *        --size_open_spans--> sizes of 0 become the room up to the next span or boundary
 *        --join_all--> spans that overlap become one
 *
 * All steps are linear in the rows: the sort is a radix sort, and compilers emit rows by rising
 * RVAs anyway, which is checked first. */
#include "metadata/retained.h"

#include "il/body_format.h"
#include "pe/debug.h"
#include "pe/pe_format.h"
#include "pe/origin.h"
#include "metadata/flags.h"

/* Alignments that code may rely on: a fat body's, and that of data read with vector
 * instructions. */
#define BODY_ALIGNMENT 4u
#define DATA_ALIGNMENT 16u

/* More than enough for data directories, the CLI header's and the debug entries. */
#define MAX_BOUNDARIES 128u

struct finder {
    const struct ilp_edit *edit;
    struct ilp_error *error;
    struct ilpi_moved_span *found; /* a size of 0: not known yet */
    size_t count;
    uint32_t boundaries[MAX_BOUNDARIES]; /* RVAs where other structures begin */
    size_t boundary_count;
};

static ilp_status refuse(const struct finder *finder, ilp_token token, const char *reason)
{
    return ilpi_fail(finder->error, ILP_E_CANNOT_COMPACT, ILPI_NO_OFFSET, token, "0x%08X: %s",
                     token, reason);
}

/* By the bytes in the file: what is beyond raw_size is zero, and cannot be kept. */
static const struct ilpi_section *section_of(const struct ilp_image *image, uint32_t rva)
{
    for (unsigned i = 0; i < image->pe.section_count; i++) {
        const struct ilpi_section *section = &image->pe.sections[i];
        if (rva >= section->rva && rva - section->rva < section->raw_size) {
            return section;
        }
    }
    return NULL;
}

/* The largest power of two that divides the RVA, up to the limit: the most that code can have
 * relied on. `rva & -rva` is its lowest set bit. */
static uint32_t alignment_of(uint32_t rva, uint32_t limit)
{
    uint32_t lowest = rva & (0 - rva);
    return lowest < limit ? lowest : limit;
}

/* Rows of one table may share an RVA or overlap; that is joined later. The span is checked against
 * its section here, so that all later steps may read `size` bytes. */
static ilp_status add(struct finder *finder, ilp_token token, uint32_t rva, uint64_t size,
                      uint32_t alignment)
{
    const struct ilp_image *image = finder->edit->image;
    const struct ilpi_section *section = section_of(image, rva);
    struct ilp_bytes bytes = ilp_image_rva(image, rva, NULL);
    if (!section || bytes.size == 0 || size > bytes.size) {
        return refuse(finder, token, "what it leads to is not whole");
    }
    finder->found[finder->count++] =
        (struct ilpi_moved_span){.rva = rva,
                                 .size = (uint32_t)size,
                                 .modulus = alignment_of(rva, alignment),
                                 .writable = (section->characteristics & ILPI_SECTION_WRITE) != 0,
                                 .bytes = bytes.data};
    return ILP_OK;
}

/* ---- bodies ---- */

/* Bodies that stay where they are. Their extent follows from their headers; native ones have none
 * that is known. */
static ilp_status find_bodies(struct finder *finder)
{
    const struct ilp_edit *edit = finder->edit;
    uint32_t count = ilp_edit_row_count(edit, ILP_MethodDef);
    for (ilp_rid rid = 1; rid <= count; rid++) {
        if (ilpi_place_of(&edit->body_at, rid) != 0) {
            continue;
        }
        uint32_t rva = ilpi_edit_cell_raw(edit, ILP_MethodDef, rid, ILP_MethodDef_RVA);
        if (rva == 0) {
            continue;
        }
        uint32_t flags = ilpi_edit_cell_raw(edit, ILP_MethodDef, rid, ILP_MethodDef_ImplFlags);
        size_t size = ilpi_body_extent(ilp_image_rva(edit->image, rva, NULL));
        if ((flags & ILPI_METHOD_IMPL_CODE_TYPE_MASK) == ILPI_METHOD_IMPL_NATIVE || size == 0) {
            return refuse(finder, ILP_TOKEN(ILP_MethodDef, rid),
                          "its body is native code, or cannot be read");
        }
        ILPI_TRY(add(finder, ILP_TOKEN(ILP_MethodDef, rid), rva, size, BODY_ALIGNMENT));
    }
    return ILP_OK;
}

/* ---- data of fields ---- */

/* The size that ClassLayout gives a value type without fields, as compilers emit them for initial
 * values; else 0. A type with fields may be larger than its ClassSize (II.22.8), so its size is not
 * taken from there. */
static uint32_t class_size(const struct ilp_edit *edit, uint32_t coded)
{
    ilp_token token = ilpi_coded_to_token(ILPI_CODED_TypeDefOrRef, coded);
    ilp_rid first;
    ilp_rid end;
    uint32_t position = 0;
    if (ILP_TOKEN_TABLE(token) != ILP_TypeDef) {
        return 0;
    }
    ilpi_list(edit->image, ILP_TypeDef, ILP_TOKEN_RID(token), ILP_TypeDef_FieldList, &first, &end);
    ilp_rid layout = ilpi_next_with_key(edit->image, ILP_ClassLayout, ILP_TOKEN_RID(token),
                                        &position);
    return layout != 0 && first == end
               ? ilp_cell(edit->image, ILP_ClassLayout, layout, ILP_ClassLayout_ClassSize)
               : 0;
}

/* Field signatures are FIELD CustomMod* Type (II.23.2.4). A custom modifier, a pointer or a generic
 * instance gives 0: the extent is then found by what follows. */
uint32_t ilpi_kept_data_size(const struct ilp_edit *edit, ilp_rid rid)
{
    ilp_rid field = ilpi_edit_cell_raw(edit, ILP_FieldRVA, rid, ILP_FieldRVA_Field);
    uint32_t blob = ilp_edit_cell(edit, ILP_Field, field, ILP_Field_Signature);
    struct ilp_bytes signature = ilpi_edit_blob(edit, blob);
    struct ilpi_cursor at = ilpi_cursor_over(signature, 0, "field signature", NULL);
    ilpi_skip(&at, 1); /* FIELD */
    switch (ilpi_read_u8(&at)) {
    case ILP_ELEMENT_BOOLEAN:
    case ILP_ELEMENT_I1:
    case ILP_ELEMENT_U1: return 1;
    case ILP_ELEMENT_CHAR:
    case ILP_ELEMENT_I2:
    case ILP_ELEMENT_U2: return 2;
    case ILP_ELEMENT_I4:
    case ILP_ELEMENT_U4:
    case ILP_ELEMENT_R4: return 4;
    case ILP_ELEMENT_I8:
    case ILP_ELEMENT_U8:
    case ILP_ELEMENT_R8: return 8;
    case ILP_ELEMENT_VALUETYPE: return class_size(edit, ilpi_read_packed(&at));
    default: return 0;
    }
}

static void add_boundary(struct finder *finder, uint32_t rva)
{
    if (rva != 0 && finder->boundary_count < MAX_BOUNDARIES) {
        finder->boundaries[finder->boundary_count++] = rva;
    }
}

/* Where data of unknown length must end, because another structure begins. Missing a boundary is
 * harmless: the span is longer than needed, and is moved whole. The security directory is left out,
 * since its first field is a file offset (II.25.2.3.3). */
static void find_boundaries(struct finder *finder)
{
    const struct ilp_image *image = finder->edit->image;
    const uint8_t *cli = image->pe.bytes.data + image->pe.cli_offset;
    uint64_t offset;
    struct ilp_bytes debug = ilpi_debug_table(&image->pe, &offset);
    struct ilp_digest origin;
    add_boundary(finder,
                 ilp_image_origin(image, &origin) ? image->pe.metadata.rva - ILPI_ORIGIN_BYTES : 0);
    for (unsigned i = 0; i < ILPI_DIR_COUNT; i++) {
        add_boundary(finder, i != ILPI_DIR_SECURITY ? image->pe.directories[i].rva : 0);
    }
    for (unsigned at = ILPI_CLI_AT_METADATA; at < ILPI_CLI_HEADER_BYTES; at += 8) {
        add_boundary(finder, at != ILPI_CLI_AT_FLAGS ? ilpi_load_u32(cli + at) : 0);
    }
    for (size_t at = 0; at < debug.size; at += ILPI_DEBUG_ENTRY_BYTES) {
        add_boundary(finder, ilpi_load_u32(debug.data + at + ILPI_DEBUG_AT_RVA));
    }
}

static ilp_status find_data(struct finder *finder)
{
    const struct ilp_edit *edit = finder->edit;
    uint32_t count = ilp_edit_row_count(edit, ILP_FieldRVA);
    for (ilp_rid rid = 1; rid <= count; rid++) {
        uint32_t rva = ilpi_edit_cell_raw(edit, ILP_FieldRVA, rid, ILP_FieldRVA_RVA);
        if (rva == 0 || ilpi_place_of(&edit->data_at, rid) != 0) {
            continue;
        }
        ILPI_TRY(add(finder, ILP_TOKEN(ILP_FieldRVA, rid), rva, ilpi_kept_data_size(edit, rid),
                     DATA_ALIGNMENT));
    }
    return ILP_OK;
}

/* ---- the spans ---- */

/* The distance from an RVA to the next one where something else begins; `next` is the next RVA that
 * rows refer to. */
static uint32_t room_after(const struct finder *finder, uint32_t rva, uint64_t next)
{
    uint64_t end = (uint64_t)rva + ilp_image_rva(finder->edit->image, rva, NULL).size;
    end = next < end ? next : end;
    for (size_t i = 0; i < finder->boundary_count; i++) {
        end = finder->boundaries[i] > rva && finder->boundaries[i] < end ? finder->boundaries[i]
                                                                         : end;
    }
    return (uint32_t)(end - rva);
}

/* Goes from the last span to the first, so that the next RVA is known. Spans with the same RVA have
 * the same next one, which `current` and `next` keep apart. */
static void size_open_spans(struct finder *finder)
{
    uint64_t next = UINT64_MAX;
    uint64_t current = UINT64_MAX; /* of the spans that begin where the last one does */
    for (size_t i = finder->count; i-- != 0;) {
        struct ilpi_moved_span *span = &finder->found[i];
        if (span->rva != current) {
            next = current;
            current = span->rva;
        }
        span->size = span->size != 0 ? span->size : room_after(finder, span->rva, next);
    }
}

/* A span that begins inside the previous one becomes part of it. The union must stay congruent for
 * both, so it takes the largest alignment if the second begins elsewhere: `modulus` then keeps the
 * RVA's remainder, whatever it is. */
static void join(struct ilpi_moved_span *span, const struct ilpi_moved_span *next)
{
    uint32_t into = next->rva - span->rva;
    if (into != 0 || next->modulus > span->modulus) {
        span->modulus = into == 0 ? next->modulus : DATA_ALIGNMENT;
    }
    span->size = into + next->size > span->size ? into + next->size : span->size;
    span->writable |= next->writable;
}

/* Permutes the spans in place: order[i].rid is the span that moves to position i; a position that
 * is done refers to itself. Each cycle of the permutation is followed once, so this is linear, and
 * needs no second array of spans, which are larger than the keys. */
static void rearrange(struct ilpi_moved_span *spans, struct ilpi_keyed *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct ilpi_moved_span first = spans[i];
        size_t place = i;
        while (order[place].rid != i) {
            size_t next = order[place].rid;
            spans[place] = spans[next];
            order[place].rid = (ilp_rid)place;
            place = next;
        }
        spans[place] = first;
        order[place].rid = (ilp_rid)place;
    }
}

/* By RVA, if they are not in that order already, as compilers write them: rows in the order of
 * bodies. */
static ilp_status sort(struct finder *finder, struct ilp_arena *arena)
{
    size_t count = finder->count;
    size_t bytes = 2 * count * sizeof(struct ilpi_keyed);
    struct ilpi_arena_mark mark = ilpi_arena_mark(arena);
    struct ilpi_keyed *keyed = ilpi_arena_room(arena, bytes);
    bool sorted = true;
    if (!keyed) {
        return ilpi_fail_memory(finder->error, bytes);
    }
    for (size_t i = 0; i < count; i++) {
        keyed[i] = (struct ilpi_keyed){finder->found[i].rva, (ilp_rid)i};
        sorted = sorted && (i == 0 || keyed[i - 1].key <= keyed[i].key);
    }
    if (!sorted) {
        ilpi_keyed_sort_table(keyed, keyed + count, count);
        rearrange(finder->found, keyed, count);
    }
    ilpi_arena_release(arena, mark);
    return ILP_OK;
}

/* The spans rise, so `rva - last->rva` cannot wrap, and comparing each span with the last union is
 * enough. */
static size_t join_all(struct ilpi_moved_span *spans, size_t count)
{
    size_t joined = 0;
    for (size_t i = 0; i < count; i++) {
        struct ilpi_moved_span *last = joined != 0 ? &spans[joined - 1] : NULL;
        if (last && spans[i].rva - last->rva < last->size) {
            join(last, &spans[i]);
        } else {
            spans[joined++] = spans[i];
        }
    }
    return joined;
}

/* The number of rows of a table without new contents. */
static size_t count_old(const struct ilp_edit *edit, unsigned table,
                        const struct ilpi_places *places)
{
    uint32_t rows = ilp_edit_row_count(edit, table);
    size_t count = 0;
    for (ilp_rid rid = 1; rid <= rows; rid++) {
        count += ilpi_place_of(places, rid) == 0;
    }
    return count;
}

/* All that the file keeps, as spans in ascending order: joined where they overlap. */
ilp_status ilpi_kept_find(struct ilpi_kept *kept, const struct ilp_edit *edit,
                          struct ilp_arena *arena, struct ilp_error *error)
{
    struct finder finder = {.edit = edit, .error = error};
    size_t bytes = (count_old(edit, ILP_MethodDef, &edit->body_at) +
                    count_old(edit, ILP_FieldRVA, &edit->data_at)) *
                   sizeof *finder.found;
    finder.found = ilpi_arena_room(arena, bytes);
    if (!finder.found) {
        return ilpi_fail_memory(error, bytes);
    }
    find_boundaries(&finder);
    ILPI_TRY(find_bodies(&finder));
    ILPI_TRY(find_data(&finder));
    ILPI_TRY(sort(&finder, arena));
    size_open_spans(&finder);
    *kept = (struct ilpi_kept){finder.found, join_all(finder.found, finder.count)};
    return ILP_OK;
}

/* Whether the span with this number is the last that begins at or before the RVA. */
static bool is_span_of(const struct ilpi_kept *kept, size_t number, uint32_t rva)
{
    return number < kept->count && kept->spans[number].rva <= rva &&
           (number + 1 == kept->count || kept->spans[number + 1].rva > rva);
}

/* Spans are sorted by RVA and do not overlap. The caller knows that one contains `rva`, so the
 * first one is not after it. */
static size_t find_span(const struct ilpi_kept *kept, uint32_t rva)
{
    size_t low = 0;
    size_t high = kept->count;
    while (low < high) { /* the first span after it */
        size_t middle = low + (high - low) / 2;
        if (kept->spans[middle].rva <= rva) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - 1;
}

/* Rows mostly refer to rising RVAs, so the span of the last row or the one after it is tried before
 * the bisection: a pass over a table is then linear. An RVA before the first span, or 0, has no
 * contents. */
uint32_t ilpi_kept_rva(const struct ilpi_kept *kept, uint32_t rva, size_t *near)
{
    if (rva == 0 || kept->count == 0 || rva < kept->spans[0].rva) {
        return 0;
    }
    *near += !is_span_of(kept, *near, rva);
    *near = is_span_of(kept, *near, rva) ? *near : find_span(kept, rva);
    return kept->spans[*near].new_rva + (rva - kept->spans[*near].rva);
}
