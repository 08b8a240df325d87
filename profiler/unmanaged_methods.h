/* The methods that are shown: the interface between the two halves of the unmanaged inspector. One
 * records methods when they are rewritten (unmanaged_methods.c), their code calls the other
 * (unmanaged.c). */
#ifndef ILPI_UNMANAGED_METHODS_H
#define ILPI_UNMANAGED_METHODS_H

#include <stdatomic.h>

#include "host/value_options.h"
#include "profiler/entry.h"
#include "profiler/shapes.h"
#include "profiler/choice_method.h"
#include "profiler/shown_line.h"

/* How values are written. Borrowed. Call it before any value. */
void unmanaged_set_values(const struct value_settings *chosen);

/* The rules with conditions on values; NULL: none. Borrowed. Call it before any method is
 * recorded. */
void unmanaged_set_rules(const struct ilp_rules *rules);

/* ---- modules and methods, recorded under the profiler's lock ---- */

/* The shown methods of one module; it owns their shapes (shapes.h). */
struct unmanaged;

/* A number for a module, which it keeps while it is loaded: code made for an earlier watch may
 * still run, and must not be mistaken for another module's. Numbers are assigned in turn, and
 * reused after modules were unloaded, so that a program that loads plug-ins for weeks has enough.
 * MAX_MODULES: none is free. */
uint32_t unmanaged_number(ModuleID module);

/* The same for a number from a file of ids; false: another module has it. */
bool unmanaged_take_number(ModuleID module, uint32_t number);

/* Frees a module's number when it is unloaded. The other function frees the numbers of all modules
 * that are not in the list. */
void unmanaged_leave_number(ModuleID module);
void unmanaged_keep_numbers(const ModuleID *modules, ULONG count);

/* For the module of the file at `path`, borrowed, with `count` methods; `number` is module_number
 * of struct ilp_request: the module's own number, below MAX_MODULES, plus the watch's number above
 * it. */
ilp_status unmanaged_begin(struct unmanaged **out, const char *path, uint32_t method_count,
                           uint32_t number, struct ilp_error *error);

/* Its methods are no longer found; but a thread that has found one may continue with it. NULL is
 * allowed. */
void unmanaged_leave(const struct unmanaged *module);

/* When none of its methods runs any more; NULL is allowed. */
void unmanaged_end(struct unmanaged *module);

/* `method` was rewritten: builds the shape of its value, which is shown under the name of the
 * method in result->id. Call it before the runtime gets the new body. */
ilp_status unmanaged_note(struct unmanaged *module, struct shapes *shapes, struct ilp_image *image,
                          ilp_token method, const struct ilp_method_result *result,
                          struct ilp_error *error);

/* ---- look-up ---- */

/* Set before any value, or any recorded method. */
struct unmanaged_chosen {
    const struct value_settings *settings; /* borrowed */
    const struct ilp_rules *rules;         /* borrowed; NULL: none */
    bool has_context;                      /* lines have the ids of activities, and wait for them */
};
extern struct unmanaged_chosen unmanaged_chosen;

/* A shown method. */
struct shown {
    const struct kept_shape *kept;      /* NULL: values are not shown */
    const struct kept_shape *exception; /* NULL: exceptions are not shown */
    struct choice_method choice;
    struct shown_method method;
    struct entry_method entry;
    uint64_t recorded; /* in the spool; 0: none */
    uint32_t counted;  /* its number in counts */
    bool all_counted;  /* all of its values are only counted */
    bool all_recorded; /* or only recorded, without data of their calls */
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
    const struct kept_shape *exception;          /* of all methods; NULL: not shown yet */
    const struct kept_shape *known[KNOWN_TYPES]; /* by the bytes of their types; NULL: free */
};

/* By module number. */
enum { MAX_MODULES = 65536 };
extern struct unmanaged *_Atomic unmanaged_modules[MAX_MODULES];

/* Look-up by a method's id, module number << 32 | token, in two tables that only grow, so without a
 * lock. NULL: not shown, or of an earlier watch. */
static inline const struct shown *unmanaged_find(int64_t id)
{
    uint32_t number = (uint32_t)((uint64_t)id >> 32);
    uint32_t rid = ILP_TOKEN_RID((ilp_token)id);
    const struct unmanaged *module = atomic_load(&unmanaged_modules[number % MAX_MODULES]);
    bool is_there = module && module->number == number && rid <= module->method_count;
    return is_there ? atomic_load(&module->methods[rid]) : NULL;
}

#endif
