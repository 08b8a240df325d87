/* Options, rule files and inspectors of a command line. Options that say which methods become rules themselves, so that
 * there is one way to decide:
 *
 *   --affected-by, --where   in front: exclude what is not meant
 *   --rules                  in the order given
 *   --inspect-returns        behind: include the rest
 */
#include "request.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "native_address.h"
#include "text_out.h"

/* ---- options ---- */

void request_options_begin(struct request_options *options, int argc)
{
    *options = (struct request_options){0};
    options->rules = need(calloc((size_t)argc, sizeof *options->rules));
    options->wheres = need(calloc((size_t)argc, sizeof *options->wheres));
    options->reference_paths = need(calloc((size_t)argc, sizeof *options->reference_paths));
}

void request_options_end(struct request_options *options)
{
    free(options->rules);
    free(options->wheres);
    free(options->reference_paths);
}

bool request_option(struct request_options *options, int option, const char *value)
{
    switch (option) {
    case OPTION_RULES:
        options->rules[options->rule_count++] = value;
        return true;
    case OPTION_WHERE:
        options->wheres[options->where_count++] = value;
        return true;
    case OPTION_AFFECTED_BY:
        options->affected_by = value;
        return true;
    case OPTION_TARGET:
        options->target = value;
        return true;
    case OPTION_INSPECTOR:
        options->inspector = value;
        return true;
    case OPTION_REFERENCE_PATH:
        options->reference_paths[options->reference_count++] = value;
        return true;
    default:
        return false;
    }
}

/* ---- words that are not in rule files ---- */

struct word {
    const char *list;
    const char *word;
};

static const struct word words[] = {
#define WORDS(list)
#define WORD(list, name, word, text) {#list, word},
#define ENDW(list)
#define ELEMENT(name, word, place, text)
#define ATTRIBUTE(element, name, word, type, list, text)
#include "ilpatch/rules.def"
#undef WORDS
#undef WORD
#undef ENDW
#undef ELEMENT
#undef ATTRIBUTE
};

/* The position of a word in its list; complains with the whole list when it is not there. */
static enum exit_code find_word(const char *command, const char *option, const char *list,
                                const char *word, unsigned *position)
{
    char *known = need(strdup(""));
    *position = 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].list, list) != 0) {
            continue;
        }
        if (strcmp(words[i].word, word) == 0) {
            free(known);
            return EXIT_DONE;
        }
        char *longer = format_text("%s%s%s", known, known[0] != '\0' ? ", " : "", words[i].word);
        free(known);
        known = longer;
        ++*position;
    }
    usage_error(command, "%s knows no '%s', but: %s", option, word, known);
    free(known);
    return EXIT_USAGE;
}

/* ---- rules ---- */

static enum exit_code tell_rules(const char *file, const struct ilp_error *error,
                                 uint32_t lines_before)
{
    if (error->line > lines_before) {
        tell("%s:%u:%u: %s", file, error->line - lines_before, error->column, error->message);
    } else {
        tell("%s: %s", file, error->message);
    }
    return exit_code_of(error);
}

/* Whether a path leads to neither a file nor a folder: `--rules <(...)` and /dev/stdin are pipes. */
static bool is_stream(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/* More than the library takes of a rule file: it is the one that refuses. */
#define MAX_STREAM ((size_t)65 << 20)

/* A stream to its end. Owned by the caller; NULL with errno set when it cannot be read. */
static char *read_stream(const char *path, size_t *size)
{
    FILE *file = fopen(path, "re");
    char *bytes = NULL;
    size_t room = 0;
    if (!file) {
        return NULL;
    }
    *size = 0;
    do {
        if (*size == room) {
            room = room != 0 ? room * 2 : 65536;
            bytes = need(realloc(bytes, room));
        }
        *size += fread(bytes + *size, 1, room - *size, file);
    } while (*size == room && *size < MAX_STREAM);
    int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error != 0) {
        free(bytes);
        bytes = NULL;
        errno = error;
    }
    return bytes;
}

