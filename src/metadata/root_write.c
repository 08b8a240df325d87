/* Emits the planned metadata root: headers, table stream, heaps (II.24.2). The inverse of
 * root_read.c.
 *
 * Offsets and sizes of the stream headers are those of the plan (layout.c). ilpi_out_to() checks
 * them twice for each stream: where it begins, and where its padding ends. */
#include "metadata/layout.h"

static void write_padded_name(struct ilpi_out *out, const char *name)
{
    size_t size = strlen(name) + 1;
    ilpi_out_bytes(out, name, size);
    ilpi_out_zeros(out, (4 - size % 4) % 4);
}

/* Sorted keeps the original's bits: every sorted table is still sorted, and compilers set bits of
 * empty tables, too. Bits of HeapSizes that are not widths stay as well; EXTRA_DATA is cleared,
 * because the four bytes that it announces are not written. */
static void write_tables(const struct ilpi_layout *layout, struct ilpi_out *out)
{
    const struct ilp_image *image = layout->edit->image;
    uint64_t valid = 0;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        valid |= (uint64_t)(layout->rows[table] != 0) << table;
    }
    unsigned flags = image->heap_flags & ~(ILPI_HEAP_LARGE_STRINGS | ILPI_HEAP_LARGE_GUIDS |
                                           ILPI_HEAP_LARGE_BLOBS | ILPI_HEAP_EXTRA_DATA);
    flags |= layout->sizes.large_strings ? ILPI_HEAP_LARGE_STRINGS : 0;
    flags |= layout->sizes.large_guids ? ILPI_HEAP_LARGE_GUIDS : 0;
    flags |= layout->sizes.large_blobs ? ILPI_HEAP_LARGE_BLOBS : 0;
    uint8_t head[] = {0, 0, 0, 0, image->schema_major, image->schema_minor, (uint8_t)flags, 1};
    ilpi_out_bytes(out, head, sizeof head);
    ilpi_out_u64(out, valid);
    ilpi_out_u64(out, image->sorted);
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        if (layout->rows[table] != 0) {
            ilpi_out_u32(out, layout->rows[table]);
        }
    }
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        ilpi_rows_write(layout, table, out);
    }
}

static void write_heap(const struct ilpi_heap_edit *heap, struct ilpi_out *out)
{
    ilpi_out_bytes(out, heap->base.data, heap->base.size);
    ilpi_out_bytes(out, heap->added.data, heap->added.size);
}

/* Zeroes follow each stream up to its planned size (ilpi_out_to()), which is a multiple of 4. */
static void write_stream(const struct ilpi_layout *layout, const struct ilpi_stream_plan *stream,
                         struct ilpi_out *out)
{
    const struct ilp_edit *edit = layout->edit;
    switch (stream->kind) {
    case ILPI_STREAM_TABLES: write_tables(layout, out); break;
    case ILPI_STREAM_STRINGS: write_heap(&edit->strings, out); break;
    case ILPI_STREAM_USER_STRINGS: write_heap(&edit->user_strings, out); break;
    case ILPI_STREAM_BLOBS: write_heap(&edit->blobs, out); break;
    case ILPI_STREAM_GUIDS:
        ilpi_out_bytes(out, edit->guids ? edit->guids : stream->original.data,
                       stream->original.size);
        break;
    case ILPI_STREAM_PDB:
        ilpi_out_bytes(out, edit->pdb.size != 0 ? edit->pdb.data : stream->original.data,
                       edit->pdb.size != 0 ? edit->pdb.size : stream->original.size);
        break;
    case ILPI_STREAM_OTHER:
        ilpi_out_bytes(out, stream->original.data, stream->original.size);
        break;
    }
}

/* II.24.2.1: the first 12 bytes are the original's, the version's length is rounded up to 4 (Length
 * is of the padded text), and each stream header has its name padded as well. */
void ilpi_root_write(const struct ilpi_layout *layout, struct ilpi_out *out)
{
    const struct ilp_image *image = layout->edit->image;
    uint64_t start = out->offset;
    size_t version_size = (strlen(image->version) + 1 + 3) & ~(size_t)3;
    ilpi_out_bytes(out, image->root.data, 12); /* "BSJB", versions, Reserved */
    ilpi_out_u32(out, (uint32_t)version_size);
    write_padded_name(out, image->version);
    ilpi_out_u16(out, 0);
    ilpi_out_u16(out, (uint16_t)layout->stream_count);
    for (unsigned i = 0; i < layout->stream_count; i++) {
        const struct ilpi_stream_plan *stream = &layout->streams[i];
        ilpi_out_u32(out, stream->offset);
        ilpi_out_u32(out, stream->size);
        write_padded_name(out, stream->name);
    }
    for (unsigned i = 0; i < layout->stream_count; i++) {
        const struct ilpi_stream_plan *stream = &layout->streams[i];
        ilpi_out_to(out, start + stream->offset);
        write_stream(layout, stream, out);
        ilpi_out_to(out, start + stream->offset + stream->size);
    }
}
