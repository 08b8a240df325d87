/* Which assemblies of a self-contained program belong to its runtime: they are not patched unless
 * requested.
 *
 *   .deps.json lists them     libraries of the type "runtimepack"
 *   it does not, or is gone   System.Private.CoreLib is there; assemblies with its company
 *                             and version belong to the runtime */
#ifndef RUNTIME_FILES_H
#define RUNTIME_FILES_H

#include <stdbool.h>

#include "ilpatch.h"

struct runtime_files;

/* `place` is the program's folder, or a single-file program. NULL: no memory. */
struct runtime_files *runtime_files_open(const char *place);
void runtime_files_close(struct runtime_files *files);

/* `path` is a file in the folder, or "PROGRAM/Name.dll" in a single-file program. */
bool runtime_files_include(const struct runtime_files *files, const char *path);

/* The folder of a runtime's shared frameworks, "/usr/share/dotnet/shared/", by the path of its
 * libcoreclr.so: all assemblies below it belong to a framework. Owned by the caller; NULL: the
 * runtime is the program's own, or there is no memory. */
char *runtime_shared_folder(const char *library);

/* Whether an assembly is below that folder, by its path or after resolving links in it. */
bool runtime_shared_includes(const char *shared, const char *path);

/* AssemblyInformationalVersion of an assembly, "10.0.12+5bfa3...", from which the runtime itself
 * derives its version (Environment.Version); empty if there is none. Borrowed. */
struct ilp_bytes informational_version(const struct ilp_image *image);

#endif
