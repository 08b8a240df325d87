/* What keeps the runtime from loading the profiler, or the profiler from showing anything: told before the program starts
 * where it can be known by then, else when it has ended. Nobody but us can tell, since the runtime is silent about it. */
#ifndef LAUNCH_PREFLIGHT_H
#define LAUNCH_PREFLIGHT_H

#include "tools/launch/launch.h"
#include "tools/launch/target.h"

/* Another profiler is set, and a process has only one: EXIT_USAGE, when it has been told. */
enum exit_code preflight_refuse(const struct launch *launch);

/* Before the start; true: something was told that explains why nothing will be shown. The program is started all the
 * same, without the inspector if that would end it. */
bool preflight_warn(struct launch *launch, const struct target *target);

/* Whether a self-contained program has not what the stock inspector refers to, which has been told then. */
bool preflight_is_trimmed(const struct target *target);

/* After the end of a program into which the profiler was not loaded, without a warning. */
void preflight_explain(const struct launch *launch, const struct target *target);

#endif
