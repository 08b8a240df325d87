/* Determines how FILE.orig is related to FILE: every written file contains the digest of the file
 * it was made from, and the record that of what was kept. See originals.h. */
#include "host/originals.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "host/bundle_file.h"
#include "host/digest_text.h"
#include "host/file_image.h"
#include "host/file_io.h"
#include "host/path.h"

/* ---- the record ---- */

/* An MVID is shorter than a digest, and fits. */
#define DIGITS DIGEST_DIGITS

static_assert(DIGITS == 32, "the record has 32 digits of each");

/* In hexadecimal; a missing MVID is empty. */
struct record {
    char original[DIGITS + 1]; /* the digest of FILE.orig */
    char patched[DIGITS + 1];  /* the MVID of the file that replaced FILE */
};

static char *record_text(const struct record *record)
{
    return format_text("ilpatch 1\noriginal %s\npatched %s\n", record->original, record->patched);
}

/* Hidden, and beside the file: it goes where the folder goes. */
static char *record_path(const char *file)
{
    char *directory = path_directory(file);
    char *path = directory ? format_text("%s/.%s.ilpatch", directory, path_name(file)) : NULL;
    free(directory);
    return path;
}

bool is_record_name(const char *name)
{
    return name[0] == '.' && ends_with(name + 1, ".ilpatch");
}

char *recorded_file(const char *directory, const char *name)
{
    int size = (int)(strlen(name) - strlen(".ilpatch")) - 1;
    return format_text("%s/%.*s", directory, size, name + 1);
}

/* The identity of a program's build: common to all builds, and unique. */
struct build {
    /* of the module, or of what a bundle starts; NULL: neither. Owned */
    char *name;
    char mvid[DIGITS + 1]; /* "": none */
};

/* What identifies a build: the module's name and its MVID; of a bundle the assembly that it
 * starts. */
static void build_open(struct build *build, const char *path, struct ilp_bytes bytes)
{
    enum ilp_file_kind kind;
    struct ilp_image *image = file_image_open(bytes, NULL);
    *build = (struct build){.name = NULL};
    if (image) {
        struct ilp_bytes mvid = image_mvid(image);
        build->name = copy_text(ilp_string(image, ilp_cell(image, ILP_Module, 1, ILP_Module_Name)));
        digits_of(mvid, build->mvid);
        ilp_image_close(image);
    } else if (ilp_file_kind_of(bytes) == ILP_FILE_BUNDLE) {
        char *started = started_assembly(path, &kind);
        build->name = started ? copy_text(path_name(started)) : NULL;
        free(started);
    }
}

/* The digest is of the kept original; the MVID of the patched file is empty for an inspector's
 * copy, which is not patched. */
bool original_record(struct transaction *changes, const char *file, struct ilp_bytes kept,
                     const struct ilp_bytes *patched)
{
    struct build build = {.name = NULL};
    struct record record = {.patched = ""};
    digest_text(kept, record.original);
    if (patched) {
        build_open(&build, file, *patched);
        memcpy(record.patched, build.mvid, sizeof record.patched);
    }
    char *path = record_path(file);
    char *text = record_text(&record);
    bool written = path && text &&
                   transaction_write(changes, path,
                                     (struct ilp_bytes){(const uint8_t *)text, strlen(text)}, file);
    free(build.name);
    free(text);
    free(path);
    return written;
}

/* Only what equals, byte for byte, what would be written is a record. */
static bool record_read(struct transaction *changes, const char *file, struct record *record)
{
    struct file_view view;
    char text[128] = "";
    *record = (struct record){.patched = ""};
    char *path = record_path(file);
    if (file_view_open(&view, path)) {
        memcpy(text, view.bytes.data, view.bytes.size < sizeof text ? view.bytes.size : 0);
        file_view_close(&view);
    } else if (errno != ENOENT) {
        transaction_fail_reading(changes, path ? path : file, errno);
    }
    free(path);
    sscanf(text, "ilpatch 1 original %32[0-9a-f] patched %32[0-9a-f]", record->original,
           record->patched);
    char *again = record_text(record);
    size_t patched = strlen(record->patched);
    bool good = again && strcmp(text, again) == 0 && strlen(record->original) == DIGITS &&
                (patched == 0 || patched == DIGITS);
    free(again);
    return good;
}

/* The digest of the bytes is in the record: FILE.orig is what we kept, and not another file of that
 * name. */
bool original_is_recorded(struct transaction *changes, const char *file, struct ilp_bytes kept)
{
    struct record record;
    char digest[DIGITS + 1];
    digest_text(kept, digest);
    return record_read(changes, file, &record) && strcmp(record.original, digest) == 0;
}

/* A record without the MVID of a patched file. */
bool original_is_of_inspector(struct transaction *changes, const char *file, const char *kept)
{
    struct file_view view;
    struct record record;
    if (!file_view_open(&view, kept)) {
        transaction_fail_reading(changes, kept, errno);
        return false;
    }
    bool found = ilp_file_kind_of(view.bytes) == ILP_FILE_PE &&
                 original_is_recorded(changes, file, view.bytes) &&
                 record_read(changes, file, &record) && record.patched[0] == '\0';
    file_view_close(&view);
    return found;
}

void original_forget(struct transaction *changes, const char *file)
{
    char *path = record_path(file);
    if (path && !file_is_absent(path)) {
        transaction_remove(changes, path);
    }
    free(path);
}

/* ---- comparing two files ---- */

