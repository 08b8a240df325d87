/* Reasons why a runtime would not load the profiler. See preflight.h. The program's file is not
 * examined yet. */
#include "tools/launch/preflight.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host/profiler_environment.h"

enum exit_code preflight_refuse(const struct preflight *preflight)
{
    const char *enabled = getenv("CORECLR_ENABLE_PROFILING"), *class = getenv("CORECLR_PROFILER");
    if (preflight->replace || !enabled || strtoul(enabled, NULL, 16) == 0 || !class ||
        strcasecmp(class, PROFILER_CLASS) == 0) {
        return EXIT_DONE;
    }
    tell("CORECLR_PROFILER is set to another profiler: %s", class);
    tell("  The runtime takes one profiler only. With --replace-profiler that one is left out of "
         "this program,");
    tell("  or unset CORECLR_ENABLE_PROFILING.");
    return EXIT_USAGE;
}

bool preflight_warn(const struct preflight *preflight, const struct target *target)
{
    (void)preflight;
    (void)target;
    return false;
}

bool preflight_is_trimmed(const struct target *target)
{
    (void)target;
    return false;
}

void preflight_explain(const struct preflight *preflight, const struct target *target)
{
    (void)target;
    tell(
        "%s: the profiler was not loaded: no runtime of .NET has started in it, or one that cannot "
        "load %s",
        preflight->program, preflight->profiler);
}
