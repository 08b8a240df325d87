/* Which variables keep the profiler out. See preflight.h. What the runtime does is measured with
 * .NET 10. */
#include "tools/launch/preflight.h"

#include <stdlib.h>
#include <strings.h>

#include "host/profiler_environment.h"
#include "tools/launch/other_profilers.h"
#include "tools/tool.h"

/* The runtime takes numbers as hexadecimal; what is none counts as not set. */
static bool number_of(const char *name, unsigned long *number)
{
    const char *text = getenv(name);
    char *end = NULL;
    *number = text ? strtoul(text, &end, 16) : 0;
    return text && end != text;
}

/* Another profiler would be replaced silently, and its user would miss its data: a reason to
 * refuse, unless --replace-profiler says so. A profiler that is named, but not enabled, is not
 * used. */
enum exit_code preflight_refuse(const struct preflight *preflight)
{
    unsigned long enabled;
    const char *class = getenv("CORECLR_PROFILER");
    const char *path = getenv("CORECLR_PROFILER_PATH_64");
    if (preflight->replace || !number_of("CORECLR_ENABLE_PROFILING", &enabled) || enabled == 0 ||
        !class || strcasecmp(class, PROFILER_CLASS) == 0) {
        return EXIT_DONE;
    }
    path = path ? path : getenv("CORECLR_PROFILER_PATH");
    char *text = need(other_profiler_text(class, path));
    report_message("CORECLR_PROFILER is set to another profiler: %s", text);
    free(text);
    report_message(
        "  The runtime takes one profiler only. With --replace-profiler that one is left out of "
        "this program,");
    report_message(
        "  or unset CORECLR_ENABLE_PROFILING; or patch the files instead, which goes with any "
        "profiler:");
    report_message("  ilpatch inspect %s", started_file(preflight->arguments));
    return EXIT_USAGE;
}

/* EnableDiagnostics switches everything off, the other one profilers alone. */
bool preflight_report_switch(void)
{
    /* the newer spelling decides where both are set */
    static const char *const switches[][2] = {
        {"DOTNET_EnableDiagnostics", "COMPlus_EnableDiagnostics"},
        {"DOTNET_EnableDiagnostics_Profiler", "COMPlus_EnableDiagnostics_Profiler"},
    };
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        unsigned long number;
        const char *name = switches[i][0];
        if (!number_of(name, &number)) {
            name = switches[i][1];
        }
        if (number_of(name, &number) && number == 0) {
            report_message(
                "%s=%s is set: the runtime loads no profiler then, so nothing will be shown; "
                "unset it",
                name, getenv(name));
            return true;
        }
    }
    return false;
}