/* The digest of the file that a file was made from. */
static bool origin_of(struct ilp_bytes file, struct ilp_digest *origin)
{
    struct ilp_image *image = file_image_open(file, NULL);
    struct ilp_bundle *bundle;
    bool made = false;
    if (image) {
        made = ilp_image_origin(image, origin);
        ilp_image_close(image);
    } else if (ilp_bundle_open(&bundle, file, NULL, NULL) == ILP_OK) {
        made = ilp_bundle_origin(bundle, origin);
        ilp_bundle_close(bundle);
    }
    return made;
}

/* The file names its origin by a digest, so equal originals of two files are equally good. */
static bool is_made_from(struct ilp_bytes file, struct ilp_bytes kept)
{
    struct ilp_digest origin;
    struct ilp_digest digest;
    if (!origin_of(file, &origin)) {
        return false;
    }
    ilp_digest_of(kept, &digest);
    return memcmp(&origin, &digest, sizeof origin) == 0;
}

/* Whether FILE was built since FILE.orig was kept: it has the same name, it is not patched, and no
 * other tool made it from the patched file, whose MVID it would have. */
static bool is_new_build(struct transaction *changes, const char *file, struct ilp_bytes file_bytes,
                         const char *kept, struct ilp_bytes kept_bytes)
{
    struct ilp_digest origin;
    struct record record;
    struct build build;
    struct build kept_build;
    if (!original_is_recorded(changes, file, kept_bytes) || !record_read(changes, file, &record) ||
        origin_of(file_bytes, &origin)) {
        return false;
    }
    build_open(&build, file, file_bytes);
    build_open(&kept_build, kept, kept_bytes);
    bool has_mvid = kept_build.mvid[0] != '\0' && record.patched[0] != '\0';
    bool same_name = build.name && kept_build.name && strcmp(build.name, kept_build.name) == 0;
    bool is_new = same_name && (has_mvid ? strcmp(build.mvid, record.patched) != 0
                                         : ilp_file_kind_of(file_bytes) == ILP_FILE_BUNDLE);
    free(build.name);
    free(kept_build.name);
    return is_new;
}

static enum original unreadable(struct transaction *changes, const char *path)
{
    transaction_fail_reading(changes, path, errno);
    return ORIGINAL_UNREADABLE;
}

char *original_place(const char *path)
{
    static const char kept[] = ".orig";
    size_t ending = ends_with(path, kept) ? strlen(kept) : 0;
    return copy_part(path, strlen(path) - ending);
}

/* The table in originals.h, in its order. What cannot be read is an outcome of its own, and never
 * taken for another. */
enum original original_of(struct transaction *changes, const char *file, const char *kept)
{
    struct file_view file_bytes;
    struct file_view kept_bytes;
    if (!file_view_open(&kept_bytes, kept)) {
        return errno == ENOENT ? ORIGINAL_NONE : unreadable(changes, kept);
    }
    enum original original = ORIGINAL_OTHER;
    if (file_view_open(&file_bytes, file)) {
        if (ilpi_bytes_equal(file_bytes.bytes, kept_bytes.bytes) ||
            is_made_from(file_bytes.bytes, kept_bytes.bytes)) {
            original = ORIGINAL_INPUT;
        } else if (is_new_build(changes, file, file_bytes.bytes, kept, kept_bytes.bytes)) {
            original = ORIGINAL_STALE;
        } else if (changes->error != 0) {
            original = ORIGINAL_UNREADABLE;
        }
    } else if (errno != ENOENT) {
        original = unreadable(changes, file);
    }
    file_view_close(&file_bytes);
    file_view_close(&kept_bytes);
    return original;
}

/* Unknown kinds of files are not "unpatched": nothing is known of them. */
bool original_is_unpatched(const char *file)
{
    struct file_view view;
    struct ilp_digest origin;
    struct build build = {.name = NULL};
    bool patched = false;
    if (file_view_open(&view, file)) {
        build_open(&build, file, view.bytes);
        patched = origin_of(view.bytes, &origin);
        file_view_close(&view);
    }
    bool known = build.name != NULL;
    free(build.name);
    return known && !patched;
}

/* By name alone: which version is loaded is the host's decision. */
bool image_refers_to(const struct ilp_image *image, const char *assembly)
{
    bool found = false;
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_AssemblyRef) && !found; rid++) {
        uint32_t name = ilp_cell(image, ILP_AssemblyRef, rid, ILP_AssemblyRef_Name);
        found = strcmp(ilp_string(image, name), assembly) == 0;
    }
    return found;
}

/* Opens the image at `path`, whose bytes are in `view`; NULL: it is not an image. */
static struct ilp_image *open_image(struct file_view *view, const char *path)
{
    bool opened = file_view_open(view, path);
    struct ilp_image *image = opened ? file_image_open(view->bytes, NULL) : NULL;
    if (opened && !image) {
        file_view_close(view);
    }
    return image;
}

bool original_is_used(const char *file, const char *user)
{
    struct file_view views[2];
    struct ilp_assembly_name name;
    if (!original_is_unpatched(file)) {
        return false;
    }
    struct ilp_image *images[2] = {open_image(&views[0], file), open_image(&views[1], user)};
    bool used = images[0] && images[1] && ilp_image_assembly_name(images[0], &name) &&
                image_refers_to(images[1], name.name);
    for (size_t i = 0; i < 2; i++) {
        if (images[i]) {
            ilp_image_close(images[i]);
            file_view_close(&views[i]);
        }
    }
    return used;
}

bool is_assembly_name(const char *path)
{
    return ends_with(path, ".dll") || ends_with(path, ".exe") || ends_with(path, ".netmodule");
}