enum exit_code rules_read(struct ilp_rules *rules, const char *path)
{
    struct file_view view = {.bytes = {NULL, 0}};
    struct ilp_error error;
    char *stream = NULL;
    bool readable;
    if (is_stream(path)) {
        stream = read_stream(path, &view.bytes.size);
        view.bytes.data = (const uint8_t *)stream;
        readable = stream != NULL;
    } else {
        readable = file_view_open(&view, path);
    }
    if (!readable) {
        tell("%s: cannot read: %s", path, strerror(errno));
        return EXIT_USAGE;
    }
    ilp_status status = ilp_rules_add(rules, view.bytes, path, &error);
    file_view_close(&view);
    free(stream);
    return status == ILP_OK ? EXIT_DONE : tell_rules(path, &error, 0);
}

/* A rule that an option stands for. Conditions that the user wrote begin in the second line. */
static enum exit_code add_rule(struct ilp_rules *rules, const char *option, const char *before,
                               const char *conditions, const char *after)
{
    struct ilp_error error;
    char *xml = format_text("<rules>%s\n%s\n%s</rules>", before, conditions, after);
    struct ilp_bytes bytes = {(const uint8_t *)xml, strlen(xml)};
    ilp_status status = ilp_rules_add(rules, bytes, option, &error);
    free(xml);
    return status == ILP_OK ? EXIT_DONE : tell_rules(option, &error, 1);
}

/* Conditions have to be whole by themselves. A text that closes the element around it and goes on would say something
 * else than it seems to; it cannot do so in two elements of different names, and the rule has the other one. */
static enum exit_code check_conditions(const char *option, const char *conditions)
{
    struct ilp_rules *alone;
    struct ilp_rule rule = {.line = 0};
    need(ilp_rules_open(&alone, NULL, NULL) == ILP_OK ? alone : NULL);
    enum exit_code code = add_rule(alone, option, "<exclude>", conditions, "</exclude>");
    uint32_t count = ilp_rules_count(alone);
    if (count != 0) {
        ilp_rules_get(alone, 0, &rule);
    }
    if (code == EXIT_DONE && (count != 1 || !rule.conditional)) {
        code = usage_error(NULL, "%s takes conditions alone, as in '<return kind=\"struct\"/>'",
                           option);
    }
    ilp_rules_close(alone);
    return code;
}

/* Excludes what does not meet the conditions. */
static enum exit_code add_filter(struct request *request, const char *option,
                                 const char *conditions)
{
    enum exit_code code = check_conditions(option, conditions);
    if (code == EXIT_DONE) {
        code = add_rule(request->rules, option, "<exclude><not>", conditions, "</not></exclude>");
    }
    request->filters += code == EXIT_DONE;
    return code;
}

static enum exit_code read_rules(struct request *request, const struct request_options *options,
                                 bool every, const char *command)
{
    struct ilp_error error;
    enum exit_code code = EXIT_DONE;
    if (options->rule_count == 0 && options->where_count == 0 && !options->affected_by) {
        return EXIT_DONE;
    }
    need(ilp_rules_open(&request->rules, NULL, &error) == ILP_OK ? request->rules : NULL);
    if (options->affected_by) {
        unsigned bug;
        code = find_word(command, "--affected-by", "BUG", options->affected_by, &bug);
        if (code == EXIT_DONE) {
            char *condition = format_text("<affected-by bug=\"%s\"/>", options->affected_by);
            code = add_filter(request, "--affected-by", condition);
            free(condition);
        }
    }
    for (size_t i = 0; i < options->where_count && code == EXIT_DONE; i++) {
        code = add_filter(request, "--where", options->wheres[i]);
    }
    for (size_t i = 0; i < options->rule_count && code == EXIT_DONE; i++) {
        code = rules_read(request->rules, options->rules[i]);
    }
    request->every = every || options->rule_count == 0;
    if (code == EXIT_DONE && request->every) {
        code = add_rule(request->rules, "--inspect-returns", "<include/>", "", "");
    }
    return code;
}

/* ---- inspectors ---- */

