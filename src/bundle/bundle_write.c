/* Writes a bundle with some files replaced or added. Everything else stays at its offset: the host,
 * its files, and, as dead bytes, the replaced files and the old manifest. New files and the new
 * manifest are appended:
 *
 *   original, except for the header's offset | new files, aligned ... | origin | manifest
 *
 * Offsets of the host are not known here (an ELF or PE program of its own), so nothing in it can
 * move; only the eight bytes that name the manifest change. */
#include "bundle/bundle.h"

#include <string.h>

#include "base/hash.h"
#include "pe/file_kind.h"
#include "base/out.h"
#include "pe/origin.h"

/* Hosts map files that hold precompiled code. Page alignment works for all of them except those of
 * macOS. */
#define FILE_ALIGNMENT 4096u

/* One call of ilp_bundle_write(): plan() fills what emit() checks. */
struct bundle_writing {
    struct ilp_bundle *bundle; /* borrowed, as are the changes */
    const struct ilp_bundle_change *changes;
    size_t count;
    struct ilpi_map places;   /* 1 + index of `changes`, by path */
    uint64_t *offsets;        /* of the changes' contents, in the new file */
    uint64_t header;          /* where the new manifest begins */
    struct ilp_digest origin; /* of the bundle before the change (pe/origin.h) */
    struct ilpi_out out;
};

/* ---- hosts that cannot be rewritten ---- */

static ilp_status fail_host(struct ilp_error *error, const char *why)
{
    return ilpi_fail(error, ILP_E_SIGNED_HOST, 0, 0,
                     "bundle: %s; extract the files, patch those, and run them with 'dotnet'", why);
}

static bool is_mach_o(struct ilp_bytes bytes)
{
    uint32_t magic = bytes.size >= 4 ? ilpi_load_u32(bytes.data) : 0;
    return magic == 0xFEEDFACFu || magic == 0xBEBAFECAu; /* 64 bits; several machines in one file */
}

/* ---- the plan ---- */

/* A reader refuses a manifest with another type or path. */
static ilp_status check_change(const struct ilp_bundle_change *change, struct ilp_error *error)
{
    ILPI_TRY(ILPI_CHECK_RESERVED(change, error));
    if ((unsigned)change->type >= ILP_BUNDLE_TYPES || change->path[0] == '\0' ||
        !ilpi_bundle_path_is_inside(change->path)) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                         "bundle: a changed file has an unknown type, no path, or one that leads "
                         "elsewhere");
    }
    return ILP_OK;
}

/* The change of a file, with its number; NULL: the file stays as it is. */
static const struct ilp_bundle_change *change_of(const struct bundle_writing *writing,
                                                 const char *path, size_t *number)
{
    struct ilpi_map_search search = ilpi_map_find(&writing->places,
                                                  XXH3_64bits(path, strlen(path)));
    for (uint32_t place; (place = ilpi_map_next(&search)) != 0;) {
        *number = place - 1;
        if (strcmp(writing->changes[*number].path, path) == 0) {
            return &writing->changes[*number];
        }
    }
    return NULL;
}

/* Of several changes of one path the first counts. Duplicates are not indexed: equal hashes would
 * be searched linearly. */
static ilp_status index_changes(struct bundle_writing *writing, struct ilp_error *error)
{
    struct ilpi_alloc *alloc = &writing->bundle->alloc;
    if (writing->count >= UINT32_MAX) {
        return ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                         "the bundle would be too large");
    }
    ILPI_TRY(ilpi_map_reserve(&writing->places, alloc, writing->count, error));
    for (size_t i = 0; i < writing->count; i++) {
        const char *path = writing->changes[i].path;
        size_t first;
        if (!change_of(writing, path, &first)) {
            ILPI_TRY(ilpi_map_add(&writing->places, alloc, XXH3_64bits(path, strlen(path)),
                                  (uint32_t)i + 1, error));
        }
    }
    return ILP_OK;
}

/* A change whose path the bundle does not have is a new file. */
static uint32_t added_count(const struct bundle_writing *writing)
{
    uint32_t added = 0;
    for (size_t i = 0; i < writing->count; i++) {
        added += ilp_bundle_find(writing->bundle, writing->changes[i].path) == NULL;
    }
    return added;
}

/* INT64_MAX / 2 keeps the sums of alignments and headers within 64 bits; offsets are signed in the
 * format. */
