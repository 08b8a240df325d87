/* What is known of the methods that are shown: between the two halves of the unmanaged inspector.
 * One notes methods when they are rewritten (unmanaged_methods.c), the other is called by their
 * code (unmanaged.c). */
#ifndef ILPI_UNMANAGED_METHODS_H
#define ILPI_UNMANAGED_METHODS_H

#include <stdatomic.h>

#include "host/value_options.h"
#include "profiler/entry.h"
#include "profiler/shapes.h"
#include "profiler/choice_method.h"
#include "profiler/shown_line.h"

/* How values are written. Borrowed. To be called before any value comes. */
void unmanaged_set_values(const struct value_settings *chosen);

/* Whose conditions values have to meet; NULL: none. Borrowed, and to be called before any method is
 * noted. */
void unmanaged_set_rules(const struct ilp_rules *rules);

/* ---- modules and methods, noted under the profiler's lock ---- */

/* The methods of one module that are shown; it owns their shapes (shapes.h). */
struct unmanaged;

/* A number for a module, which it keeps as long as it is loaded: code of it may still run that was
 * made for an earlier watch, and must not be taken for another module's. Numbers are given out in
 * turn, and come again when modules have gone, so that a program that loads plug-ins for weeks has
 * enough of them. MAX_MODULES: there is none. */
uint32_t unmanaged_number(ModuleID module);

/* The same for one that comes from a file of ids; false: another module has it. */
bool unmanaged_take_number(ModuleID module, uint32_t number);

/* The module is unloaded; or all are looked at that were there before: those that are not among
 * these have been. */
void unmanaged_leave_number(ModuleID module);
void unmanaged_keep_numbers(const ModuleID *modules, ULONG count);

/* For the module of the file at `path`, borrowed, with so many methods; `number` is what struct
 * ilp_request has as module_number: one of the module's own, below MAX_MODULES, and above it what
 * all ids of a watch have. */
ilp_status unmanaged_begin(struct unmanaged **out, const char *path, uint32_t method_count,
                           uint32_t number, struct ilp_error *error);

/* None of its methods is found any more; but whoever has found one may go on with it. NULL is
 * allowed. */
void unmanaged_leave(const struct unmanaged *module);

/* When none of its methods runs any more; NULL is allowed. */
void unmanaged_end(struct unmanaged *module);

/* `method` has been rewritten: what its value looks like, which is shown under the name of the
 * method that result->id says. To be called before the runtime has the new body. */
ilp_status unmanaged_note(struct unmanaged *module, struct shapes *shapes, struct ilp_image *image,
                          ilp_token method, const struct ilp_method_result *result,
                          struct ilp_error *error);

/* ---- what is known of them ---- */

/* Set before any value comes, or any method is noted. */
struct unmanaged_chosen {
    const struct value_settings *settings; /* borrowed, */
    const struct ilp_rules *rules;         /* too; NULL: none */
    bool has_context;                      /* lines have the ids of activities, and wait for them */
};
extern struct unmanaged_chosen unmanaged_chosen;

/* A method. */
struct shown {
    const struct kept_shape *kept;      /* NULL: no value is shown */
    const struct kept_shape *exception; /* NULL: exceptions are not shown */
    struct choice_method choice;
    struct shown_method method;
    struct entry_method entry;
    uint64_t recorded; /* in the spool; 0: there is none */
    uint32_t counted;  /* its number where values are counted, */
    bool all_counted;  /* as all of its values are, */
    bool all_recorded; /* or recorded, without anything of their calls */
    enum secrecy secrecy;
    char name[];
};

typedef struct shown *_Atomic shown_slot;

enum { KNOWN_TYPES = 64 };
struct unmanaged {
    uint32_t number;
    uint32_t method_count;
    const char *path;
    struct ilp_arena *arena;
    shown_slot *methods;                         /* per MethodDef row */
    const struct kept_shape *exception;          /* of all methods; NULL: none is shown yet */
    const struct kept_shape *known[KNOWN_TYPES]; /* by their types' bytes; NULL: free */
};

/* By their own numbers. */
enum { MAX_MODULES = 65536 };
extern struct unmanaged *_Atomic unmanaged_modules[MAX_MODULES];

/* By a method's id, module number << 32 | token, in two tables that are only added to: so it is
 * found without a lock. NULL: it is not shown, or of an earlier watch. */
static inline const struct shown *unmanaged_find(int64_t id)
{
    uint32_t number = (uint32_t)((uint64_t)id >> 32);
    uint32_t rid = ILP_TOKEN_RID((ilp_token)id);
    const struct unmanaged *module = atomic_load(&unmanaged_modules[number % MAX_MODULES]);
    bool is_there = module && module->number == number && rid <= module->method_count;
    return is_there ? atomic_load(&module->methods[rid]) : NULL;
}

#endif
