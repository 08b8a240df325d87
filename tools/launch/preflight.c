/* What of a program keeps the profiler out. See preflight.h. What the runtime does is measured with
 * .NET 10.
 *
 * A runtime that takes no profiler says nothing, so what can be known before is reported before:
 * the program may run for hours. preflight_warn() stops at the first cause that means that nothing
 * will be shown; the program is started all the same, because the warning may be about a part of
 * it, and because it is the user's program. preflight_explain() is for the end, when nothing has
 * been shown and no cause was known.
 *
 *   rights > kind of program > processor > variables > runtimeconfig.json
 */
#include "tools/launch/preflight.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/library.h"
#include "host/path.h"
#include "host/resolve/path_list.h"
#include "tools/launch/elf.h"
#include "tools/tool.h"

/* The program's file against the profiler's: the library has to be for the processor that the
 * runtime is for. */
static bool report_processor(const struct preflight *preflight, const struct target *target)
{
    unsigned elf_class = 0, machine = 0;
    bool differs = target->elf_class != 0 && elf_kind(preflight->profiler, &elf_class, &machine) &&
                   (elf_class != target->elf_class || machine != target->elf_machine);
    if (differs) {
        report_message(
            "%s is for %s, but %s for %s: its runtime cannot load that, so nothing will be shown; "
            "use an ilpatch built for %s",
            target->path, elf_machine_name(target->elf_class, target->elf_machine),
            preflight->profiler, elf_machine_name(elf_class, machine),
            elf_machine_name(target->elf_class, target->elf_machine));
    }
    return differs;
}

/* True: nothing will be shown. The SDK's commands are only mentioned: they run, and what they start
 * is left alone. */
static bool report_kind(const struct preflight *preflight, const struct target *target)
{
    static const char *const starters[] = {"run", "test", "vstest", "watch"};
    switch (target->kind) {
    case TARGET_NATIVE_AOT:
        report_message(
            "%s is compiled ahead of time (PublishAot) and has no runtime that takes a profiler, "
            "so nothing will be shown; "
            "publish without PublishAot",
            target->path);
        return true;
    case TARGET_MONO:
        if (preflight->mono) {
            return false;
        }
        report_message(
            "%s has another profiling interface, so nothing will be shown; ilpatch run shows "
            "values, without options that need CoreCLR",
            target->path);
        return true;
    case TARGET_DOTNET_SDK:
        for (size_t i = 0; i < sizeof starters / sizeof starters[0] && !preflight->children; i++) {
            if (strcmp(target->command, starters[i]) == 0) {
                report_message(
                    "dotnet %s starts the application as a process of its own, which is left "
                    "alone without --children",
                    target->command);
            }
        }
        return false;
    default: return false;
    }
}

/* Whether the system gives the program more rights than we have: the profiler is then not used. */
static bool report_rights(const struct target *target)
{
    struct stat info;
    if (!target->path) {
        return false;
    }
    bool is_set =
        stat(target->path, &info) == 0 &&
        (((info.st_mode & S_ISUID) && info.st_uid != getuid()) ||
         ((info.st_mode & S_ISGID) && (info.st_mode & S_IXGRP) && info.st_gid != getgid()));
    bool is_capable = getuid() != 0 && getxattr(target->path, "security.capability", NULL, 0) > 0;
    if (is_set || is_capable) {
        report_message(
            "%s is a %s program: the profiler leaves it alone, so nothing will be shown; run a "
            "copy without that",
            target->path, is_set ? "set-uid or set-gid" : "privileged (file capabilities)");
    }
    return is_set || is_capable;
}

/* Checks App.runtimeconfig.json. */
static bool report_settings(const struct preflight *preflight, const struct target *target)
{
    const struct runtime_config *config = &target->config;
    struct version requested;
    if (runtime_config_is_before(config, 3, 1, &requested)) {
        report_message(
            "%s requests .NET Core %u.%u: the profiler needs 3.1 or later, so nothing will be "
            "shown; patch the files instead (ilpatch inspect), or set DOTNET_ROLL_FORWARD=Major",
            config->path, requested.part[0], requested.part[1]);
        return true;
    }
    if (config->no_hooks && preflight->inspector) {
        report_message(
            "%s switches start-up hooks off, by which the inspector gets in, so nothing will be "
            "shown; publish with StartupHookSupport=true, let the profiler show values itself (as "
            "it does where no other inspector is named), or patch the files: ilpatch inspect",
            config->path);
        return true;
    }
    return false;
}

/* PublishTrimmed removes mscorlib.dll, a facade that only older references need. A program that has
 * no System.Private.CoreLib.dll of its own is framework-dependent, and not trimmed. */
bool preflight_is_trimmed(const struct target *target)
{
    bool is_bundle = target->kind == TARGET_BUNDLE;
    if (!is_bundle && target->kind != TARGET_HOST) {
        return false;
    }
    char *place = is_bundle ? need(strdup(target->path)) : path_directory(target->path);
    char *core = path_join(place, "System.Private.CoreLib.dll"),
         *facade = path_join(place, "mscorlib.dll");
    bool trimmed = path_is_there(core) && !path_is_there(facade);
    if (trimmed) {
        report_message(
            "%s has no mscorlib.dll, which the stock inspector refers to (it was trimmed), so "
            "nothing will be shown; let the profiler show values itself (as it does where no other "
            "inspector is named), or publish with PublishTrimmed=false",
            target->path);
    }
    free(facade);
    free(core);
    free(place);
    return trimmed;
}

bool preflight_warn(const struct preflight *preflight, const struct target *target)
{
    if (report_rights(target) || report_kind(preflight, target) ||
        report_processor(preflight, target)) {
        return true;
    }
    return target->kind != TARGET_MONO &&
           (preflight_report_switch() || report_settings(preflight, target));
}

/* The library is loaded into this process as a test: the loader's message names what is missing. No
 * function of it is called. */
void preflight_explain(const struct preflight *preflight, const struct target *target)
{
    report_message("%s ended, but the profiler was not loaded into it, so nothing was shown",
                   preflight->program);
    struct ilpi_library_error error;
    if (!ilpi_library_open(preflight->profiler, &error)) {
        report_message("  It cannot be loaded: %s", error.text);
        return;
    }
    if (target->kind == TARGET_SCRIPT || target->kind == TARGET_NATIVE) {
        report_message(
            "  %s is a %s. Either it started no .NET program, or one without the variables that "
            "were set: sudo, env -i and "
            "containers drop them (ilpatch run --print-env). Or it ran in a PID namespace of its "
            "own: then its values are shown, but nothing of it is known here.",
            target->path, target->kind == TARGET_SCRIPT ? "script" : "native program");
    } else if (target->kind == TARGET_MONO) {
        report_message(
            "  Did it get as far as to start its runtime? Options such as --version start none.");
    } else {
        report_message(
            "  Did it get as far as to start its runtime? That has to be of .NET Core 3.1 or "
            "later.");
    }
}
