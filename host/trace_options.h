/* The options of a trace, the same for `ilpatch trace` and, through ILPATCH_OPTIONS, for the
 * profiler. */
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

/* What reports calls: the runtime's hooks, or the IL of the methods themselves. */
enum trace_by {
#define X(name, word) TRACE_BY_##name,
    BY_WORDS(X)
#undef X
};

struct trace_settings {
    const char *spool; /* the output; not one of these options. Borrowed */
    bool own_spool;    /* it is a temporary file of the command; not an option either */
    bool values;       /* with arguments and returned values: the slow path */
    /* compile everything without optimizations, so that only explicit tail calls are made */
    bool disable_optimizations;
    bool paused;           /* begin when the signal comes (TRACE_SIGNAL) */
    bool slow;             /* use the slow path even if the fast one would do */
    uint32_t check_stacks; /* at every N-th enter compare the shadow stack with the runtime's own */
    struct option_choice by; /* enum trace_by */
    bool no_times;           /* calls are counted, without times */
};

/* Whether compiled code uses the slow path to the hooks (profiler/hooks/hooks.c). */
static inline bool trace_is_slow(const struct trace_settings *settings)
{
    return settings->by.value == TRACE_BY_HOOKS &&
           (!ELT_STUBS_ARE_PROVEN || settings->values || settings->slow);
}

/* The JIT settings of the slow path: neither an implicit nor an explicit tail call becomes a jump.
 * CoreCLR's own stub preserves 8 bytes of each vector register, and at a jump any vectors may be
 * live, including those of inlined callees: IL cannot know that there are none (docs/HOOKS.md).
 * Each is "0"; DOTNET_ overrides COMPlus_. */
#define SLOW_PATH_VARIABLES(VARIABLE) \
    VARIABLE("DOTNET_TailCallOpt")    \
    VARIABLE("DOTNET_FastTailCalls")

#endif
