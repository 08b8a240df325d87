/* Where referenced assemblies are found: the library asks for an assembly by name, this opens
 * files.
 *
 *   1. the folder of the assembly that is patched, or the single-file program that it is in
 *   2. --reference-path, in the order given
 *   3. packages that the program's .deps.json names
 *   4. the shared frameworks that its .runtimeconfig.json names, else the newest there are
 *   5. MONO_PATH, Mono's global assembly cache, Mono's folders
 *   6. reference assemblies
 *
 * docs/RESOLVE.md has the details.
 */
#ifndef REFERENCES_H
#define REFERENCES_H

#include "host/resolve/reference.h"

struct references;
struct program;

/* `paths` are the --reference-path options (borrowed). NULL: no memory. */
struct references *references_open(const char *const *paths, size_t path_count);
void references_close(struct references *references); /* NULL is allowed */

/* For another thread (turn.h), with targets of its own: what either opens is open for both, and
 * what a name leads to is found without the turn once it was found. NULL: no memory. It is closed
 * before `references`. */
struct references *references_share(const struct references *references);

/* Says which assembly is patched next. Files that are open stay so, but where a name leads is found
 * again if the program is another. False: no memory, and none may be looked for. */
bool references_set_target(struct references *references, const char *assembly_path);

struct ilp_resolver references_resolver(struct references *references);

/* ---- what became of a reference ---- */

/* Looks for an assembly as the resolver does; borrowed until the next target. NULL: its name is
 * none, or memory ran out (host/memory.h), and the next call looks again. */
const struct reference *references_find(struct references *references,
                                        const struct ilp_assembly_name *name);

/* The image of a reference (NULL is allowed), indexed: many types are looked up there. Without
 * memory for that it is slower, and nothing else. */
struct ilp_image *reference_index(struct ilp_image *image);

/* What the target asked for, found or not, by their names. */
void references_each(const struct references *references,
                     void (*take)(void *user, const struct reference *reference), void *user);

/* Prints what the target asked for and was not found, and what the user can do. */
void references_tell_missing(const struct references *references, const char *file, FILE *out);

/* The program of the target. */
struct program *references_program(struct references *references);

/* Whether the target is built for .NET Framework, and any version will do. */
bool references_for_framework(const struct references *references);

#endif
