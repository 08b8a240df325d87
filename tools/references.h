/* Where referenced assemblies are found: the library asks for an assembly by name, this opens files.
 *
 *   1. the folder of the assembly that is patched
 *   2. --reference-path, in the order given
 *   3. packages that the folder's .deps.json names, in the NuGet cache
 *   4. the shared frameworks that a .runtimeconfig.json names, else the newest there are
 *   5. Mono's folders
 */
#ifndef REFERENCES_H
#define REFERENCES_H

#include "file_io.h"

struct references;

/* `paths` are the --reference-path options (borrowed). */
struct references *references_open(const char *const *paths, size_t path_count);
void references_close(struct references *references);

/* Says which assembly is patched next; references that were found in another one's folder are forgotten. */
void references_set_target(struct references *references, const char *assembly_path);

struct ilp_resolver references_resolver(struct references *references);

#endif
