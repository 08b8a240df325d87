/* Reads .runtimeconfig.json. Roll-forward settings are in three places, of which later ones
 * override earlier ones: runtimeOptions, the framework's entry, the environment.
 *
 *   { "runtimeOptions": {
 *       "tfm", "rollForward" ...           for all frameworks
 *       "framework": {"name", "version"}, or "frameworks": [ ... ]
 *       "additionalProbingPaths": ...      folders of packages
 *       "configProperties": {"System.StartupHookProvider.IsSupported": false} } }
 */
#include "host/resolve/runtime_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/path.h"
#include "host/resolve/json_file.h"

struct policy {
    const char *word;
    enum roll_range range;
    bool highest;
    bool patches;
};

/* The words of rollForward, with what they mean for the range and within it. */
static const struct policy policies[] = {
#define POLICY(name, word, range, highest, patches) {word, ROLL_##range, highest, patches},
#include "host/resolve/roll_forward.def"
#undef POLICY
};

enum {
#define POLICY(name, word, range, highest, patches) POLICY_##name,
#include "host/resolve/roll_forward.def"
#undef POLICY
    POLICY_COUNT
};

static void set_policy(struct framework_request *request, const struct policy *policy)
{
    request->range = policy->range;
    request->highest = policy->highest;
    request->patches = policy->patches;
}

/* As the host, it takes the words in any case. A wrong word makes the file wrong. */
static void set_word(struct runtime_config *config, struct framework_request *request,
                     const char *word)
{
    for (size_t i = 0; word && i < POLICY_COUNT; i++) {
        if (strcasecmp(policies[i].word, word) == 0) {
            set_policy(request, &policies[i]);
            return;
        }
    }
    if (word) {
        config->wrong = "no such policy of rolling forward";
    }
}

/* .NET Core 2's setting: 0, 1 and 2 for patch, minor and major. The number says nothing about
 * patches, so their setting stays. */
static void set_number(struct runtime_config *config, struct framework_request *request,
                       long long number)
{
    static const unsigned char meaning[] = {POLICY_LATEST_PATCH, POLICY_MINOR, POLICY_MAJOR};
    if (number < 0 || number >= (long long)sizeof meaning) {
        config->wrong = "rollForwardOnNoCandidateFx is 0, 1 or 2";
        return;
    }
    bool patches = request->patches;
    set_policy(request, &policies[meaning[number]]);
    request->patches = patches;
}

/* The roll-forward settings of a JSON object: runtimeOptions, or one framework's entry. */
static void set_from_json(struct runtime_config *config, struct framework_request *request,
                          const json_t *json)
{
    const json_t *number = json_object_get(json, "rollForwardOnNoCandidateFx");
    const json_t *patches = json_object_get(json, "applyPatches");
    const json_t *word = json_object_get(json, "rollForward");
    if (word && (number || patches)) {
        config->wrong = "rollForward excludes rollForwardOnNoCandidateFx and applyPatches";
    }
    if (json_is_boolean(patches)) {
        request->patches = json_is_true(patches);
    }
    if (json_is_integer(number)) {
        set_number(config, request, json_integer_value(number));
    }
    set_word(config, request, json_string_value(word));
}

/* DOTNET_ROLL_FORWARD comes last, and wins over the older number. */
static void set_from_environment(struct runtime_config *config, struct framework_request *request)
{
    const char *number = getenv("DOTNET_ROLL_FORWARD_ON_NO_CANDIDATE_FX");
    const char *word = getenv("DOTNET_ROLL_FORWARD");
    if (number && number[0] != '\0') {
        set_number(config, request, atoll(number));
    }
    if (word && word[0] != '\0') {
        set_word(config, request, word);
    }
}

static bool environment_is_1(const char *name)
{
    const char *value = getenv(name);
    return value && strcmp(value, "1") == 0;
}

/* An entry has its own policy, else the file's. The environment overrides both. `wrong` makes the
 * whole file unusable, as for the host, but the remaining entries are still read: for messages. */
static void add_framework(struct runtime_config *config, const struct framework_request *defaults,
                          const json_t *json)
{
    const char *name = json_text(json, "name");
    const char *version = json_text(json, "version");
    struct framework_request request = *defaults;
    if (!name || !is_plain_name(name) || !version || !version_parse(&request.version, version)) {
        config->wrong = "a framework needs a name and a version";
        return;
    }
    if (config->framework_count == MAX_FRAMEWORKS) {
        config->wrong = "too many frameworks";
        return;
    }
    set_from_json(config, &request, json);
    set_from_environment(config, &request);
    request.releases = !version_is_preview(&request.version) &&
                       !environment_is_1("DOTNET_ROLL_FORWARD_TO_PRERELEASE");
    request.name = copy_text(name);
    struct framework_request *frameworks =
        request.name
            ? grow_items(config->frameworks, config->framework_count + 1, sizeof *frameworks)
            : NULL;
    if (!frameworks) {
        config->wrong = "out of memory";
        free(request.name);
        return;
    }
    config->frameworks = frameworks;
    config->frameworks[config->framework_count++] = request;
}

