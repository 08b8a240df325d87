/* The assemblies that the process has loaded, by name. What a value of another assembly's type
 * looks like is read from these and never from a file: the program may have loaded another one than
 * the file that a reference leads to (roll-forward, a resolver of its own, a file replaced since).
 *
 * The runtime does not tell which of two assemblies of one name a reference means, if two contexts
 * have loaded one each. Where these differ, neither is taken.
 *
 * Modules come and go under the profiler's lock, and under one of its own, which is
 * enough to read: compiled code takes it that shows an object (objects.h), while every garbage
 * collection waits for it. So whoever holds it neither waits nor calls the runtime but for what
 * never waits. */
#ifndef ILPI_LOADED_H
#define ILPI_LOADED_H

#include "profiler/clr/corprof.h"

struct loaded;

/* NULL: no memory. */
struct loaded *loaded_open(void);
void loaded_close(struct loaded *loaded);

/* Around all below. What was found out and has to be reported is written after unlocking, by those
 * that may wait. */
void loaded_lock(struct loaded *loaded);
void loaded_unlock(struct loaded *loaded, bool tells);

/* Of a module; NULL: it is not known, or cannot be read. */
struct ilp_image *loaded_image(const struct loaded *loaded, ModuleID id);

/* The module of an image, which may be opened apart from the one that is here; 0: none. */
ModuleID loaded_module(const struct loaded *loaded, const struct ilp_image *image);

/* For what is known of types that are made of types of these modules: it stays as long as the one
 * that was loaded last; of no module, as long as the core library. NULL: no memory. */
struct ilp_arena *loaded_arena(const struct loaded *loaded, const ModuleID *ids, uint32_t count);

/* What is known of a module. Takes `image` over; NULL: it has none that can be read
 * (Reflection.Emit), and `name` is the assembly's. True if references to this name lead elsewhere
 * now; *key is then its own: a hash of it. */
bool loaded_add(struct loaded *loaded, ModuleID id, struct ilp_image *image, const char *name,
                uint64_t *key);

/* The same for one that goes. */
bool loaded_remove(struct loaded *loaded, ModuleID id, uint64_t *key);

/* A resolver, which notes the keys of the names it was asked for, each of them once. */
enum { LOADED_KEYS = 32 };
struct loaded_question {
    struct loaded *loaded;
    uint64_t keys[LOADED_KEYS];
    uint32_t count; /* of all; more than LOADED_KEYS: the others are not in it */
};
struct ilp_resolver loaded_resolver(struct loaded_question *question);

/* Notes another key: of what is not an assembly, and not known yet. */
void loaded_note_key(struct loaded_question *question, uint64_t key);

#endif
