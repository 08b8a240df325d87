/* Finds referenced assemblies: the library requests an assembly by name, this opens files.
 *
 *   1. the folder of the patched assembly, or the single-file program around it
 *   2. --reference-path, in the order given
 *   3. packages in the program's .deps.json
 *   4. the shared frameworks in its .runtimeconfig.json, else the newest installed ones
 *   5. MONO_PATH, Mono's global assembly cache, Mono's folders
 *   6. reference assemblies
 *
 * docs/RESOLVE.md has the details. */
#ifndef REFERENCES_H
#define REFERENCES_H

#include "host/resolve/reference.h"

struct references;
struct program;

/* `paths` are the --reference-path options (borrowed). NULL: no memory. */
struct references *references_open(const char *const *paths, size_t path_count);
void references_close(struct references *references); /* NULL is allowed */

/* For another thread (turn.h), with its own targets: images opened by either are shared, and
 * repeated look-ups need no turn. NULL: no memory. Close it before `references`. */
struct references *references_share(const struct references *references);

/* Sets the assembly that is patched next. Open files stay open, but look-ups are repeated if the
 * program is another one. False: no memory, and no look-up is allowed. */
bool references_set_target(struct references *references, const char *assembly_path);

struct ilp_resolver references_resolver(struct references *references);

/* ---- results ---- */

/* Searches for an assembly as the resolver does; borrowed until the next target. NULL: an invalid
 * name, or memory ran out (host/memory.h), and the next call searches again. */
const struct reference *references_find(struct references *references,
                                        const struct ilp_assembly_name *name);

/* The indexed image of a reference (NULL is allowed), for many look-ups of types. Without memory it
 * is only slower. */
struct ilp_image *reference_index(struct ilp_image *image);

/* What the target requested, found or not, sorted by name. */
void references_each(const struct references *references,
                     void (*take)(void *user, const struct reference *reference), void *user);

/* Prints what was not found for the target, and advice for the user. */
void references_print_missing(const struct references *references, const char *file, FILE *out);

/* The program of the target. */
struct program *references_program(struct references *references);

/* Whether the target is built for .NET Framework, where any version will do. */
bool references_for_framework(const struct references *references);

#endif
