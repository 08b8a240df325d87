/* Assemblies of several files (II.22.19): the File table of the one with the manifest has a hash of
 * each other one. */
#ifndef MODULE_FILES_H
#define MODULE_FILES_H

#include "host/file_io.h"
#include "tools/patch/patch_request.h"

/* Recomputes the hashes of patched files in `directory`, in the edit of the manifest's image;
 * *count receives their number. */
ilp_status module_files_update(const struct ilp_image *image, struct ilp_edit *edit,
                               const char *directory, uint32_t *count, struct ilp_error *error);

/* For a module without a manifest: reports which assembly in the folder has a hash of it, and is
 * not patched by the same run. */
void module_files_print(const struct ilp_image *image, const char *path,
                        const struct patch_request *request, FILE *out);

#endif
