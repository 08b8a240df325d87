/* Reads, writes and compares the profiler's options. See profiler_options.h. Both forms are read
 * into the same fields, by the same table; the first key decides which form a text has.
 *
 *   pairs           command-version=3.1.4;inspect-returns=1;method=Total      from a command
 *   command line    --inspect-returns --method Total                          by hand
 *
 * Pairs are only read by a profiler of the same version; the other form is checked option by
 * option. */
#include "host/profiler_options.h"

#include <stdlib.h>
#include <string.h>

#include "host/path.h"
#include "host/memory.h"
#include "host/request_inspectors.h"
#include "host/text_list.h"
#include "ilpatch.h"

enum { BETWEEN_PAIRS = ';', BETWEEN_ARGUMENTS = ' ' };

/* The value of a switch that is on. */
#define ON "1"

static const struct option_field field_items[] = {
#define FIELD(id, member)            OPTION_FIELD(struct profiler_options, id, member),
#define FIELD_OF_TRACE(id, member)   FIELD(id, trace.member)
#define FIELD_OF_CHOICE(id, member)  FIELD(id, choice.member)
#define FIELD_OF_VALUE(id, member)   FIELD(id, value.member)
#define FIELD_OF_REQUEST(id, member) FIELD(id, request.member)
    PROFILER_FIELDS(FIELD) TRACE_FIELDS(FIELD_OF_TRACE) CHOICE_FIELDS(FIELD_OF_CHOICE)
        VALUE_FIELDS(FIELD_OF_VALUE) REQUEST_FIELDS(FIELD_OF_REQUEST)
#undef FIELD
#undef FIELD_OF_TRACE
#undef FIELD_OF_CHOICE
#undef FIELD_OF_VALUE
#undef FIELD_OF_REQUEST
};
enum { PROFILER_FIELD_COUNT = sizeof field_items / sizeof *field_items };
static const struct option_fields fields = {field_items, PROFILER_FIELD_COUNT};

void profiler_options_close(struct profiler_options *options)
{
    option_fields_free(fields, options);
}

bool profiler_option(struct profiler_options *options, enum option_id option, const char *value)
{
    if (choice_option(&options->choice, option, value) ||
        value_option(&options->value, option, value) ||
        request_option(&options->request, option, value)) {
        return true;
    }
    enum option_field_result result = option_field_set(fields, options, option, value);
    if (result == OPTION_FIELD_WRONG) {
        request_option_is_wrong(&options->request, option, value);
    }
    return result != OPTION_FIELD_NONE;
}

/* ---- read ---- */

static bool refuse(struct profiler_options_error *error, enum profiler_options_fault fault,
                   const char *key, const char *value)
{
    error->fault = fault;
    error->key = key;
    error->value = value;
    return false;
}

/* The version comes first, so that keys of another version are not reported as unknown. */
static bool set(struct profiler_options *options, enum option_id id, const char *value,
                struct profiler_options_error *error)
{
    if (option_field_set(fields, options, id, value) == OPTION_FIELD_WRONG) {
        error->option = id;
        error->expected = option_field_expects(fields, id);
        return refuse(error, PROFILER_OPTIONS_WRONG_VALUE, option_name(id), value);
    }
    return id != OPTION_COMMAND_VERSION || (value && strcmp(value, ilp_version()) == 0) ||
           refuse(error, PROFILER_OPTIONS_OF_OTHER_VERSION, option_name(id), value);
}

static const struct option_field *field_of_key(const char *key)
{
    for (size_t i = 0; i < PROFILER_FIELD_COUNT; i++) {
        if (strcmp(option_name(field_items[i].id), key) == 0) {
            return &field_items[i];
        }
    }
    return NULL;
}

/* Switches have the value 1 in pairs, and none for option_field_set(). */
static bool read_pair(struct profiler_options *options, char *pair,
                      struct profiler_options_error *error)
{
    char *value = strchr(pair, '=');
    if (value) {
        *value++ = '\0';
    }
    const struct option_field *field = field_of_key(pair);
    if (!field) {
        return refuse(error, PROFILER_OPTIONS_UNKNOWN_KEY, pair, value);
    }
    value = value ? value : "";
    bool is_on = field->type == OPTION_FIELD_SWITCH && strcmp(value, ON) == 0;
    return set(options, field->id, is_on ? NULL : value, error);
}