/* `native` is NULL for an assembly. */
static enum exit_code open_companion(struct request *request, const char *path,
                                     const struct ilp_native *native)
{
    struct companion *companion = &request->companions[request->companion_count];
    struct ilp_native bound;
    enum exit_code code = EXIT_DONE;
    if (native && request->unmanaged && native->call < ILP_NATIVE_CALLI) {
        bound = *native;
        code = native_address_find(&bound);
        native = &bound;
    }
    if (code == EXIT_DONE) {
        code = native ? companion_open_native(companion, native) : companion_open(companion, path);
    }
    request->inspectors[request->companion_count] =
        request->companions[request->companion_count].inspector;
    request->companion_count += code == EXIT_DONE;
    return code;
}

/* The profiler's own one, by its name. */
static enum exit_code open_unmanaged(struct request *request)
{
    if (!request->unmanaged) {
        tell("the inspector " UNMANAGED " is in the profiler, for ilpatch run: a file needs one that it can refer to");
        return EXIT_USAGE;
    }
    struct companion *companion = &request->companions[request->companion_count];
    enum exit_code code = open_companion(request, NULL, request->unmanaged);
    companion->unmanaged = true;
    return code;
}

static const char prefix[] = "native:";

bool request_is_path(const char *inspector)
{
    return strcmp(inspector, UNMANAGED) != 0 && strncmp(inspector, prefix, sizeof prefix - 1) != 0;
}

/* --inspector: a path, native:LIBRARY!SYMBOL, or the word. */
static enum exit_code open_default(struct request *request, const char *text, const char *command)
{
    if (text && strcmp(text, UNMANAGED) == 0) {
        return open_unmanaged(request);
    }
    if (!text || strncmp(text, prefix, sizeof prefix - 1) != 0) {
        return open_companion(request, text, NULL);
    }
    text += sizeof prefix - 1;
    const char *mark = strrchr(text, '!');
    if (!mark || mark == text || mark[1] == '\0') {
        return usage_error(command, "--inspector native:%s has to be native:LIBRARY!FUNCTION", text);
    }
    request->library = need(strndup(text, (size_t)(mark - text)));
    struct ilp_native native = {
        .call = ILP_NATIVE_PINVOKE, .library = request->library, .symbol = mark + 1};
    return open_companion(request, NULL, &native);
}

/* Where an inspector is that a rule names: beside the rule file, but a pipe and standard input stand nowhere. */
static enum exit_code open_named(struct request *request, const char *path, const char *rule_file)
{
    if (strcmp(path, UNMANAGED) == 0) {
        return open_unmanaged(request);
    }
    bool nowhere = is_stream(rule_file) || strcmp(rule_file, "/dev/stdin") == 0;
    char *directory = nowhere ? need(strdup(".")) : path_directory(rule_file);
    char *resolved = path[0] == '/' ? need(strdup(path)) : path_join(directory, path);
    enum exit_code code = open_companion(request, resolved, NULL);
    free(resolved);
    free(directory);
    return code;
}

/* Whether a rule calls the inspector; without rules it is the default one. */
static bool is_called(const struct request *request, size_t number)
{
    if (!request->rules) {
        return number == 0;
    }
    for (uint32_t i = 0; i < ilp_rules_count(request->rules); i++) {
        struct ilp_rule rule;
        ilp_rules_get(request->rules, i, &rule);
        if (rule.enabled && !rule.exclude && rule.treatment.inspector == number) {
            return true;
        }
    }
    return false;
}

/* Two files of one name cannot both be placed beside the output, and the runtime would load one of them. */
static enum exit_code check_names(const struct request *request)
{
    for (size_t i = 0; i < request->companion_count; i++) {
        for (size_t j = 0; j < i; j++) {
            const struct companion *one = &request->companions[j];
            const struct companion *other = &request->companions[i];
            if (!one->native && !other->native && strcasecmp(one->name.name, other->name.name) == 0 &&
                !bytes_equal(one->bytes, other->bytes) && is_called(request, i) &&
                is_called(request, j)) {
                tell("two inspectors that differ are both named %s: %s and %s",
                           one->name.name, ilp_image_name(one->assembly),
                           ilp_image_name(other->assembly));
                return EXIT_BAD_INPUT;
            }
        }
    }
    return EXIT_DONE;
}

