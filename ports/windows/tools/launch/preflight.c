/* Reasons why a runtime would not load the profiler. See preflight.h. The program's file is not
 * examined yet. */
#include "tools/launch/preflight.h"

bool preflight_warn(const struct preflight *preflight, const struct target *target)
{
    (void)preflight;
    (void)target;
    return preflight_report_switch();
}

bool preflight_is_trimmed(const struct target *target)
{
    (void)target;
    return false;
}

void preflight_explain(const struct preflight *preflight, const struct target *target)
{
    (void)target;
    report_message(
        "%s: the profiler was not loaded: no runtime of .NET has started in it, or one that cannot "
        "load %s",
        preflight->program, preflight->profiler);
}