static bool read_pairs(struct profiler_options *options, char *text,
                       struct profiler_options_error *error)
{
    bool right = true;
    for (char *pair; right && (pair = text_list_next(&text, BETWEEN_PAIRS)) != NULL;) {
        right = read_pair(options, pair, error);
    }
    return right;
}

/* An operand is refused: a forgotten "--" would otherwise be ignored without a word. */
static bool read_arguments(struct profiler_options *options, char **arguments,
                           struct profiler_options_error *error)
{
    struct option_reader reader;
    enum option_id id;
    options_begin(&reader, TAKEN_BY_PROFILER, arguments, false);
    while ((id = options_next(&reader)) >= 0) {
        if (!set(options, id, reader.value, error)) {
            return false;
        }
    }
    /* for example "inspect-returns" is an operand */
    return (id == OPTION_END && reader.operand_count == 0) ||
           refuse(error, PROFILER_OPTIONS_NO_COMMAND_LINE, NULL, NULL);
}

static bool read_command_line(struct profiler_options *options, char *text,
                              struct profiler_options_error *error)
{
    size_t count = 0;
    char **arguments = new_items(strlen(text) / 2 + 3, sizeof *arguments);
    if (!arguments) {
        return refuse(error, PROFILER_OPTIONS_NO_MEMORY, NULL, NULL);
    }
    arguments[count++] = text; /* the name of the command, which is skipped */
    for (char *argument; (argument = text_list_next(&text, BETWEEN_ARGUMENTS)) != NULL;) {
        arguments[count++] = argument;
    }
    bool right = read_arguments(options, arguments, error);
    free(arguments);
    return right;
}

static bool is_pairs(const char *text)
{
    const char *first = option_name(OPTION_COMMAND_VERSION);
    size_t size = strlen(first);
    return strncmp(text, first, size) == 0 && text[size] == '=';
}

bool profiler_options_read(struct profiler_options *options, char *text,
                           struct profiler_options_error *error)
{
    unsigned failures = memory_failures();
    *options = (struct profiler_options){.command_version = NULL};
    *error = (struct profiler_options_error){.fault = PROFILER_OPTIONS_RIGHT};
    bool right = (is_pairs(text) ? read_pairs : read_command_line)(options, text, error);
    return right &&
           (memory_failures() == failures || refuse(error, PROFILER_OPTIONS_NO_MEMORY, NULL, NULL));
}

/* ---- written ---- */

/* In the form that the process needs. Owned by the caller; NULL: no memory. */
static char *full_value(enum option_id id, const char *value)
{
    bool is_path = value[0] != '\0' && option_is_path(id) &&
                   (id != OPTION_INSPECTOR || request_is_path(value));
    return is_path ? path_full(value) : copy_text(value);
}

static void write_pair(void *list, enum option_id id, const char *value)
{
    char *full = value ? full_value(id, value) : copy_text(ON);
    char *pair = full ? format_text("%s=%s", option_name(id), full) : NULL;
    text_list_add(list, BETWEEN_PAIRS, pair);
    free(pair);
    free(full);
}

static void write_arguments(void *list, enum option_id id, const char *value)
{
    char *full = value ? full_value(id, value) : NULL;
    bool is_empty = full && full[0] == '\0'; /* not an argument */
    char *name = format_text("--%s%s", option_name(id), is_empty ? "=" : "");
    text_list_add(list, BETWEEN_ARGUMENTS, name);
    if (full && !is_empty) {
        text_list_add(list, BETWEEN_ARGUMENTS, full);
    }
    free(name);
    free(full);
}

static char *write_options(const struct profiler_options *options,
                           void (*write)(void *user, enum option_id id, const char *value))
{
    unsigned failures = memory_failures();
    char *text = NULL;
    option_fields_write(fields, options, write, &text);
    if (!text) {
        text = copy_text("");
    }
    if (memory_failures() != failures) {
        free(text);
        text = NULL;
    }
    return text;
}