/* One path, or several. Parts in bars are placeholders. */
static void add_probing(struct runtime_config *config, const json_t *options)
{
    const json_t *paths = json_object_get(options, "additionalProbingPaths");
    if (json_is_string(paths)) {
        path_list_add(&config->probing, copy_text(json_string_value(paths)));
    }
    for (size_t i = 0; i < json_array_size(paths) && i < 64; i++) {
        const char *path = json_string_value(json_array_get(paths, i));
        if (path) {
            path_list_add(&config->probing, copy_text(path));
        }
    }
}

/* A switch of AppContext is off if it is false, or the word. */
static bool is_off(const json_t *options, const char *name)
{
    const json_t *value = json_object_get(json_object_get(options, "configProperties"), name);
    return json_is_false(value) ||
           (json_is_string(value) && strcasecmp(json_string_value(value), "false") == 0);
}

/* Old programs have one "framework", those that use ASP.NET Core or Windows Desktop "frameworks". A
 * self-contained program has neither: its frameworks are its own files. */
static void read_options(struct runtime_config *config, const json_t *options)
{
    struct framework_request defaults = {.name = NULL};
    const json_t *several = json_object_get(options, "frameworks");
    const json_t *one = json_object_get(options, "framework");
    const char *tfm = json_text(options, "tfm");
    set_policy(&defaults, &policies[POLICY_MINOR]);
    set_from_json(config, &defaults, options);
    config->tfm = copy_text(tfm && is_plain_name(tfm) ? tfm : "");
    config->no_hooks = is_off(options, "System.StartupHookProvider.IsSupported");
    add_probing(config, options);
    if (one) {
        add_framework(config, &defaults, one);
    }
    for (size_t i = 0; i < json_array_size(several); i++) {
        add_framework(config, &defaults, json_array_get(several, i));
    }
}

/* "App.runtimeconfig.json" has an "App.runtimeconfig.dev.json" beside it, written by a few versions
 * of the SDK. */
static void read_dev(struct runtime_config *config)
{
    size_t stem = strlen(config->path) - strlen("json");
    char *path = format_text("%.*sdev.json", (int)stem, config->path);
    /* the host, too, continues without it */
    json_t *json = path ? json_file_read(path, NULL) : NULL;
    add_probing(config, json_object_get(json, "runtimeOptions"));
    json_decref(json);
    free(path);
}

/* False: there is no such file. A file that is not JSON is there, with `wrong`: the host would not
 * start the program. */
bool runtime_config_read(struct runtime_config *config, const char *path)
{
    *config = (struct runtime_config){.path = NULL};
    json_t *json = path && ends_with(path, ".json") ? json_file_read(path, &config->error) : NULL;
    if (!json && !config->error) {
        return false;
    }
    config->path = copy_text(path);
    if (!config->path) {
        json_decref(json);
        runtime_config_free(config);
        return false;
    }
    config->wrong = config->error;
    read_options(config, json_object_get(json, "runtimeOptions"));
    json_decref(json);
    read_dev(config);
    return true;
}

static bool is_before(const struct version *version, unsigned major, unsigned minor)
{
    return version->part[0] < major || (version->part[0] == major && version->part[1] < minor);
}

/* net6.0, netcoreapp3.1 */
static bool read_tfm(struct version *version, const char *tfm)
{
    return tfm && (sscanf(tfm, "netcoreapp%u.%u", &version->part[0], &version->part[1]) == 2 ||
                   sscanf(tfm, "net%u.%u", &version->part[0], &version->part[1]) == 2);
}

/* A framework that may roll to another major version may get a newer one, so it does not count.
 * Without frameworks (a self-contained program) the target framework says the version. */
bool runtime_config_is_before(const struct runtime_config *config, unsigned major, unsigned minor,
                              struct version *version)
{
    static const char *const own[] = {"Microsoft.NETCore.App", "Microsoft.AspNetCore.App",
                                      "Microsoft.WindowsDesktop.App"};
    for (size_t i = 0; i < config->framework_count; i++) {
        const struct framework_request *framework = &config->frameworks[i];
        for (size_t j = 0; j < sizeof own / sizeof own[0]; j++) {
            if (strcmp(framework->name, own[j]) == 0 && framework->range != ROLL_MAJOR &&
                is_before(&framework->version, major, minor)) {
                *version = framework->version;
                return true;
            }
        }
    }
    *version = (struct version){.part = {0}};
    return config->framework_count == 0 && read_tfm(version, config->tfm) &&
           is_before(version, major, minor);
}

void runtime_config_free(struct runtime_config *config)
{
    for (size_t i = 0; i < config->framework_count; i++) {
        free(config->frameworks[i].name);
    }
    free(config->frameworks);
    free(config->path);
    free(config->error);
    free(config->tfm);
    path_list_free(&config->probing);
    *config = (struct runtime_config){.path = NULL};
}
