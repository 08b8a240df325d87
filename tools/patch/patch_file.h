/* Patches one file of a command line: an assembly (patch_assembly.h), or a single-file program
 * (patch_bundle.h). */
#ifndef PATCH_FILE_H
#define PATCH_FILE_H

#include "tools/patch/patch_request.h"

/* Patches one file and reports it, including errors. Nothing is replaced before everything that can
 * fail is done. Of a single-file bundle the assemblies inside are patched, or the one with the
 * given path in the bundle. */
enum exit_code patch_file(const struct patch_request *request, const char *file);

/* For a file that is patched already, according to the cache (patch_cache.h); `beside`: for each
 * inspector an enum inspector_beside. */
enum exit_code patch_file_again(const struct patch_request *request, const char *file,
                                const char *beside);

#endif
