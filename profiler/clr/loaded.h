/* The loaded assemblies of the process, by name. Layouts of types from other assemblies are read
 * from these and never from files: the program may have loaded another file than a reference
 * resolves to here (roll-forward, its own resolver, a replaced file).
 *
 * If two contexts have loaded assemblies of one name, the runtime does not report which one a
 * reference means. If they differ, neither is used.
 *
 * Modules are added and removed under the profiler's lock and under a lock of its own; the latter
 * is enough for reading. Compiled code takes it to show an object (objects.h), while every garbage
 * collection waits. So its holder must not wait, and calls only runtime functions that never
 * wait. */
#ifndef ILPI_LOADED_H
#define ILPI_LOADED_H

#include "profiler/clr/corprof.h"

struct loaded;

/* NULL: no memory. */
struct loaded *loaded_open(void);
void loaded_close(struct loaded *loaded);

/* Around all functions below. Results to report are written after unlocking, by threads that may
 * wait. */
void loaded_lock(struct loaded *loaded);
void loaded_unlock(struct loaded *loaded, bool reports);

/* The image of a module; NULL: unknown, or not readable. */
struct ilp_image *loaded_image(const struct loaded *loaded, ModuleID id);

/* The module of an image, which may be another image of the same file; 0: none. */
ModuleID loaded_module(const struct loaded *loaded, const struct ilp_image *image);

/* The arena for types made of types of these modules: it lives as long as the last loaded one;
 * without modules, as long as the core library. NULL: no memory. */
struct ilp_arena *loaded_arena(const struct loaded *loaded, const ModuleID *ids, uint32_t count);

/* Adds a module. Takes over `image`; NULL: none that can be read (Reflection.Emit), and `name` is
 * the assembly's. True if references to this name resolve differently now; *key is then a hash of
 * the name. */
bool loaded_add(struct loaded *loaded, ModuleID id, struct ilp_image *image, const char *name,
                uint64_t *key);

/* Removes it, with the same result. */
bool loaded_remove(struct loaded *loaded, ModuleID id, uint64_t *key);

/* A resolver that records the keys of the requested names, each once. */
enum { LOADED_KEYS = 32 };
struct loaded_question {
    struct loaded *loaded;
    uint64_t keys[LOADED_KEYS];
    uint32_t count; /* total; above LOADED_KEYS, further ones are not recorded */
};
struct ilp_resolver loaded_resolver(struct loaded_question *question);

/* Records another key: of something that is not an assembly, and not known yet. */
void loaded_note_key(struct loaded_question *question, uint64_t key);

#endif
