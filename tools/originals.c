/* Tells what a FILE.orig is to a FILE: every written file carries the digest of the file it was made from. */
#include "originals.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* What a file says about the one it was made from. */
static bool origin_of(struct ilp_bytes file, struct ilp_digest *origin)
{
    struct ilp_image *image;
    struct ilp_bundle *bundle;
    bool made = false;
    if (ilp_image_open(&image, file, ILP_LAYOUT_FILE, NULL, NULL, NULL) == ILP_OK) {
        made = ilp_image_origin(image, origin);
        ilp_image_close(image);
    } else if (ilp_bundle_open(&bundle, file, NULL, NULL) == ILP_OK) {
        made = ilp_bundle_origin(bundle, origin);
        ilp_bundle_close(bundle);
    }
    return made;
}

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

enum original original_of(const char *file, const char *kept)
{
    struct file_view file_bytes;
    struct file_view kept_bytes;
    if (!file_view_open(&kept_bytes, kept)) {
        return ORIGINAL_NONE;
    }
    enum original original = ORIGINAL_OTHER;
    if (file_view_open(&file_bytes, file)) {
        bool same = bytes_equal(file_bytes.bytes, kept_bytes.bytes);
        original = same || is_made_from(file_bytes.bytes, kept_bytes.bytes) ? ORIGINAL_INPUT
                                                                           : ORIGINAL_OTHER;
        file_view_close(&file_bytes);
    }
    file_view_close(&kept_bytes);
    return original;
}

bool image_refers_to(const struct ilp_image *image, const char *assembly)
{
    bool found = false;
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_AssemblyRef) && !found; rid++) {
        uint32_t name = ilp_cell(image, ILP_AssemblyRef, rid, ILP_AssemblyRef_Name);
        found = strcmp(ilp_string(image, name), assembly) == 0;
    }
    return found;
}

static bool is_user(const char *directory, const char *name, const char *assembly)
{
    struct file_view view;
    struct ilp_image *image;
    struct ilp_digest origin;
    bool patched = false;
    char *path = path_join(directory, name);
    if (file_view_open(&view, path)) {
        if (ilp_image_open(&image, view.bytes, ILP_LAYOUT_FILE, NULL, NULL, NULL) == ILP_OK) {
            patched = ilp_image_origin(image, &origin) && image_refers_to(image, assembly);
            ilp_image_close(image);
        }
        file_view_close(&view);
    }
    free(path);
    return patched;
}

bool patched_use(const char *directory, const char *assembly)
{
    bool found = false;
    DIR *entries = opendir(directory);
    struct dirent *entry;
    while (entries && !found && (entry = readdir(entries)) != NULL) {
        const char *name = entry->d_name;
        bool is_assembly =
            ends_with(name, ".dll") || ends_with(name, ".exe") || ends_with(name, ".netmodule");
        found = is_assembly && is_user(directory, name, assembly);
    }
    if (entries) {
        closedir(entries);
    }
    return found;
}
