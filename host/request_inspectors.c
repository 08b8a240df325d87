/* Opens the inspectors of a request. See request_inspectors.h. */
#include "host/request_inspectors.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "host/native_address.h"
#include "host/path.h"
#include "host/request_rules.h"

/* `native` is NULL for an assembly. In a process a native function is looked up now, so that one
 * that is missing is reported before any method calls it. */
static enum exit_code open_inspector_file(struct request *request, const char *path,
                                          const struct ilp_native *native)
{
    struct inspector_file *inspector = &request->inspector_files[request->inspector_file_count];
    struct ilp_native bound;
    enum exit_code code = EXIT_DONE;
    if (native && request->unmanaged && native->call < ILP_NATIVE_CALLI) {
        bound = *native;
        code = native_address_find(&bound);
        native = &bound;
    }
    if (code == EXIT_DONE) {
        code = native ? inspector_file_open_native(inspector, native)
                      : inspector_file_open(inspector, path);
    }
    request->inspectors[request->inspector_file_count] =
        request->inspector_files[request->inspector_file_count].inspector;
    request->inspector_file_count += code == EXIT_DONE;
    return code;
}

static enum exit_code open_edition(struct request *request, enum edition edition)
{
    struct inspector_file *inspector = &request->inspector_files[request->inspector_file_count];
    enum exit_code code = inspector_file_open_stock(inspector, edition);
    request->inspectors[request->inspector_file_count] = inspector->inspector;
    request->inspector_file_count += code == EXIT_DONE;
    return code;
}

/* The profiler's own one, by its name. */
static enum exit_code open_unmanaged(struct request *request)
{
    if (request->stands_in) {
        return open_edition(request, EDITION_FULL);
    }
    if (!request->unmanaged) {
        report_message(
            "the inspector " UNMANAGED
            " is in the profiler, for ilpatch run: a file needs one that it can refer to");
        return EXIT_USAGE;
    }
    struct inspector_file *inspector = &request->inspector_files[request->inspector_file_count];
    enum exit_code code = open_inspector_file(request, NULL, request->unmanaged);
    inspector->unmanaged = true;
    return code;
}

static const char prefix[] = "native:";

/* Words and native: are not files. */
bool request_is_path(const char *inspector)
{
    return strcmp(inspector, UNMANAGED) != 0 && strcmp(inspector, FULL) != 0 &&
           strcmp(inspector, SMALL) != 0 && strncmp(inspector, prefix, sizeof prefix - 1) != 0;
}

/* The stock inspector. A process gets the full one by a start-up hook. */
static enum exit_code open_stock(struct request *request, const char *text)
{
    enum edition edition = text && strcmp(text, SMALL) == 0 ? EDITION_SMALL : EDITION_FULL;
    if (edition == EDITION_SMALL && (request->unmanaged || request->stands_in)) {
        report_message(
            "the inspector " SMALL
            " is for files that are patched: leave it out, or use --inspector " UNMANAGED);
        return EXIT_USAGE;
    }
    request->any_edition = !text && !request->stands_in;
    return open_edition(request, edition);
}

/* Whether the profiler can show everything that rules leave to the default inspector: they pass it
 * names and returned values, and native code needs no guard. */
static bool profiler_can_show(const struct request *request)
{
    uint32_t count = request->rules ? ilp_rules_count(request->rules) : 0;
    bool can = request->unmanaged != NULL;
    for (uint32_t i = 0; i < count && can; i++) {
        struct ilp_rule rule;
        ilp_rules_get(request->rules, i, &rule);
        const struct ilp_rule_action *action = &rule.action;
        can = rule.exclude || !rule.enabled || action->inspector != 0 ||
              (action->pass == ILP_PASS_NAME && !action->guard && action->on_throw == 0);
    }
    return can;
}

/* --inspector: a path, native:LIBRARY!SYMBOL, or a word. Without it a process has the profiler's
 * own inspector, and a file the stock one. */
static enum exit_code open_default(struct request *request, const char *text, const char *command)
{
    if (text ? strcmp(text, UNMANAGED) == 0 : profiler_can_show(request)) {
        return open_unmanaged(request);
    }
    if (!text || strcmp(text, FULL) == 0 || strcmp(text, SMALL) == 0) {
        return open_stock(request, text);
    }
    if (strncmp(text, prefix, sizeof prefix - 1) != 0) {
        return open_inspector_file(request, text, NULL);
    }
    text += sizeof prefix - 1;
    const char *mark = strrchr(text, '!');
    if (!mark || mark == text || mark[1] == '\0') {
        return usage_error(command, "--inspector native:%s has to be native:LIBRARY!FUNCTION",
                           text);
    }
    request->library = copy_part(text, (size_t)(mark - text));
    struct ilp_native native = {
        .call = ILP_NATIVE_PINVOKE, .library = request->library, .symbol = mark + 1};
    return native.library ? open_inspector_file(request, NULL, &native) : EXIT_CANNOT_WRITE;
}

/* The path of an inspector named by a rule: relative to the rule file, but pipes and standard input
 * have no folder. */
static enum exit_code open_named(struct request *request, const char *path, const char *rule_file)
{
    if (strcmp(path, UNMANAGED) == 0) {
        return open_unmanaged(request);
    }
    bool nowhere = rules_are_stream(rule_file) || strcmp(rule_file, "/dev/stdin") == 0;
    char *directory = nowhere ? copy_text(".") : path_directory(rule_file);
    char *resolved = path_is_absolute(path) ? copy_text(path) : path_join(directory, path);
    enum exit_code code = resolved ? open_inspector_file(request, resolved, NULL)
                                   : EXIT_CANNOT_WRITE;
    free(resolved);
    free(directory);
    return code;
}

/* Two files of one name cannot both be placed beside the output, and the runtime would load only
 * one. */
static enum exit_code check_names(const struct request *request)
{
    for (size_t i = 0; i < request->inspector_file_count; i++) {
        for (size_t j = 0; j < i; j++) {
            const struct inspector_file *one = &request->inspector_files[j];
            const struct inspector_file *other = &request->inspector_files[i];
            if (!one->native && !other->native &&
                strcasecmp(one->name.name, other->name.name) == 0 &&
                !ilpi_bytes_equal(one->bytes, other->bytes) &&
                request_calls_inspector(request, i) && request_calls_inspector(request, j)) {
                report_message("two inspectors that differ are both named %s: %s and %s",
                               one->name.name, ilp_image_name(one->assembly),
                               ilp_image_name(other->assembly));
                return EXIT_BAD_INPUT;
            }
        }
    }
    return EXIT_DONE;
}

/* Number 0 is the default, the others are those that rules name, in their order: a rule's action
 * has the number. */
enum exit_code request_open_inspectors(struct request *request, const char *default_inspector,
                                       const char *command)
{
    struct ilp_native native;
    const char *file;
    const char *path;
    uint32_t count = 0;
    while (request->rules && ilp_rules_inspector(request->rules, count, &file)) {
        count++;
    }
    request->inspector_files = new_items(count + 1, sizeof *request->inspector_files);
    request->inspectors = new_items(count + 1, sizeof *request->inspectors);
    if (!request->inspector_files || !request->inspectors) {
        return EXIT_CANNOT_WRITE;
    }
    enum exit_code code = open_default(request, default_inspector, command);
    for (uint32_t i = 0; i < count && code == EXIT_DONE; i++) {
        path = ilp_rules_inspector(request->rules, i, &file);
        code = ilp_rules_native(request->rules, i, &native)
                   ? open_inspector_file(request, NULL, &native)
                   : open_named(request, path, file);
    }
    return code == EXIT_DONE ? check_names(request) : code;
}
