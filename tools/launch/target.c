/* Analyses what a command line starts. See target.h.
 *
 *   dotnet App.dll       the host, and App.runtimeconfig.json
 *   dotnet COMMAND       the SDK, which starts other processes
 *   App                  by its bytes: an apphost, bundle, NativeAOT program, script or other
 *   App.dll              an assembly, which the system does not start
 *   mono App.exe         Mono, by the program's name
 *
 * It is only for warnings and hints, so what is not understood is TARGET_UNKNOWN, and never a
 * failure. */
#include "tools/launch/target.h"

#include <stdlib.h>
#include <string.h>

#include "host/bundle_file.h"
#include "host/file_io.h"
#include "host/path.h"
#include "tools/launch/elf.h"
#include "tools/launch/find_program.h"

/* ---- dotnet ---- */

/* Options of the host with a value. */
static const char *const valued[] = {"--additionalprobingpath",
                                     "--depsfile",
                                     "--runtimeconfig",
                                     "--fx-version",
                                     "--roll-forward",
                                     "--additional-deps",
                                     "--roll-forward-on-no-candidate-fx",
                                     "--shared-store"};

static bool has_value(const char *option)
{
    bool found = false;
    for (size_t i = 0; i < sizeof valued / sizeof valued[0]; i++) {
        found = found || strcmp(option, valued[i]) == 0;
    }
    return found;
}

/* App.dll has App.runtimeconfig.json, and an apphost without an extension the same. */
static void read_config(struct target *target, const char *assembly, const char *config)
{
    const char *dot = strrchr(path_name(assembly), '.');
    char *own = format_text("%.*s.runtimeconfig.json",
                            (int)(dot ? (size_t)(dot - assembly) : strlen(assembly)), assembly);
    runtime_config_read(&target->config, config ? config : own);
    free(own);
}

/* dotnet [exec] [OPTIONS] App.dll, or dotnet [OPTIONS] COMMAND. The word after the options is an
 * assembly if it is a file, as the host (muxer) decides it; `exec` takes an assembly only. */
static void read_dotnet_line(struct target *target, char *const *arguments)
{
    const char *config = NULL;
    size_t at = 1;
    bool exec = arguments[at] && strcmp(arguments[at], "exec") == 0;
    target->kind = TARGET_DOTNET;
    for (at += exec; arguments[at] && arguments[at][0] == '-'; at++) {
        if (has_value(arguments[at]) && arguments[at + 1]) {
            config = strcmp(arguments[at], "--runtimeconfig") == 0 ? arguments[at + 1] : config;
            at++;
        }
    }
    if (!arguments[at]) {
        return;
    }
    if (exec || file_exists(arguments[at])) {
        read_config(target, arguments[at], config);
    } else {
        target->kind = TARGET_DOTNET_SDK;
        target->command = arguments[at];
    }
}

/* ---- by the program's file ---- */

static bool is_mono(const char *name)
{
    return strcmp(name, "mono") == 0 || strncmp(name, "mono-", 5) == 0;
}

static enum target_kind kind_of(const char *path, enum ilp_file_kind kind)
{
    switch (kind) {
    case ILP_FILE_APPHOST: return TARGET_HOST;
    case ILP_FILE_BUNDLE: return TARGET_BUNDLE;
    case ILP_FILE_NATIVE_AOT: return TARGET_NATIVE_AOT;
    case ILP_FILE_PE: return TARGET_ASSEMBLY;
    case ILP_FILE_SCRIPT: return TARGET_SCRIPT;
    case ILP_FILE_ELF: return is_mono(path_name(path)) ? TARGET_MONO : TARGET_NATIVE;
    default: return TARGET_UNKNOWN;
    }
}

void target_open(struct target *target, char *const *program)
{
    enum ilp_file_kind kind = ILP_FILE_UNKNOWN;
    *target = (struct target){.path = find_program(program[0])};
    if (!target->path) {
        return;
    }
    elf_kind(target->path, &target->elf_class, &target->elf_machine);
    char *assembly = started_assembly(target->path, &kind);
    target->kind = kind_of(target->path, kind);
    if (strcmp(path_name(target->path), "dotnet") == 0 && target->elf_class != 0) {
        read_dotnet_line(target, program);
    } else if (assembly) {
        read_config(target, assembly, NULL);
    }
    free(assembly);
}

bool names_assembly(const char *word)
{
    return word[0] != '-' && (ends_with(word, ".dll") || ends_with(word, ".exe"));
}

/* For messages: the file that one would patch. */
const char *started_file(char *const *arguments)
{
    bool by_host = arguments && strcmp(path_name(arguments[0]), "dotnet") == 0;
    for (size_t i = 0; arguments && arguments[i]; i++) {
        if (names_assembly(arguments[i])) {
            return arguments[i];
        }
    }
    return arguments && !by_host ? arguments[0] : "App.dll";
}

void target_close(struct target *target)
{
    runtime_config_free(&target->config);
    free(target->path);
}
