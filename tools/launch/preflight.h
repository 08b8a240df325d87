/* Preflight check: what keeps the runtime from loading the profiler, or the profiler from showing
 * anything. Reported before the program starts if it is known by then, else when it has ended. Only
 * we can report it, since the runtime is silent about it. */
#ifndef PREFLIGHT_H
#define PREFLIGHT_H

#include "tools/launch/target.h"

/* The planned start. All borrowed. */
struct preflight {
    const char *program; /* as given */
    /* the same with its arguments, ended by NULL; NULL: no program is started */
    char *const *arguments;
    const char *profiler; /* the profiler's file; not needed by preflight_refuse() */
    bool inspector;       /* also load the stock inspector, by a start-up hook */
    bool children;        /* also in processes that the program starts */
    bool replace;         /* replace another profiler that the environment names */
    bool mono;            /* the request also works on Mono */
};

/* EXIT_USAGE, after a report, if another profiler is set, since a process has only one. */
enum exit_code preflight_refuse(const struct preflight *preflight);

/* Whether a variable turns profilers off, which has been reported then. */
bool preflight_report_switch(void);

/* Before the start; true: something was reported that explains why nothing will be shown. */
bool preflight_warn(const struct preflight *preflight, const struct target *target);

/* Whether a self-contained program lacks what the stock inspector refers to, which is reported: the
 * runtime would end it with an exception, since the start-up hook cannot be loaded. */
bool preflight_is_trimmed(const struct target *target);

/* After the end of a program that did not load the profiler, if there was no warning. */
void preflight_explain(const struct preflight *preflight, const struct target *target);

#endif