static enum exit_code open_companions(struct request *request, const char *default_inspector,
                                      const char *command)
{
    struct ilp_native native;
    const char *file;
    const char *path;
    uint32_t count = 0;
    while (request->rules && ilp_rules_inspector(request->rules, count, &file)) {
        count++;
    }
    request->companions = need(calloc(count + 1, sizeof *request->companions));
    request->inspectors = need(calloc(count + 1, sizeof *request->inspectors));
    enum exit_code code = open_default(request, default_inspector, command);
    for (uint32_t i = 0; i < count && code == EXIT_DONE; i++) {
        path = ilp_rules_inspector(request->rules, i, &file);
        code = ilp_rules_native(request->rules, i, &native) ? open_companion(request, NULL, &native)
                                                            : open_named(request, path, file);
    }
    return code == EXIT_DONE ? check_names(request) : code;
}

/* ---- all ---- */

enum exit_code request_open(struct request *request, const struct request_options *options,
                            bool every, const char *command)
{
    *request = (struct request){.target = ILP_TARGET_AUTO, .unmanaged = options->unmanaged};
    enum exit_code code = EXIT_DONE;
    if (options->target) {
        code = find_word(command, "--target", "TARGET", options->target, &request->target);
    }
    if (code == EXIT_DONE) {
        code = read_rules(request, options, every, command);
    }
    if (code == EXIT_DONE) {
        code = open_companions(request, options->inspector, command);
    }
    if (code != EXIT_DONE) {
        request_close(request);
        return code;
    }
    request->references = references_open(options->reference_paths, options->reference_count);
    return EXIT_DONE;
}

void request_close(struct request *request)
{
    if (request->references) {
        references_close(request->references);
    }
    for (size_t i = 0; i < request->companion_count; i++) {
        companion_close(&request->companions[i]);
    }
    free(request->companions);
    free(request->inspectors);
    free(request->library);
    ilp_rules_close(request->rules);
    *request = (struct request){.target = ILP_TARGET_AUTO};
}

struct ilp_request request_for_library(const struct request *request,
                                       const struct ilp_resolver *resolver)
{
    return (struct ilp_request){.inspectors = request->inspectors,
                                .inspector_count = request->companion_count,
                                .rules = request->rules,
                                .resolver = resolver,
                                .target = request->target,
                                .embed = request->embed};
}

bool request_is_option(const struct request *request, uint32_t number)
{
    return number < request->filters ||
           (request->every && number + 1 == ilp_rules_count(request->rules));
}

/* More of a rule's name than this is not for a message. */
#define MAX_NAME_SHOWN 100u

char *request_rule_place(const struct request *request, uint32_t number)
{
    struct ilp_rule rule;
    ilp_rules_get(request->rules, number, &rule);
    if (request_is_option(request, number)) {
        return need(strdup(rule.file));
    }
    if (rule.name[0] == '\0') {
        return format_text("%s:%u", rule.file, rule.line);
    }
    size_t size = strlen(rule.name);
    bool cut = size > MAX_NAME_SHOWN;
    size = cut ? MAX_NAME_SHOWN : size;
    while (cut && (rule.name[size] & 0xC0) == 0x80) { /* not within a character */
        size--;
    }
    return format_text("%s:%u: rule '%.*s%s'", rule.file, rule.line, (int)size, rule.name,
                       cut ? "..." : "");
}

static bool is_native(const struct companion *companion)
{
    return companion->native && !companion->unmanaged; /* which knows what its ids mean */
}

bool request_calls(const struct request *request, bool native)
{
    bool calls = false;
    for (size_t i = 0; i < request->companion_count; i++) {
        calls = calls || request->companions[i].native == native;
    }
    return calls;
}

char *request_passes_ids(const struct request *request)
{
    for (uint32_t i = 0; request->rules && i < ilp_rules_count(request->rules); i++) {
        struct ilp_rule rule;
        ilp_rules_get(request->rules, i, &rule);
        if (rule.enabled && !rule.exclude &&
            (rule.treatment.pass == ILP_PASS_ID || is_native(&request->companions[rule.treatment.inspector]))) {
            return request_rule_place(request, i);
        }
    }
    return !request->rules && is_native(&request->companions[0]) ? need(strdup("--inspector")) : NULL;
}
