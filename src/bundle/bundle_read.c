/* Finds the manifest of a single-file bundle and reads it. See bundle.h for the format.
 *
 * Takes the bytes of the file; fills the entries and their index by path. Offsets, sizes, overlaps
 * and paths are checked here, once: afterwards an entry's bytes are inside the file, and its path
 * can be created under a folder. */
#include "bundle/bundle.h"

#include <string.h>

#include "base/cursor.h"
#include "base/hash.h"
#include "base/inflate.h"
#include "pe/file_kind.h"

/* The smallest file entry of a manifest: offset (8), size (8), type (1), and a path of one
 * character with its length (2). */
#define MIN_ENTRY_BYTES 19u

/* More files than any program has. */
#define MAX_ENTRIES 0x10000u

/* A length has one or two bytes, 7 bits in each, the lowest first (.NET's BinaryWriter, 7-bit
 * encoded integer). Longer ones exist in the encoding, but hosts do not read them. */
static const char *read_text(struct ilpi_cursor *at, struct ilp_arena *arena)
{
    uint32_t length = ilpi_read_u8(at);
    if (length & 0x80) {
        length = (length & 0x7F) | (uint32_t)ilpi_read_u8(at) << 7;
    }
    if (length > ILPI_BUNDLE_MAX_PATH) {
        ilpi_cursor_fail(at, ILP_E_BAD_BUNDLE, "a text is longer than hosts take");
    }
    struct ilp_bytes bytes = ilpi_read_bytes(at, at->status == ILP_OK ? length : 0);
    if (at->status == ILP_OK && (length == 0 || memchr(bytes.data, 0, length))) {
        ilpi_cursor_fail(at, ILP_E_BAD_BUNDLE, "a text is empty or holds a zero");
    }
    char *text = ilpi_arena_alloc(arena, (size_t)length + 1);
    if (!text) {
        at->status = at->status == ILP_OK ? ilpi_fail_memory(at->error, length) : at->status;
        return "";
    }
    memcpy(text, bytes.data, bytes.size);
    return text;
}

/* Relative, and without a part that is empty, `.` or `..`. Both separators count on all systems. */
bool ilpi_bundle_path_is_inside(const char *path)
{
    bool inside = path[0] != '/';
    while (inside && *path) {
        size_t part = strcspn(path, "/\\");
        inside = part != 0 && !(part == 1 && path[0] == '.') &&
                 !(part == 2 && path[0] == '.' && path[1] == '.');
        path += part;
        path += *path != '\0';
    }
    return inside;
}

/* Sizes are added up: files that overlap could otherwise unpack to much more than the bundle has.
 * An uncompressed file is used in place; a compressed one cannot be larger than deflate allows,
 * which bounds the memory that is reserved for it. */
static ilp_status read_entry(struct ilp_bundle *bundle, struct ilpi_cursor *at,
                             struct ilp_bundle_entry *entry)
{
    uint64_t place = ilpi_cursor_offset(at);
    entry->offset = ilpi_read_u64(at);
    entry->size = ilpi_read_u64(at);
    entry->packed_size = bundle->major >= 6 ? ilpi_read_u64(at) : 0;
    uint8_t type = ilpi_read_u8(at);
    entry->type = (enum ilp_bundle_type)type;
    entry->path = read_text(at, &bundle->arena);
    ILPI_TRY(at->status);
    /* what the file takes in the bundle; a packed size of 0 means that it is not compressed */
    uint64_t stored = entry->packed_size != 0 ? entry->packed_size : entry->size;
    if (stored != 0 && entry->offset < bundle->header_place + 8) {
        return ilpi_fail(at->error, ILP_E_BAD_BUNDLE, place, 0, "bundle: %s begins in the host",
                         entry->path);
    }
    if (entry->offset > bundle->bytes.size || stored > bundle->bytes.size - entry->offset) {
        return ilpi_fail(at->error, ILP_E_BAD_BUNDLE, place, 0,
                         "bundle: %s leads outside of the file", entry->path);
    }
    bundle->stored += stored;
    if (bundle->stored > bundle->bytes.size) {
        return ilpi_fail(at->error, ILP_E_BAD_BUNDLE, place, 0,
                         "bundle: files overlap: with %s they are larger than the bundle",
                         entry->path);
    }
    if (entry->packed_size != 0 && entry->size / ILPI_INFLATE_MAX_RATIO > entry->packed_size) {
        return ilpi_fail(at->error, ILP_E_BAD_BUNDLE, place, 0,
                         "bundle: %s cannot be as large as it says", entry->path);
    }
    if (type >= ILP_BUNDLE_TYPES || !ilpi_bundle_path_is_inside(entry->path)) {
        return ilpi_fail(at->error, ILP_E_BAD_BUNDLE, place, 0,
                         "bundle: a file has an unknown type, or a path "
                         "that leads elsewhere");
    }
    return ILP_OK;
}

/* Adds the entry that was read last to the index by path. */
static ilp_status index_entry(struct ilp_bundle *bundle, struct ilp_error *error)
{
    const char *path = bundle->entries[bundle->count].path;
    return ilp_bundle_find(bundle, path)
               ? ILP_OK
               : ilpi_map_add(&bundle->places, &bundle->alloc, XXH3_64bits(path, strlen(path)),
                              (uint32_t)bundle->count + 1, error);
}

/* The count is compared with the bytes that are left before memory is taken for it, and each path
 * takes its place in the index, of equal ones the first. */