static ilp_status plan(struct bundle_writing *writing, struct ilp_arena *arena,
                       struct ilp_error *error)
{
    uint64_t at = writing->bundle->bytes.size;
    writing->offsets = ilpi_arena_array(arena, writing->count, sizeof *writing->offsets);
    if (!writing->offsets) {
        return ilpi_fail_memory(error, writing->count * sizeof *writing->offsets);
    }
    for (size_t i = 0; i < writing->count; i++) {
        at = (at + FILE_ALIGNMENT - 1) & ~(uint64_t)(FILE_ALIGNMENT - 1);
        writing->offsets[i] = at;
        at += writing->changes[i].bytes.size;
        if (at > INT64_MAX / 2 || strlen(writing->changes[i].path) > ILPI_BUNDLE_MAX_PATH) {
            return ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                             "the bundle would be too large");
        }
    }
    /* the origin directly precedes the manifest, where ilp_bundle_origin() looks for it */
    writing->header = ((at + 7) & ~(uint64_t)7) + ILPI_ORIGIN_BYTES;
    ilp_digest_of(writing->bundle->bytes, &writing->origin);
    return ILP_OK;
}

/* ---- the manifest ---- */

/* A length in groups of 7 bits, the lowest first (BinaryWriter's). Paths have less than 2^14
 * bytes. */
static void put_text(struct ilpi_out *out, const char *text)
{
    size_t length = strlen(text);
    if (length >= 0x80) {
        *ilpi_out_piece(out, 1) = (uint8_t)(length | 0x80);
        length >>= 7;
    }
    *ilpi_out_piece(out, 1) = (uint8_t)length;
    ilpi_out_bytes(out, text, strlen(text));
}

/* The id names the folder that hosts extract files to. They do not check files that exist there, so
 * other files need another id. It is derived from the old one and the changes: equal inputs give
 * equal bytes. */
static void put_id(struct bundle_writing *writing)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    XXH3_state_t hash;
    XXH128_canonical_t digest;
    char id[sizeof digest.digest + 1] = {0};
    XXH3_128bits_reset(&hash);
    XXH3_128bits_update(&hash, writing->bundle->id, strlen(writing->bundle->id));
    for (size_t i = 0; i < writing->count; i++) {
        const struct ilp_bundle_change *change = &writing->changes[i];
        /* with its NUL, so that path and contents cannot be shifted against each other */
        XXH3_128bits_update(&hash, change->path, strlen(change->path) + 1);
        XXH3_128bits_update(&hash, change->bytes.data, change->bytes.size);
    }
    XXH128_canonicalFromHash(&digest, XXH3_128bits_digest(&hash));
    for (size_t i = 0; i < sizeof digest.digest; i++) {
        id[i] = digits[digest.digest[i] & 0x3F]; /* all of them are safe in a file name */
    }
    put_text(&writing->out, id);
}

/* As bundle_read.c reads it: PackedSize since version 6 only. */
static void put_entry(struct bundle_writing *writing, uint64_t offset, uint64_t size,
                      uint64_t packed_size, enum ilp_bundle_type type, const char *path)
{
    ilpi_out_u64(&writing->out, offset);
    ilpi_out_u64(&writing->out, size);
    if (writing->bundle->major >= 6) {
        ilpi_out_u64(&writing->out, packed_size);
    }
    *ilpi_out_piece(&writing->out, 1) = (uint8_t)type;
    put_text(&writing->out, path);
}

/* Where one of the two files that hosts need early is now; zeros when it is absent. */
static void put_place(struct bundle_writing *writing, enum ilp_bundle_type type)
{
    uint64_t place[2] = {0, 0};
    for (size_t i = 0; i < writing->bundle->count; i++) {
        const struct ilp_bundle_entry *entry = &writing->bundle->entries[i];
        size_t number;
        if (entry->type == type) {
            const struct ilp_bundle_change *change = change_of(writing, entry->path, &number);
            place[0] = change ? writing->offsets[number] : entry->offset;
            place[1] = change ? change->bytes.size : entry->size;
        }
    }
    ilpi_out_u64(&writing->out, place[0]);
    ilpi_out_u64(&writing->out, place[1]);
}

/* The manifest:
 *
 *   major minor count | id | [deps.json, runtimeconfig.json: offset, size] flags | entries
 *   entry: offset, size, [packed size] u64 | type u8 | path with its length
 *
 * The fields in brackets exist since version 2, and 6 for the packed size. */
