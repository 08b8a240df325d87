/* What a trace is made of, in the same words for `ilpatch trace` and, through ILPATCH_OPTIONS, for
 * the profiler. */
#ifndef TRACE_OPTIONS_H
#define TRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "elt/stubs.h"
#include "host/option_fields.h"
#include "host/option_words.h"

/* TRACE_FIELDS(FIELD): FIELD(ID, FIELD), with an ID of host/options.def. */
#define TRACE_FIELDS(FIELD)                             \
    FIELD(VALUES, values)                               \
    FIELD(DISABLE_OPTIMIZATIONS, disable_optimizations) \
    FIELD(PAUSED, paused)                               \
    FIELD(SLOW, slow)                                   \
    FIELD(CHECK_STACKS, check_stacks)                   \
    FIELD(BY, by)                                       \
    FIELD(NO_TIMES, no_times)

/* What reports calls: hooks of the runtime, or the IL of the methods themselves. */
enum trace_by {
#define X(name, word) TRACE_BY_##name,
    BY_WORDS(X)
#undef X
};

struct trace_settings {
    const char *spool; /* where to; not one of these options. Borrowed */
    bool own_spool;    /* it is a temporary file of the command's; nor is this one of them */
    bool values;       /* with arguments and returned values: the slow path */
    /* compile everything without optimization, so that no tail call is made that IL does not ask
     * for */
    bool disable_optimizations;
    bool paused;           /* begin when the signal says so (TRACE_SIGNAL) */
    bool slow;             /* the slow path, even where the fast one would do */
    uint32_t check_stacks; /* at each N-th enter compare the shadow stack with the runtime's own */
    struct option_choice by; /* enum trace_by */
    bool no_times;           /* calls are counted, and nothing is known of when they were */
};

/* Which of the two paths compiled code takes to the hooks (profiler/hooks/hooks.c). */
static inline bool trace_is_slow(const struct trace_settings *settings)
{
    return settings->by.value == TRACE_BY_HOOKS &&
           (!ELT_STUBS_ARE_PROVEN || settings->values || settings->slow);
}

/* What the JIT must be started with on the slow path: no call of its own accord, and none with the
 * prefix `tail.`, becomes a jump. CoreCLR's own stub keeps 8 bytes of each vector register, and at
 * a jump vectors of any origin may be there, those of inlined callees too: no look at the IL says
 * that there is none (docs/HOOKS.md). Each is "0"; COMPlus_ does not count beside DOTNET_. */
#define SLOW_PATH_VARIABLES(VARIABLE) \
    VARIABLE("DOTNET_TailCallOpt")    \
    VARIABLE("DOTNET_FastTailCalls")

#endif
