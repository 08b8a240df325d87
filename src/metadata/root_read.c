/* Reads the metadata root and its stream headers (II.24.2.1, II.24.2.2).
 *
 *   "BSJB" u16 u16 u32 length version[length] u16 flags u16 n  n * (u32 offset u32 size name[4k])
 *
 * Offsets of streams count from "BSJB". Streams may overlap, have equal names or names that no
 * specification has: all are listed in `streams`, so that a writer can copy them, and the known
 * ones are assigned to the image's heaps. */
#include "metadata/image.h"

#define ROOT_MAGIC 0x424A5342u /* "BSJB" */

/* Runtimes accept names of up to 31 characters and a NUL. */
#define MAX_STREAM_NAME 31u

/* II.24.2.2. An offset is from the root's start; a name has at most 32 bytes with its padding. */
static ilp_status read_stream(struct ilp_image *image, struct ilpi_cursor *at,
                              struct ilpi_stream *stream)
{
    uint64_t header = ilpi_cursor_offset(at);
    uint32_t offset = ilpi_read_u32(at);
    uint32_t size = ilpi_read_u32(at);
    stream->name = ilpi_read_cstring(at, MAX_STREAM_NAME);
    ilpi_read_align(at, 4);
    ILPI_TRY(at->status);
    if (offset > image->root.size || size > image->root.size - offset) {
        return ilpi_fail(at->error, ILP_E_BAD_METADATA, header, 0,
                         "stream %s leads outside of the metadata", stream->name);
    }
    stream->bytes = (struct ilp_bytes){image->root.data + offset, size};
    stream->offset = image->root_offset + offset;
    return ILP_OK;
}

/* Streams come in any order. Of streams with one name the last one counts, as in the runtimes. */
static void assign_stream(struct ilp_image *image, const struct ilpi_stream *stream)
{
    if (strcmp(stream->name, "#Strings") == 0) {
        image->strings = stream->bytes;
    } else if (strcmp(stream->name, "#US") == 0) {
        image->user_strings = stream->bytes;
    } else if (strcmp(stream->name, "#Blob") == 0) {
        image->blobs = stream->bytes;
        image->blobs_offset = stream->offset;
    } else if (strcmp(stream->name, "#GUID") == 0) {
        image->guids = stream->bytes;
    } else if (strcmp(stream->name, "#~") == 0 || strcmp(stream->name, "#-") == 0) {
        image->table_stream = stream;
    }
}

/* Called once all streams are read: many may have this name, and only the last counts. */
static void find_strings_end(struct ilp_image *image)
{
    const uint8_t *start = image->strings.data;
    const uint8_t *last = start ? memrchr(start, 0, image->strings.size) : NULL;
    image->strings_end = last ? (size_t)(last - start) + 1 : 0;
}

/* #Pdb: an id of 20 bytes, the entry point, and the row counts of the assembly tables that the
 * PDB's rows refer to; widths here depend on them (Portable PDB format, "#Pdb stream"). */
static ilp_status read_pdb_stream(struct ilp_image *image, const struct ilpi_stream *stream,
                                  struct ilp_error *error)
{
    struct ilpi_cursor at = ilpi_cursor_over(stream->bytes, stream->offset, "#Pdb stream", error);
    ilpi_skip(&at, 24);
    uint64_t referenced = ilpi_read_u64(&at);
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        if (referenced >> table & 1) {
            image->sizes.rows[table] = ilpi_read_u32(&at);
        }
    }
    return at.status;
}

/* II.24.2.1. Every offset and size is checked here once: later code reads streams without
 * checks. */
ilp_status ilpi_root_read(struct ilp_image *image, struct ilp_error *error)
{
    struct ilpi_cursor at = ilpi_cursor_over(image->root, image->root_offset, "metadata root",
                                             error);
    if (ilpi_read_u32(&at) != ROOT_MAGIC && at.status == ILP_OK) {
        return ilpi_fail(error, ILP_E_BAD_METADATA, image->root_offset, 0,
                         "the metadata root does not start with \"BSJB\"");
    }
    ilpi_skip(&at, 8); /* MajorVersion, MinorVersion, Reserved */
    uint32_t length = ilpi_read_u32(&at);
    struct ilpi_cursor version = ilpi_cursor_sub(&at, length, "metadata root, Version");
    image->version = ilpi_read_cstring(&version, 255);
    ILPI_TRY(version.status);
    ilpi_read_align(&at, 4);
    ilpi_skip(&at, 2); /* Flags */
    image->stream_count = ilpi_read_u16(&at);
    if ((size_t)image->stream_count * 12 > ilpi_cursor_left(&at)) {
        return ilpi_cursor_fail(&at, ILP_E_BAD_METADATA, "more streams than bytes for them");
    }
    image->streams = ilpi_arena_array(&image->arena, image->stream_count, sizeof *image->streams);
    if (!image->streams) {
        return ilpi_fail_memory(error, image->stream_count * sizeof *image->streams);
    }
    for (unsigned i = 0; i < image->stream_count; i++) {
        struct ilpi_stream *stream = &image->streams[i];
        ILPI_TRY(read_stream(image, &at, stream));
        assign_stream(image, stream);
        if (strcmp(stream->name, "#Pdb") == 0) {
            image->pdb_stream = stream;
            ILPI_TRY(read_pdb_stream(image, stream, error));
        }
    }
    find_strings_end(image);
    if (!image->table_stream) {
        return ilpi_fail(error, ILP_E_BAD_METADATA, image->root_offset, 0,
                         "the metadata has no table stream (#~ or #-)");
    }
    return ILP_OK;
}
