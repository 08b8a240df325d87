/* The assemblies that the process has loaded, by name. What a value of another assembly's type
 * looks like is read from these and never from a file: the program may have loaded another one than
 * the file that a reference leads to (roll-forward, a resolver of its own, a file replaced since).
 *
 * The runtime does not tell which of two assemblies of one name a reference means, if two contexts
 * have loaded one each. Where these differ, neither is taken.
 *
 * Everything here is under the profiler's lock. */
#ifndef ILPI_LOADED_H
#define ILPI_LOADED_H

#include "profiler/clr/corprof.h"

struct loaded;

/* NULL: no memory. */
struct loaded *loaded_open(void);
void loaded_close(struct loaded *loaded);

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

#endif