static void put_manifest(struct bundle_writing *writing)
{
    const struct ilp_bundle *bundle = writing->bundle;
    size_t number;
    ilpi_out_u32(&writing->out, bundle->major);
    ilpi_out_u32(&writing->out, bundle->minor);
    ilpi_out_u32(&writing->out, (uint32_t)bundle->count + added_count(writing));
    put_id(writing);
    if (bundle->major >= 2) {
        put_place(writing, ILP_BUNDLE_DEPS_JSON);
        put_place(writing, ILP_BUNDLE_RUNTIME_CONFIG_JSON);
        ilpi_out_u64(&writing->out, bundle->flags);
    }
    for (size_t i = 0; i < bundle->count; i++) {
        const struct ilp_bundle_entry *entry = &bundle->entries[i];
        const struct ilp_bundle_change *change = change_of(writing, entry->path, &number);
        put_entry(writing, change ? writing->offsets[number] : entry->offset,
                  change ? change->bytes.size : entry->size, change ? 0 : entry->packed_size,
                  entry->type, entry->path);
    }
    for (size_t i = 0; i < writing->count; i++) {
        const struct ilp_bundle_change *change = &writing->changes[i];
        if (!ilp_bundle_find(bundle, change->path)) {
            put_entry(writing, writing->offsets[i], change->bytes.size, 0, change->type,
                      change->path);
        }
    }
}

/* The order is that of plan(); each ilpi_out_to() checks it. */
static ilp_status emit(struct bundle_writing *writing)
{
    const struct ilp_bundle *bundle = writing->bundle;
    struct ilpi_out *out = &writing->out;
    size_t place = (size_t)bundle->header_place; /* which is inside the file */
    ilpi_out_bytes(out, bundle->bytes.data, place);
    ilpi_out_u64(out, writing->header);
    ilpi_out_bytes(out, bundle->bytes.data + place + 8, bundle->bytes.size - place - 8);
    for (size_t i = 0; i < writing->count; i++) {
        ilpi_out_to(out, writing->offsets[i]);
        ilpi_out_bytes(out, writing->changes[i].bytes.data, writing->changes[i].bytes.size);
    }
    ilpi_out_to(out, writing->header - ILPI_ORIGIN_BYTES);
    ilpi_origin_store(ilpi_out_piece(out, ILPI_ORIGIN_BYTES), &writing->origin);
    put_manifest(writing);
    ilpi_out_flush(out);
    return out->status;
}

/* A signed host would be refused by the system, or by its own check, once a byte has changed; the
 * certificate of a PE file is named by directory 4. */
ilp_status ilp_bundle_can_be_written(const struct ilp_bundle *bundle, struct ilp_error *error)
{
    if (is_mach_o(bundle->bytes)) {
        return fail_host(error,
                         "its host is a program of macOS, which runs only with its signature");
    }
    bool is_pe = bundle->bytes.data[0] == 'M';
    return is_pe && ilpi_pe_directory(bundle->bytes, ILPI_DIR_SECURITY).size != 0
               ? fail_host(error, "its host carries an Authenticode signature")
               : ILP_OK;
}

/* The old file stays as it is, except for the place of the manifest: new contents and a new
 * manifest are appended. */
ilp_status ilp_bundle_write(struct ilp_bundle *bundle, const struct ilp_bundle_change *changes,
                            size_t count, const struct ilp_sink *sink, struct ilp_error *error)
{
    struct bundle_writing writing = {.bundle = bundle, .changes = changes, .count = count};
    struct ilp_arena arena = {.alloc = &bundle->alloc};
    for (size_t i = 0; i < count; i++) {
        ILPI_TRY(check_change(&changes[i], error));
    }
    ILPI_TRY(ilp_bundle_can_be_written(bundle, error));
    ilpi_out_init(&writing.out, sink, error);
    if (count == 0) {
        ilpi_out_bytes(&writing.out, bundle->bytes.data, bundle->bytes.size);
        ilpi_out_flush(&writing.out);
        return writing.out.status;
    }
    ilp_status status = index_changes(&writing, error);
    status = status == ILP_OK ? plan(&writing, &arena, error) : status;
    status = status == ILP_OK ? emit(&writing) : status;
    ilpi_map_free(&writing.places, &bundle->alloc);
    ilpi_arena_free(&arena);
    return status;
}

bool ilp_bundle_origin(const struct ilp_bundle *bundle, struct ilp_digest *digest)
{
    return ilpi_origin_read(bundle->bytes, bundle->header, digest);
}
