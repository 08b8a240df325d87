/* What the files of the hooks share. They depend on each other in this order:
 *
 *   paths     calls counted by path, where they have no times
 *   frames    ends of methods: off the thread's shadow stack, into its records
 *   threads   what each thread has
 *   values    arguments and returned values as text
 *   methods   which methods have hooks
 *   check     the shadow stack beside the runtime's
 *   events    the hooks themselves
 *   passages  the same, called by the IL of methods in place of hooks
 *   unwind    exceptions
 *   cost      what a hook costs
 *   switch    on and off
 *   hooks     all of them, given to the runtime
 *
 * Threads share only this: what is set before the first hook, lists that only grow, and
 * counters. */
#ifndef ILPI_HOOKS_STATE_H
#define ILPI_HOOKS_STATE_H

#include "elt/shadow_stack.h"
#include "profiler/hooks/clock.h"
#include "profiler/hooks/current.h"
#include "profiler/hooks/spool_file.h"
#include "profiler/profiler.h"
#include "profiler/settings.h"
#include "trace/spool_short.h"

/* A method with hooks: what the mapper returns for a FunctionID. It lives as long as the process,
 * since code refers to it. If IL calls instead of hooks, the method has one more, with FunctionID
 * 0: all its instances share the IL. */
struct hooked {
    struct hooked *next; /* of its bucket; a newer record of the same FunctionID comes first */
    FunctionID function;
    ModuleID module;
    ilp_token token;
    const struct hooked *passed;        /* the record its code passes: itself, or the one of its
                                           IL */
    const struct hooked_values *values; /* NULL: not requested */
    /* of `id`; without a size if that is 0 */
    struct ilpi_short_id short_id;
    /* in the spool; the same for all instantiations of a generic method. 0: the method has no
     * hooks, but an earlier one with this FunctionID had */
    uint64_t id;
};

/* Of an ended watch, whose code may still run: nothing is recorded. */
static inline bool hooked_is_retired(const struct hooked *method)
{
    return method->id == 0;
}

/* The counters of a thread, which are reported as sums at the end. */
#define HOOK_COUNTS(COUNT)                                                                   \
    COUNT(enters)                                                                            \
    COUNT(leaves)                                                                            \
    COUNT(tailcalls)                                                                         \
    COUNT(unwound)                                                                           \
    COUNT(missed)    /* frames popped with the one below them: their end was not reported */ \
    COUNT(orphans)   /* ends of calls entered before hooks were active */                    \
    COUNT(cut)       /* frames that were open when hooks became active again */              \
    COUNT(snapshots) /* snapshots of the runtime's stack, compared */                        \
    COUNT(different)                                                                         \
    COUNT(unwalked) /* stacks that the runtime refused to walk */

struct hook_counts {
#define COUNT(name) uint64_t name;
    HOOK_COUNTS(COUNT)
#undef COUNT
};

/* A thread's own: only it counts, and reports may read meanwhile. */
struct hook_counters {
#define COUNT(name) atomic_uint_least64_t name;
    HOOK_COUNTS(COUNT)
#undef COUNT
};