static ilp_status read_manifest(struct ilp_bundle *bundle, struct ilp_error *error)
{
    size_t header = (size_t)bundle->header; /* which is inside the file */
    struct ilp_bytes manifest = {bundle->bytes.data + header, bundle->bytes.size - header};
    struct ilpi_cursor at = ilpi_cursor_over(manifest, bundle->header, "bundle manifest", error);
    at.failure = ILP_E_BAD_BUNDLE;
    bundle->major = ilpi_read_u32(&at);
    bundle->minor = ilpi_read_u32(&at);
    uint32_t count = ilpi_read_u32(&at);
    if (at.status == ILP_OK && bundle->major != 1 && bundle->major != 2 && bundle->major != 6) {
        return ilpi_fail(error, ILP_E_BAD_BUNDLE, bundle->header, 0,
                         "bundle: its version is %u.%u; 1, 2 and 6 are known", bundle->major,
                         bundle->minor);
    }
    bundle->id = read_text(&at, &bundle->arena);
    if (bundle->major >= 2) {
        /* the two files are entries as well, and found there by their types */
        ilpi_skip(&at, (size_t)ILPI_BUNDLE_PLACES * 16);
        bundle->flags = ilpi_read_u64(&at);
    }
    if (at.status == ILP_OK &&
        (count > MAX_ENTRIES || count > ilpi_cursor_left(&at) / MIN_ENTRY_BYTES)) {
        return ilpi_cursor_fail(&at, ILP_E_BAD_BUNDLE, "more files than bytes for them");
    }
    ILPI_TRY(at.status);
    bundle->entries = ilpi_arena_array(&bundle->arena, count, sizeof *bundle->entries);
    if (!bundle->entries) {
        return ilpi_fail_memory(error, count * sizeof *bundle->entries);
    }
    for (; bundle->count < count; bundle->count++) {
        ILPI_TRY(read_entry(bundle, &at, &bundle->entries[bundle->count]));
        ILPI_TRY(index_entry(bundle, error));
    }
    bundle->header_end = ilpi_cursor_offset(&at);
    return ILP_OK;
}

/* The place is found by the signature in the host's executable; 0 there means a host that was not
 * made a bundle. The manifest is after the host, at the end of the file. */
static ilp_status read_bundle(struct ilp_bundle *bundle, struct ilp_error *error)
{
    struct ilp_bytes bytes = bundle->bytes;
    bundle->header_place = ilpi_bundle_header_place(bytes);
    bundle->header = bundle->header_place != 0 ? ilpi_load_u64(bytes.data + bundle->header_place)
                                               : 0;
    if (bundle->header == 0) {
        return ilpi_fail(error, ILP_E_BAD_BUNDLE, ILPI_NO_OFFSET, 0, "not a single-file bundle");
    }
    if (bundle->header <= bundle->header_place || bundle->header >= bytes.size) {
        return ilpi_fail(error, ILP_E_BAD_BUNDLE, bundle->header_place, 0,
                         "bundle: its manifest would be outside of the file");
    }
    return read_manifest(bundle, error);
}

ilp_status ilp_bundle_open(struct ilp_bundle **out, struct ilp_bytes bytes,
                           const struct ilp_allocator *allocator, struct ilp_error *error)
{
    *out = NULL;
    struct ilp_bundle *bundle = ilpi_object_open(sizeof *bundle, allocator, error);
    if (!bundle) {
        return ILP_E_NO_MEMORY;
    }
    bundle->bytes = bytes;
    bundle->arena.alloc = &bundle->alloc;
    ilp_status status = read_bundle(bundle, error);
    if (status != ILP_OK) {
        ilp_bundle_close(bundle);
        return status;
    }
    *out = bundle;
    return ILP_OK;
}

void ilp_bundle_close(struct ilp_bundle *bundle)
{
    if (bundle) {
        ilpi_map_free(&bundle->places, &bundle->alloc);
        ilpi_arena_free(&bundle->arena);
        ilpi_object_close(&bundle->alloc, sizeof *bundle);
    }
}

const struct ilp_bundle_entry *ilp_bundle_entries(const struct ilp_bundle *bundle, size_t *count)
{
    *count = bundle->count;
    return bundle->entries;
}

const struct ilp_bundle_entry *ilp_bundle_find(const struct ilp_bundle *bundle, const char *path)
{
    struct ilpi_map_search search = ilpi_map_find(&bundle->places, XXH3_64bits(path, strlen(path)));
    for (uint32_t place; (place = ilpi_map_next(&search)) != 0;) {
        if (strcmp(bundle->entries[place - 1].path, path) == 0) {
            return &bundle->entries[place - 1];
        }
    }
    return NULL;
}

/* A size that was packed is inflated to exactly what the manifest says; another size is an error
 * (base/inflate.h). */
ilp_status ilp_bundle_read(const struct ilp_bundle *bundle, const struct ilp_bundle_entry *entry,
                           struct ilp_arena *arena, struct ilp_bytes *contents,
                           struct ilp_error *error)
{
    size_t size = entry->size <= SIZE_MAX ? (size_t)entry->size : SIZE_MAX;
    struct ilp_bytes stored = {bundle->bytes.data + (size_t)entry->offset, size};
    if (entry->packed_size == 0) {
        *contents = stored;
        return ILP_OK;
    }
    stored.size = (size_t)entry->packed_size;
    uint8_t *bytes = size == entry->size ? ilpi_arena_room(arena, size) : NULL;
    if (!bytes) {
        return ilpi_fail_memory(error, size);
    }
    *contents = (struct ilp_bytes){bytes, size};
    return ilpi_inflate(stored, bytes, size, entry->offset, entry->path, error);
}
