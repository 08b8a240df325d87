/* What keeps the runtime from loading the profiler, or the profiler from showing anything: told
 * before the program starts where it can be known by then, else when it has ended. Nobody but us
 * can tell, since the runtime is silent about it. */
#ifndef PREFLIGHT_H
#define PREFLIGHT_H

#include "tools/launch/target.h"

/* What is about to be started. All borrowed. */
struct preflight {
    const char *program; /* as it was given */
    /* the same with its arguments, NULL after the last; NULL: no program is started */
    char *const *arguments;
    const char *profiler; /* the profiler's file; not needed by preflight_refuse() */
    bool inspector;       /* the stock inspector is loaded, too, by a start-up hook */
    bool children;        /* processes that the program starts, too */
    bool replace;         /* another profiler that the environment names gives way */
    bool mono;            /* Mono can do what is requested, too */
};

/* Another profiler is set, and a process has only one: EXIT_USAGE, when it has been reported. */
enum exit_code preflight_refuse(const struct preflight *preflight);

/* Before the start; true: something was reported that explains why nothing will be shown. */
bool preflight_warn(const struct preflight *preflight, const struct target *target);

/* Whether a self-contained program lacks what the stock inspector refers to, which has been
 * reported then: the runtime would end it with an exception, since a start-up hook cannot be
 * loaded. */
bool preflight_is_trimmed(const struct target *target);

/* After the end of a program into which the profiler was not loaded, without a warning. */
void preflight_explain(const struct preflight *preflight, const struct target *target);

#endif