char *profiler_options_command_line(const struct profiler_options *options)
{
    return write_options(options, write_arguments);
}

/* The version is the first pair, which is how the form is recognised. */
char *profiler_options_text(const struct profiler_options *options)
{
    struct profiler_options versioned = *options;
    versioned.command_version = ilp_version();
    return write_options(&versioned, write_pair);
}

/* Everything of `options` but what selects methods, which is that of `rules`. */
char *profiler_options_with_rules(const char *options, const char *rules)
{
    char *texts[] = {copy_text(options), copy_text(rules)};
    struct profiler_options both[2] = {{.command_version = NULL}, {.command_version = NULL}};
    struct profiler_options_error error;
    char *text = NULL;
    bool right = texts[0] && texts[1] && profiler_options_read(&both[0], texts[0], &error) &&
                 profiler_options_read(&both[1], texts[1], &error);
    if (right) {
        struct profiler_options mixed = both[0];
        mixed.inspect_returns = both[1].inspect_returns;
        mixed.request.rules = both[1].request.rules;
        mixed.request.wheres = both[1].request.wheres;
        mixed.request.methods = both[1].request.methods;
        mixed.request.affected_by = both[1].request.affected_by;
        text = profiler_options_text(&mixed);
    }
    for (size_t i = 0; i < 2; i++) {
        profiler_options_close(&both[i]);
        free(texts[i]);
    }
    return text;
}

/* ---- compared ---- */

/* The field as text; NULL: not given. */
static char *field_text(const struct option_field *field, const struct profiler_options *options)
{
    char *text = NULL;
    option_fields_write((struct option_fields){field, 1}, options, write_pair, &text);
    return text;
}

/* Handled by the command, which prints the lines: how many, and with which colours. */
static bool is_own_matter(enum option_id id)
{
    return id == OPTION_COMMAND_VERSION || id == OPTION_COLOR || id == OPTION_LIMIT ||
           id == OPTION_FOR;
}

/* Set only as a default. */
static bool is_usual(const struct option_field *field, const struct profiler_options *wanted)
{
    const struct choice_options *choice = &wanted->choice;
    switch (field->id) {
    case OPTION_METHOD_RATE: return strcmp(choice->method_rate, ATTACH_METHOD_RATE) == 0;
    case OPTION_MAX_COST: return strcmp(choice->max_cost, ATTACH_MAX_COST) == 0;
    case OPTION_INSPECT_RETURNS: return wanted->request.rules.count == 0;
    default: return false;
    }
}

/* What a command wishes for that the running profiler has otherwise: options that only matter to
 * the command, and those that it left at their usual value, are no conflict. */
static char *list_conflicts(const struct profiler_options *held,
                            const struct profiler_options *wanted)
{
    char *names = copy_text("");
    for (size_t i = 0; i < PROFILER_FIELD_COUNT; i++) {
        const struct option_field *field = &field_items[i];
        char *text = is_own_matter(field->id) ? NULL : field_text(field, wanted);
        char *there = text ? field_text(field, held) : NULL;
        if (text && !is_usual(field, wanted) && (!there || strcmp(text, there) != 0) && names) {
            char *more = format_text("%s%s--%s", names, names[0] == '\0' ? "" : ", ",
                                     option_name(field->id));
            free(names);
            names = more;
        }
        free(there);
        free(text);
    }
    return names;
}

/* Both texts are parsed, since one option has several spellings. */
char *profiler_options_conflicts(const char *held, const char *wanted)
{
    char *texts[] = {copy_text(held), copy_text(wanted)};
    struct profiler_options both[2] = {{.command_version = NULL}, {.command_version = NULL}};
    struct profiler_options_error error;
    unsigned failures = memory_failures();
    bool right = texts[0] && texts[1] && profiler_options_read(&both[0], texts[0], &error) &&
                 profiler_options_read(&both[1], texts[1], &error);
    char *names = right ? list_conflicts(&both[0], &both[1]) : NULL;
    if (memory_failures() != failures) {
        free(names);
        names = NULL;
    }
    for (size_t i = 0; i < 2; i++) {
        profiler_options_close(&both[i]);
        free(texts[i]);
    }
    return names;
}
