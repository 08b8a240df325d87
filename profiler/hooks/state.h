/* What the files of the hooks share; the others stand on it, in this order:
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
 * Threads share nothing but this: what is set before the first hook, lists that only grow, and
 * numbers. */
#ifndef ILPI_HOOKS_STATE_H
#define ILPI_HOOKS_STATE_H

#include "elt/shadow_stack.h"
#include "profiler/hooks/clock.h"
#include "profiler/hooks/current.h"
#include "profiler/hooks/spool_file.h"
#include "profiler/profiler.h"
#include "profiler/settings.h"
#include "trace/spool_short.h"

/* A method with hooks: what the mapper gives for a FunctionID. It stays as long as the process, for
 * its code does. Where IL calls in place of hooks, there is one for the method besides, whose
 * FunctionID is 0: all its instances have that IL. */
struct hooked {
    struct hooked *next; /* of its bucket; a newer one of the same FunctionID stands in front */
    FunctionID function;
    ModuleID module;
    ilp_token token;
    const struct hooked *passed;        /* by its code: itself, or the one of its IL */
    const struct hooked_values *values; /* NULL: none are wanted */
    /* of `id`; without a size if that is 0 */
    struct ilpi_short_id short_id;
    /* in the spool; all instantiations of a generic method have the same. 0: the method has no
     * hooks, but one that had this FunctionID before it had some */
    uint64_t id;
};

/* Of a watch that has ended, whose code may still run: nothing is recorded of it. */
static inline bool hooked_is_retired(const struct hooked *method)
{
    return method->id == 0;
}

/* What a thread counts, and what is reported of all threads at the end. */
#define HOOK_COUNTS(COUNT)                                                        \
    COUNT(enters)                                                                 \
    COUNT(leaves)                                                                 \
    COUNT(tailcalls)                                                              \
    COUNT(unwound)                                                                \
    COUNT(missed)    /* frames that went with the one below them: no hook told */ \
    COUNT(orphans)   /* ends of what was entered before hooks were listened to */ \
    COUNT(cut)       /* frames that were open when listening began again */       \
    COUNT(snapshots) /* of the runtime's stack, compared */                       \
    COUNT(different)                                                              \
    COUNT(unwalked) /* stacks that the runtime would not walk */

struct hook_counts {
#define COUNT(name) uint64_t name;
    HOOK_COUNTS(COUNT)
#undef COUNT
};

/* A thread's own: it alone counts, and who reports may read meanwhile. */
struct hook_counters {
#define COUNT(name) atomic_uint_least64_t name;
    HOOK_COUNTS(COUNT)
#undef COUNT
};

static inline uint64_t hooks_counted(const atomic_uint_least64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* No other thread adds to it, so that no locked instruction is needed. */
static inline void hooks_count(atomic_uint_least64_t *counter, uint64_t more)
{
    atomic_store_explicit(counter, hooks_counted(counter) + more, memory_order_relaxed);
}

/* What a thread knows of its exceptions (unwind.c). */
#define UNWINDING_LIMIT 64u
#define FILTER_LIMIT    16u

/* a thread's, while a function is about to end, and nothing else can be heard */
#define EPOCH_ENDING UINT32_MAX
/* no thread's */
#define EPOCH_OFF (UINT32_MAX - 1)

struct exceptions {
    uint32_t epoch;     /* meanwhile: the thread's own */
    uint32_t searching; /* functions that are being searched for a catcher */
    uint32_t filter_count;
    uint32_t unwinding_count;
    struct filter { /* one that runs, and what was known when it began */
        uint32_t searching;
        uint32_t unwinding_count;
        uint32_t depth; /* of the shadow stack */
    } filters[FILTER_LIMIT];
    struct unwinding { /* a function that is being unwound, from ExceptionUnwindFunctionEnter on */
        const struct hooked *method; /* NULL: it has no hooks, or has ended */
        uint32_t depth;              /* of the shadow stack at that time */
        bool in_finally;             /* one of its finally blocks runs */
    } unwinding[UNWINDING_LIMIT];
};

/* Calls of a method from the paths above it (paths.c). */
struct hooks_path {
    const struct hooked *method; /* NULL: the thread itself, or all that there is no room for */
    struct hooks_path *parent;   /* of the thread itself it is that */
    struct hooks_path *recent;   /* the child that was entered last */
    struct hooks_path *chain;    /* of the table */
    /* the child that was made last; NULL: none. Siblings are a ring, so its next is the first */
    _Atomic(struct hooks_path *) last;
    _Atomic(struct hooks_path *) next;
    atomic_uint_least64_t calls;
    atomic_uint_least64_t tailcalls;
    atomic_uint_least64_t unwound;
    atomic_uint_least64_t unseen; /* calls that were open when recording ended for a while */
    bool open;                    /* while they are written: a call has not ended */
};

struct hooks_paths {
    _Atomic(struct hooks_path *) now; /* the youngest call's */
    struct hooks_path root;
    struct hooks_path crowd; /* calls of all paths that there is no room for */
    uint64_t crowded;        /* how many of them are open */
    struct hooks_path *items;
    uint32_t limit;
    uint32_t count;
    struct hooks_path **table; /* by parent and method */
    atomic_bool written;
};

struct hooks_thread {
    /* of all that ever were; another thread may take over one that is free */
    struct hooks_thread *next;
    atomic_bool in_use;
    atomic_bool recorded; /* it has begun, and its records have no end yet */
    uint32_t watch;       /* in which it has begun; what it has of an earlier one is not used */
    uint32_t epoch;
    uint32_t since_check;
    struct shadow_stack stack;
    struct exceptions exceptions;
    struct hook_counters counts;
    struct hooks_paths paths; /* where calls are counted; else the spool has them */
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
    /* so many times they were opened: once, but for a process that is attached to again */
    uint32_t watch;
    bool is_held;  /* they were opened, and hooks_release() has not been called */
    bool is_stuck; /* threads could not be waited for, which may use all that is here */
    struct ilpi_spool spool;
    /* how often listening began; stacks of an earlier one are not right any more */
    atomic_uint_least32_t epoch;
    atomic_uint_least32_t thread_count;
    _Atomic(struct hooks_thread *) threads;
    uint64_t method_count;     /* under the profiler's lock, */
    struct hooked *il_methods; /* and so are these: those that IL passes */
    _Atomic(struct hooked *) buckets[HOOKED_BUCKETS];
};

extern struct hooks hooks;

/* hooks.epoch, or EPOCH_OFF: see hooks_listen(). */
extern atomic_uint_least32_t hooks_listening;

static inline bool hooks_by_il(void)
{
    return hooks.settings.by.value == TRACE_BY_IL;
}

/* Whether the process was running already: then there may be a watch after this one. */
static inline bool hooks_are_attached(void)
{
    return hooks.profiler->attached != NULL;
}

/* Whether calls are counted by path, without times. */
static inline bool hooks_only_count(void)
{
    return hooks.settings.no_times;
}

/* For a record; 0: there is none. */
static inline uint64_t hooks_time(void)
{
    return hooks_only_count() ? 0 : hooks_now();
}

static inline bool hooks_are_on(void)
{
    return atomic_load_explicit(&elt_targets.on, memory_order_relaxed) != 0;
}

/* Stacks are of one time of listening: what was entered in another may have ended unheard. */
void hooks_listen(bool on);

#endif
