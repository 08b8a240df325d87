/* Which assemblies of a self-contained program came with its runtime: they are left alone unless
 * they are requested.
 *
 *   .deps.json lists them     libraries of the type "runtimepack"
 *   it does not, or is gone   System.Private.CoreLib is there, and those are its runtime's that
 *   have its company and version */
#ifndef RUNTIME_FILES_H
#define RUNTIME_FILES_H

#include <stdbool.h>

#include "ilpatch.h"

struct runtime_files;

/* `place` is the program's folder, or a single-file program. NULL: no memory. */
struct runtime_files *runtime_files_open(const char *place);
void runtime_files_close(struct runtime_files *files);

/* `path` is that of a file in the folder, or "PROGRAM/Name.dll" in a single-file program. */
bool runtime_files_include(const struct runtime_files *files, const char *path);

/* Where the shared frameworks of a runtime are, "/usr/share/dotnet/shared/", by the path of its
 * libcoreclr.so: all assemblies below it are of a framework. Owned by the caller; NULL: the runtime
 * is the program's own, or there is no memory. */
char *runtime_shared_folder(const char *library);

/* Whether an assembly is below that folder, by its path or by where links in it lead. */
bool runtime_shared_includes(const char *shared, const char *path);

/* AssemblyInformationalVersion of an assembly, "10.0.12+5bfa3...", which is how the runtime itself
 * knows its version (Environment.Version); empty where it has none. Borrowed. */
struct ilp_bytes informational_version(const struct ilp_image *image);

#endif
