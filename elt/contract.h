/* A checking build: hooks that break their contract (elt.h) are caught where they do it. With
 * ELT_CHECKED; without it all this is nothing. `make checked` builds the profiler so.
 *
 * What is caught, and how surely:
 *  - waiting that happened, whatever it was for: the system counts for each thread how often it
 *    gave the processor away;
 *  - calls of functions that may wait (contract.def), though they did not this time: only from
 *    objects that are linked with --wrap, so not through pointers, nor from within other libraries;
 *  - frame and ELT infos after their hook, or in another thread: the hook is given a number in
 *    their place;
 *  - managed code, if a hook reports it; what the runtime does for a hook (types that are loaded,
 *    methods compiled, objects allocated, collections begun), if it calls the profiler for that:
 *    request these events.
 * What is not: managed code that no hook and no callback reports. A call of an
 * UnmanagedCallersOnly method from a hook ends the process on CoreCLR anyway. Stops for a debugger
 * count as waiting; a hook that touches memory that has to be brought in is not judged this time,
 * since the system itself may wait then. */
#ifndef ILPI_ELT_CONTRACT_H
#define ILPI_ELT_CONTRACT_H

#include "elt/elt.h"

enum contract_breach {
#define BREACH(code, text) CONTRACT_##code,
#include "elt/contract.def"
    CONTRACT_BREACHES
};

#ifdef ELT_CHECKED

/* Wraps the functions in elt_targets with checks: call it when these are set, before the stubs are
 * switched on. */
void contract_watch(void);

/* For hooks of the slow path, which have no stub: report where they begin and end. `hook` is
 * borrowed. */
void contract_begin(const char *hook);
void contract_end(void);

/* Replaces a frame info or ELT info by a number for the hook, and the number by the info again:
 * pass every use through these. */
uintptr_t contract_lend(uintptr_t info);
uintptr_t contract_info(uintptr_t lent);

/* Call it first in each callback of the runtime. */
void contract_callback(const char *name);

/* What happens between these is intended: it is not reported. */
void contract_excuse(void);
void contract_excused(void);

/* Receives the reports; without one the process ends. Called in the thread that runs the hook. */
extern void (*contract_report)(enum contract_breach breach, const char *hook, const char *detail);

#else

static inline void contract_watch(void)
{
}
static inline void contract_begin(const char *hook)
{
    (void)hook;
}
static inline void contract_end(void)
{
}
static inline uintptr_t contract_lend(uintptr_t info)
{
    return info;
}
static inline uintptr_t contract_info(uintptr_t lent)
{
    return lent;
}
static inline void contract_callback(const char *name)
{
    (void)name;
}
static inline void contract_excuse(void)
{
}
static inline void contract_excused(void)
{
}

#endif

#endif
