/* Updates hashes of modules, which .NET Framework checks when it loads them; Mono does not. See
 * module_files.h.
 *
 *   Assembly.HashAlgId     the algorithm (II.23.1.1)
 *   File.Name, HashValue   a module beside the assembly, and the hash of its bytes (II.22.19)
 *
 * Only rows of modules that ilpatch has patched are changed. One run patches modules first
 * (patch_files.c). A module that is patched without its assembly leaves a wrong hash there, which
 * module_files_print() reports: the module cannot change the assembly. */
#include "tools/patch/module_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crypto.h"
#include "host/file_image.h"
#include "host/folder.h"
#include "host/path.h"
#include "host/text_out.h"
#include "host/file_view.h"
#include "tools/patch/named_files.h"

static const char *file_name(const struct ilp_image *image, ilp_rid file)
{
    return ilp_string(image, ilp_cell(image, ILP_File, file, ILP_File_Name));
}

/* A file that was not patched keeps its hash, right or wrong. */
static bool is_patched(struct ilp_bytes bytes)
{
    struct ilp_image *image = file_image_open(bytes, NULL);
    struct ilp_digest origin;
    bool patched = false;
    if (image) {
        patched = ilp_image_origin(image, &origin);
        ilp_image_close(image);
    }
    return patched;
}

struct file_hash {
    uint8_t bytes[ILPI_DIGEST_MAX];
    size_t size; /* 0: keep the existing one */
};

/* A row without a hash gets none; an equal hash is not a change. */
static struct file_hash new_hash(const struct ilp_image *image, ilp_rid file,
                                 struct ilp_bytes bytes)
{
    struct file_hash hash = {.size = 0};
    uint32_t algorithm = ilp_cell(image, ILP_Assembly, 1, ILP_Assembly_HashAlgId);
    struct ilp_bytes known = ilp_blob(image, ilp_cell(image, ILP_File, file, ILP_File_HashValue));
    if (known.size == 0 || !is_patched(bytes)) {
        return hash;
    }
    ilpi_digest(ilpi_hash_by_number(algorithm), bytes, hash.bytes, &hash.size);
    if (hash.size == 0) {
        report_message(
            "the hash of %s stays as it was: its algorithm 0x%X is not known, or libcrypto is not "
            "installed",
            file_name(image, file), algorithm);
    } else if (ilpi_bytes_equal(known, (struct ilp_bytes){hash.bytes, hash.size})) {
        hash.size = 0;
    }
    return hash;
}

/* The old blob stays in the heap, unreferenced: other rows may share it (II.24.2.4). */
static ilp_status set_hash(struct ilp_edit *edit, ilp_rid file, const struct file_hash *hash,
                           struct ilp_error *error)
{
    uint32_t blob;
    struct ilp_bytes bytes = {hash->bytes, hash->size};
    ilp_status status = ilp_edit_add_blob(edit, bytes, &blob, error);
    return status == ILP_OK
               ? ilp_edit_set_cell(edit, ILP_File, file, ILP_File_HashValue, blob, error)
               : status;
}

ilp_status module_files_update(const struct ilp_image *image, struct ilp_edit *edit,
                               const char *directory, uint32_t *count, struct ilp_error *error)
{
    ilp_status status = ILP_OK;
    *count = 0;
    for (ilp_rid file = 1; file <= ilp_row_count(image, ILP_File) && status == ILP_OK; file++) {
        struct file_view view;
        const char *name = file_name(image, file);
        if (strchr(name, '/') || name[0] == '\0') {
            continue; /* it would be outside of the folder */
        }
        char *path = path_join(directory, name);
        if (file_view_open(&view, path)) {
            struct file_hash hash = new_hash(image, file, view.bytes);
            if (hash.size != 0) {
                status = set_hash(edit, file, &hash, error);
                ++*count;
            }
            file_view_close(&view);
        }
        free(path);
    }
    return status;
}

/* Whether the File table of an assembly has this name. It is enough that one row names it with a
 * hash. */
static bool lists(const char *path, const char *module)
{
    struct file_view view;
    bool listed = false;
    if (!file_view_open(&view, path)) {
        return false;
    }
    struct ilp_image *image = file_image_open(view.bytes, NULL);
    if (image) {
        for (ilp_rid file = 1; file <= ilp_row_count(image, ILP_File) && !listed; file++) {
            listed = strcmp(file_name(image, file), module) == 0 &&
                     ilp_cell(image, ILP_File, file, ILP_File_HashValue) != 0;
        }
        ilp_image_close(image);
    }
    file_view_close(&view);
    return listed;
}

/* Whether this run writes the file, after all modules. */
static bool follows(const struct patch_request *request, const char *path)
{
    bool found = false;
    for (size_t i = 0; request->files && i < request->files->count && !found; i++) {
        struct named_file *file = &request->files->items[i];
        char *output = named_file_output(file, request->output);
        found = !file->deselected && file_is_same(output, path);
        free(output);
    }
    return found;
}

/* Only for a module, which has no Assembly row itself (II.22.2). */
void module_files_print(const struct ilp_image *image, const char *path,
                        const struct patch_request *request, FILE *out)
{
    if (ilp_row_count(image, ILP_Assembly) != 0) {
        return;
    }
    char *directory = path_directory(path);
    struct folder *entries = folder_open(directory);
    const char *name;
    while (entries && (name = folder_next(entries)) != NULL) {
        char *other = path_join(directory, name);
        if ((ends_with(name, ".dll") || ends_with(name, ".exe")) && lists(other, path_name(path)) &&
            !follows(request, other)) {
            fputs("  ", out);
            text_out(out, name, false);
            fputs(" keeps a hash of this module, which .NET Framework checks: patch it, too, and "
                  "the hash follows\n",
                  out);
        }
        free(other);
    }
    folder_close(entries);
    free(directory);
}
