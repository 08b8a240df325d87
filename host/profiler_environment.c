/* Environment variables that load the profiler. See profiler_environment.h.
 *
 * The runtime reads CORECLR_*; DOTNET_ENABLE_PROFILING and the like do not exist, although other
 * variables have that prefix. Start-up hooks run before Main; the inspector is one, so it is loaded
 * before application code needs it. A path for one processor architecture has precedence over the
 * common one, so it is replaced as well if it is set. */
#include "host/profiler_environment.h"

#include <stdlib.h>
#include <string.h>

#include "host/memory.h"
#include "host/path.h"

#define ENV_HOOKS  "DOTNET_STARTUP_HOOKS"
#define ENV_ENABLE "CORECLR_ENABLE_PROFILING"

/* Mono puts these options before those of its command line, and searches the system's library paths
 * for the profiler. */
#define ENV_MONO_OPTIONS "MONO_ENV_OPTIONS"
#define ENV_LIBRARIES    "LD_LIBRARY_PATH"
#define MONO_OPTION      "--profile=" MONO_PROFILER

char *path_of_process(const char *path, long process)
{
    struct text_file text;
    const char *mark;
    if (!strstr(path, "%p")) {
        return copy_text(path);
    }
    if (text_open(&text)) {
        for (; (mark = strstr(path, "%p")) != NULL; path = mark + 2) {
            fprintf(text.out, "%.*s%ld", (int)(mark - path), path, process);
        }
        fputs(path, text.out);
    }
    return text_close(&text);
}

bool variable_is_on(const char *name)
{
    const char *value = getenv(name);
    return value && strcmp(value, "1") == 0;
}

const char *variable_output(void)
{
    const char *output = getenv(ENV_RUN_OUTPUT);
    return output && output[0] != '\0' ? output : getenv(ENV_OUTPUT);
}

/* MAX_VARIABLES is more than all callers add together. */
void variables_add(struct variables *variables, const char *name, char *owned_value)
{
    variables->items[variables->count++] = (struct variable){name, owned_value};
}

void variables_free(struct variables *variables)
{
    for (size_t i = 0; i < variables->count; i++) {
        free(variables->items[i].value);
    }
    variables->count = 0;
}

/* In this process, for programs that it starts. */
void variables_set(struct variables *variables)
{
    for (size_t i = 0; i < variables->count; i++) {
        const struct variable *variable = &variables->items[i];
        int failed = variable->value ? setenv(variable->name, variable->value, 1)
                                     : unsetenv(variable->name);
        if (failed != 0) {
            memory_failed();
        }
    }
    variables_free(variables);
}

/* Prepends to the variable's value. */
static void add_first(struct variables *variables, const char *name, const char *text,
                      char separator)
{
    const char *others = getenv(name);
    bool has_others = others && others[0] != '\0';
    variables_add(variables, name,
                  has_others ? format_text("%s%c%s", text, separator, others) : copy_text(text));
}

/* The variables for one architecture override the general one in the runtime, so those that are set
 * are replaced. Others are not added. */
void variables_add_runtime(struct variables *variables, const char *profiler, const char *inspector)
{
    static const char *const paths[] = {"CORECLR_PROFILER_PATH_64", "CORECLR_PROFILER_PATH_32",
                                        "CORECLR_PROFILER_PATH_ARM64",
                                        "CORECLR_PROFILER_PATH_ARM32"};
    variables_add(variables, ENV_ENABLE, copy_text("1"));
    variables_add(variables, "CORECLR_PROFILER", copy_text(PROFILER_CLASS));
    variables_add(variables, "CORECLR_PROFILER_PATH", copy_text(profiler));
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (getenv(paths[i])) {
            variables_add(variables, paths[i], copy_text(profiler));
        }
    }
    if (inspector) {
        add_first(variables, ENV_HOOKS, inspector, path_list_separators[0]);
    }
}

/* The length of our hook, if it is the first one. By its file name: the path may be any, since the
 * file may have been copied for a container. */
static size_t own_hook(const char *hooks)
{
    static const char ours[] = "/" INSPECTOR_FILE;
    const char separator[] = {path_list_separators[0], '\0'};
    size_t first = hooks ? strcspn(hooks, separator) : 0;
    bool found = first >= sizeof ours - 1 &&
                 memcmp(hooks + first - (sizeof ours - 1), ours, sizeof ours - 1) == 0;
    return found ? first : 0;
}

/* The hooks without ours; NULL: none. */
static char *other_hooks(const char *hooks)
{
    size_t own = own_hook(hooks);
    if (own == 0) {
        return copy_text(hooks);
    }
    return copy_text(hooks[own] == path_list_separators[0] ? hooks + own + 1 : NULL);
}

void variables_leave_out_hook(struct variables *variables)
{
    for (size_t i = 0; i < variables->count; i++) {
        struct variable *variable = &variables->items[i];
        if (strcmp(variable->name, ENV_HOOKS) == 0) {
            char *others = other_hooks(variable->value);
            free(variable->value);
            variable->value = others ? others : copy_text("");
        }
    }
}

/* The runtime has read them by then, so removing them affects children alone. */
void variables_add_hidden(struct variables *variables)
{
    if (!variable_is_on(ENV_CHILDREN)) {
        variables_add(variables, ENV_ENABLE, NULL);
        unsigned failures = memory_failures();
        char *others = other_hooks(getenv(ENV_HOOKS));
        if (memory_failures() == failures) {
            /* else ours stays, which does nothing without the profiler */
            variables_add(variables, ENV_HOOKS, others);
        }
    }
}

/* ---- Mono ---- */

void variables_add_mono(struct variables *variables, const char *profiler)
{
    char *folder = path_directory(profiler);
    add_first(variables, ENV_MONO_OPTIONS, MONO_OPTION, ' ');
    add_first(variables, ENV_LIBRARIES, folder, ':');
    free(folder);
}

/* Removes what was added; others may have changed the value meanwhile. */
static void hide_first(struct variables *variables, const char *name, const char *text,
                       char separator)
{
    const char *all = getenv(name);
    size_t length = text ? strlen(text) : 0;
    if (!all || length == 0 || strncmp(all, text, length) != 0) {
        return;
    }
    if (all[length] == '\0') {
        variables_add(variables, name, NULL);
        return;
    }
    char *others = all[length] == separator ? copy_text(all + length + 1) : NULL;
    if (others) {
        variables_add(variables, name, others);
    }
}

void variables_add_hidden_mono(struct variables *variables, const char *profiler)
{
    if (!variable_is_on(ENV_CHILDREN)) {
        char *folder = path_directory(profiler);
        hide_first(variables, ENV_MONO_OPTIONS, MONO_OPTION, ' ');
        hide_first(variables, ENV_LIBRARIES, folder, ':');
        free(folder);
    }
}