static inline uint64_t hooks_counted(const atomic_uint_least64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* No other thread writes it, so no locked instruction is needed. */
static inline void hooks_count(atomic_uint_least64_t *counter, uint64_t more)
{
    atomic_store_explicit(counter, hooks_counted(counter) + more, memory_order_relaxed);
}

/* The state of a thread's exceptions (unwind.c). */
#define UNWINDING_LIMIT 64u
#define FILTER_LIMIT    16u

/* a thread's, while a function is about to end, and no other callback is expected */
#define EPOCH_ENDING UINT32_MAX
/* no thread's */
#define EPOCH_OFF (UINT32_MAX - 1)

struct exceptions {
    uint32_t epoch;     /* saved meanwhile: the thread's own */
    uint32_t searching; /* number of functions being searched for a catcher */
    uint32_t filter_count;
    uint32_t unwinding_count;
    struct filter { /* a running filter, and the state when it began */
        uint32_t searching;
        uint32_t unwinding_count;
        uint32_t depth; /* of the shadow stack */
    } filters[FILTER_LIMIT];
    struct unwinding { /* a function being unwound, since ExceptionUnwindFunctionEnter */
        const struct hooked *method; /* NULL: it has no hooks, or has ended */
        uint32_t depth;              /* of the shadow stack at that time */
        bool in_finally;             /* one of its finally blocks is running */
    } unwinding[UNWINDING_LIMIT];
};

/* Calls of a method from the path above it (paths.c). */
struct hooks_path {
    const struct hooked *method; /* NULL: the thread itself, or all paths without room */
    struct hooks_path *parent;   /* for the thread itself: itself */
    struct hooks_path *recent;   /* the last entered child */
    struct hooks_path *chain;    /* of the table */
    /* the last made child; NULL: none. Siblings are a ring, so its next is the first */
    _Atomic(struct hooks_path *) last;
    _Atomic(struct hooks_path *) next;
    atomic_uint_least64_t calls;
    atomic_uint_least64_t tailcalls;
    atomic_uint_least64_t unwound;
    atomic_uint_least64_t unseen; /* calls that were open when recording paused */
    bool open;                    /* during writing: a call has not ended */
};

struct hooks_paths {
    _Atomic(struct hooks_path *) now; /* the youngest call's */
    struct hooks_path root;
    struct hooks_path crowd; /* calls of all paths without room */
    uint64_t crowded;        /* number of open ones of them */
    struct hooks_path *items;
    uint32_t limit;
    uint32_t count;
    struct hooks_path **table; /* by parent and method */
    atomic_bool written;
};

struct hooks_thread {
    /* of all that ever existed; another thread may take over a free one */
    struct hooks_thread *next;
    atomic_bool in_use;
    atomic_bool recorded; /* it has begun, and its records have no end yet */
    uint32_t watch;       /* the watch in which it began; state of an earlier one is not used */
    uint32_t epoch;
    uint32_t since_check;
    struct shadow_stack stack;
    struct exceptions exceptions;
    struct hook_counters counts;
    struct hooks_paths paths; /* if calls are counted; else the spool has them */
    struct ilpi_spool_thread spool;
    char text[ILPI_SPOOL_TEXT]; /* values */
};

#define HOOKED_BUCKETS 16384u

struct hooks {
    struct profiler *profiler;
    void *info; /* ICorProfilerInfo3 */
    struct trace_settings settings;
    bool slow;
    struct spool_file file;
    atomic_bool closed;
    /* number of openings: one, except in a process that is attached to repeatedly */
    uint32_t watch;
    bool is_held;  /* opened, and hooks_release() has not been called */
    bool is_stuck; /* some threads could not be waited for, and may use this */
    struct ilpi_spool spool;
    /* number of activations; stacks of an earlier one are invalid */
    atomic_uint_least32_t epoch;
    atomic_uint_least32_t thread_count;
    _Atomic(struct hooks_thread *) threads;
    uint64_t method_count;     /* under the profiler's lock */
    struct hooked *il_methods; /* likewise: the records that IL passes */
    _Atomic(struct hooked *) buckets[HOOKED_BUCKETS];
};

extern struct hooks hooks;

/* hooks.epoch, or EPOCH_OFF: see hooks_listen(). */
extern atomic_uint_least32_t hooks_listening;

static inline bool hooks_by_il(void)
{
    return hooks.settings.by.value == TRACE_BY_IL;
}

/* Whether the process was attached to: there may be a later watch. */
static inline bool hooks_are_attached(void)
{
    return hooks.profiler->attached != NULL;
}

/* Whether calls are counted by path, without times. */
static inline bool hooks_only_count(void)
{
    return hooks.settings.no_times;
}

/* For a record; 0: none. */
static inline uint64_t hooks_time(void)
{
    return hooks_only_count() ? 0 : hooks_now();
}

static inline bool hooks_are_on(void)
{
    return atomic_load_explicit(&elt_targets.on, memory_order_relaxed) != 0;
}

/* Stacks belong to one activation: calls entered in an earlier one may have ended unnoticed. */
void hooks_listen(bool on);

#endif
