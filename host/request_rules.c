/* Reads rule files, and turns options that select methods into rules, so that there is one decision
 * procedure.
 *
 *   --affected-by, --where   first: exclude what is not selected
 *   --rules                  in the order given
 *   --inspect-returns        last: include the rest */
#include "host/request_rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "host/standard_streams.h"
#include "rules/parsed.h"

/* ---- rules ---- */

/* `lines_before` are lines that this file has put before the user's text. */
static enum exit_code report_rules_error(const char *file, const struct ilp_error *error,
                                         uint32_t lines_before)
{
    if (error->line > lines_before) {
        report_message("%s:%u:%u: %s", file, error->line - lines_before, error->column,
                       error->message);
    } else {
        report_message("%s: %s", file, error->message);
    }
    return exit_code_of(error);
}

bool rules_are_stream(const char *path)
{
    struct stat info;
    return is_standard(path) ||
           (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

enum exit_code rules_check_input(const struct request_options *options, const char *command,
                                 int count, char *const *files)
{
    enum exit_code code = EXIT_DONE;
    for (size_t i = 0; i < options->rules.count && code == EXIT_DONE; i++) {
        code = standard_input_check(command, "--rules", options->rules.items[i], count, files);
    }
    return code;
}

/* More than the library's limit of a rule file: the library refuses it. */
#define MAX_STREAM ((size_t)65 << 20)

/* Reads a stream to its end. Owned by the caller; NULL with errno set. */
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
            char *more = grow_items(bytes, room, 1);
            if (!more) {
                free(bytes);
                fclose(file);
                errno = ENOMEM;
                return NULL;
            }
            bytes = more;
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

/* A pipe or a device can be read only once, so its text is kept; a file is mapped. */
enum exit_code rules_read(struct parsed_rules *parsed, struct ilp_rules *rules, const char *path)
{
    struct file_view view = {.bytes = {NULL, 0}};
    struct ilp_error error;
    char *stream = NULL;
    bool readable;
    if (rules_are_stream(path) && !is_standard(path)) {
        stream = read_stream(path, &view.bytes.size);
        view.bytes.data = (const uint8_t *)stream;
        readable = stream != NULL;
    } else {
        readable = file_view_open(&view, path);
    }
    if (!readable) {
        report_message("%s: cannot read: %s", path, strerror(errno));
        return EXIT_USAGE;
    }
    ilp_status status = parsed_rules_add(parsed, rules, view.bytes, path, &error);
    file_view_close(&view);
    free(stream);
    return status == ILP_OK ? EXIT_DONE : report_rules_error(path, &error, 0);
}

/* Adds a rule for an option. Conditions that the user wrote begin in its second line. */
static enum exit_code add_rule(struct parsed_rules *parsed, struct ilp_rules *rules,
                               const char *option, const char *before, const char *conditions,
                               const char *after)
{
    struct ilp_error error;
    char *xml = format_text("<rules>%s\n%s\n%s</rules>", before, conditions, after);
    if (!xml) {
        return EXIT_CANNOT_WRITE;
    }
    struct ilp_bytes bytes = {(const uint8_t *)xml, strlen(xml)};
    ilp_status status = parsed_rules_add(parsed, rules, bytes, option, &error);
    free(xml);
    return status == ILP_OK ? EXIT_DONE : report_rules_error(option, &error, 1);
}

/* Conditions must be complete elements. A text that closes the enclosing element could change its
 * meaning; it cannot do so in two elements of different names, so it is parsed in both. */
static enum exit_code check_conditions(struct parsed_rules *parsed, const char *option,
                                       const char *conditions)
{
    struct ilp_rules *alone;
    struct ilp_rule rule = {.line = 0};
    if (ilp_rules_open(&alone, NULL, NULL) != ILP_OK) {
        memory_failed();
        return EXIT_CANNOT_WRITE;
    }
    enum exit_code code = add_rule(parsed, alone, option, "<exclude>", conditions, "</exclude>");
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

/* Excludes methods that do not meet the conditions. */
static enum exit_code add_filter(struct request *request, const char *option,
                                 const char *conditions)
{
    enum exit_code code = check_conditions(request->parsed, option, conditions);
    if (code == EXIT_DONE) {
        code = add_rule(request->parsed, request->rules, option, "<exclude><not>", conditions,
                        "</not></exclude>");
    }
    request->filters += code == EXIT_DONE;
    return code;
}

/* A name as the value of an attribute. */
static void put_attribute(struct ilpi_buf *buf, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char *escaped = text[i] == '&'   ? "&amp;"
                              : text[i] == '<' ? "&lt;"
                              : text[i] == '"' ? "&quot;"
                                               : NULL;
        ilpi_buf_bytes_add(buf, escaped ? escaped : &text[i], escaped ? strlen(escaped) : 1);
    }
}

static void put_name(struct ilpi_buf *buf, const char *element, const char *text, size_t size)
{
    ilpi_buf_bytes_add(buf, element, strlen(element));
    put_attribute(buf, text, size);
    ilpi_buf_bytes_add(buf, "\"/>", 3);
}

/* --method: any of these names, as a condition. The last "::" divides type and method: names of
 * explicit implementations may contain it. */
static enum exit_code add_methods(struct request *request, const struct option_list *methods)
{
    static const char begin[] = "<any>", end[] = "</any>";
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf conditions = {.alloc = &alloc};
    ilpi_buf_bytes_add(&conditions, begin, sizeof begin - 1);
    for (size_t i = 0; i < methods->count; i++) {
        const char *name = methods->items[i], *type_end = NULL;
        for (const char *at = name; (at = strstr(at, "::")) != NULL; at += 2) {
            type_end = at;
        }
        ilpi_buf_bytes_add(&conditions, "<all>", 5);
        if (type_end) {
            put_name(&conditions, "<type like=\"", name, (size_t)(type_end - name));
            name = type_end + 2;
        }
        put_name(&conditions, "<method like=\"", name, strlen(name));
        ilpi_buf_bytes_add(&conditions, "</all>", 6);
    }
    ilpi_buf_bytes_add(&conditions, end, sizeof end);
    enum exit_code code = EXIT_CANNOT_WRITE;
    if (conditions.status == ILP_OK) {
        code = add_filter(request, "--method", (const char *)conditions.data);
    } else {
        memory_failed();
    }
    ilpi_buf_free(&conditions);
    return code;
}

/* The command reads the rules for their errors, and the process reads them again. */
static enum exit_code check_readable_again(const struct request_options *options, const char *path,
                                           const char *command)
{
    return options->in_process && rules_are_stream(path)
               ? usage_error(command,
                             "rules are read again in the process: name a file instead of %s", path)
               : EXIT_DONE;
}

#define TEXT(text) text, sizeof(text) - 1

/* The rule that includes the rest, <include args="yes" exceptions="yes"/>, built without XML, so
 * without libxml2. */
static enum exit_code add_include(struct ilp_rules *rules, bool args, bool exceptions)
{
    static const struct ilpi_attribute_text attributes[] = {{TEXT("args"), TEXT("yes")},
                                                            {TEXT("exceptions"), TEXT("yes")}};
    const struct ilpi_attribute_text *first = args ? attributes : attributes + 1;
    struct ilpi_alloc alloc;
    struct ilpi_buf bytes = {.alloc = &alloc};
    struct ilp_error error;
    ilpi_alloc_init(&alloc, NULL);
    ilpi_parsed_begin(&bytes);
    ilpi_parsed_start(&bytes, TEXT("rules"), NULL, 0, 1);
    ilpi_parsed_start(&bytes, TEXT("include"), first, (unsigned)args + exceptions, 1);
    ilpi_parsed_end(&bytes);
    ilpi_parsed_end(&bytes);
    ilp_status status = bytes.status == ILP_OK
                            ? ilpi_rules_add_parsed(rules, ilpi_buf_bytes(&bytes),
                                                    "--inspect-returns", &error)
                            : ilpi_fail_memory(&error, bytes.size);
    ilpi_buf_free(&bytes);
    return status == ILP_OK ? EXIT_DONE : report_rules_error("--inspect-returns", &error, 1);
}

/* In the order in which rules decide: filters from options first, then the files, then the rule for
 * all others. */
enum exit_code request_read_rules(struct request *request, const struct request_options *options,
                                  bool every, const char *command)
{
    struct ilp_error error;
    enum exit_code code = EXIT_DONE;
    if (!request_options_select(options)) {
        return EXIT_DONE;
    }
    if (ilp_rules_open(&request->rules, NULL, &error) != ILP_OK) {
        memory_failed();
        return EXIT_CANNOT_WRITE;
    }
    if (options->in_process) {
        request->parsed = options->parsed ? parsed_rules_open(options->parsed)
                                          : parsed_rules_collect();
    }
    if (options->affected_by.given) {
        const char *bug = option_choice_word(OPTION_AFFECTED_BY, options->affected_by.value);
        char *condition = format_text("<affected-by bug=\"%s\"/>", bug);
        code = condition ? add_filter(request, "--affected-by", condition) : EXIT_CANNOT_WRITE;
        free(condition);
    }
    if (options->methods.count != 0 && code == EXIT_DONE) {
        code = add_methods(request, &options->methods);
    }
    for (size_t i = 0; i < options->wheres.count && code == EXIT_DONE; i++) {
        code = add_filter(request, "--where", options->wheres.items[i]);
    }
    for (size_t i = 0; i < options->rules.count && code == EXIT_DONE; i++) {
        code = check_readable_again(options, options->rules.items[i], command);
        code = code == EXIT_DONE
                   ? rules_read(request->parsed, request->rules, options->rules.items[i])
                   : code;
    }
    request->every = every || options->rules.count == 0;
    if (code == EXIT_DONE && (options->args || options->exceptions) && !request->every) {
        code = usage_error(command,
                           "--%s is for methods that no rule decides about, which "
                           "--inspect-returns includes; a rule says %s=\"yes\"",
                           options->args ? "args" : "exceptions",
                           options->args ? "args" : "exceptions");
    }
    if (code == EXIT_DONE && request->every) {
        code = add_include(request->rules, options->args, options->exceptions);
    }
    return code;
}

/* As if --inspect-returns were a rule file: where each rule can be given something, there must be
 * one. */
enum exit_code request_need_rules(struct request *request)
{
    if (request->rules) {
        return EXIT_DONE;
    }
    if (ilp_rules_open(&request->rules, NULL, NULL) != ILP_OK) {
        memory_failed();
        return EXIT_CANNOT_WRITE;
    }
    request->every = true;
    return add_include(request->rules, false, false);
}
