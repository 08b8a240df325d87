/* Options for writing values. See value_options.h. */
#include "host/value_options.h"

#include <stdlib.h>

#include "host/memory.h"
#include "host/quantity.h"
#include "ilpatch.h"

static const struct option_field field_items[] = {
#define FIELD(id, member) OPTION_FIELD(struct value_options, id, member),
    /* cppcheck-suppress nullPointer ; _Generic evaluates no operand */
    VALUE_FIELDS(FIELD)
#undef FIELD
};
static const struct option_fields fields = {field_items, sizeof field_items / sizeof *field_items};

/* A wrong number is kept, and reported when the command is known. */
bool value_option(struct value_options *options, enum option_id option, const char *value)
{
    enum option_field_result result = option_field_set(fields, options, option, value);
    if (result == OPTION_FIELD_WRONG) {
        options->wrong_limit = option;
        options->wrong_number = value;
    }
    return result != OPTION_FIELD_NONE;
}

/* Of options first, then of the environment (`redact`). */
static ilp_status read_names(struct redaction *redaction, const struct value_options *options,
                             const char *redact, struct ilp_error *error)
{
    for (size_t i = 0; i < options->redact.count; i++) {
        ilp_status status = redaction_add(redaction, options->redact.items[i], error);
        if (status != ILP_OK) {
            return status;
        }
    }
    return redact && redact[0] != '\0' ? redaction_add(redaction, redact, error) : ILP_OK;
}

/* 0: it is no number within the limits. */
uint32_t value_limit_read(const char *text, uint32_t least, uint32_t most)
{
    uint64_t number;
    return read_count(text, &number) && number >= least && number <= most ? (uint32_t)number : 0;
}

/* Options that are not given have the default. */
static enum exit_code read_limits(struct value_limits *limits, const struct value_options *options,
                                  const char *command)
{
    *limits = value_limits_usual;
#define LIMIT(NAME, member, least, usual, most)                             \
    if (options->limits.member != 0) {                                      \
        limits->member = options->limits.member;                            \
    }                                                                       \
    if (limits->member < (least) || limits->member > (most) ||              \
        (options->wrong_number && options->wrong_limit == OPTION_##NAME)) { \
        return usage_error(command, "--%s takes a number from %d to %d",    \
                           option_name(OPTION_##NAME), least, most);        \
    }
#include "values/limits.def"
    return EXIT_DONE;
}

enum exit_code value_settings_read(struct value_settings *settings,
                                   const struct value_options *options, const char *redact,
                                   const char *command)
{
    struct ilp_error error = {.message = ""};
    *settings = (struct value_settings){.redaction = NULL};
    ilp_status status = redaction_open(&settings->redaction, !options->no_redact, NULL, &error);
    status = status == ILP_OK ? read_names(settings->redaction, options, redact, &error) : status;
    if (status == ILP_E_BAD_RULES) {
        return usage_error(command, "--redact %s", error.message);
    }
    if (status != ILP_OK) {
        report_message("%s", error.message);
        return exit_code_of(&error);
    }
    return read_limits(&settings->limits, options, command);
}

void value_settings_close(struct value_settings *settings)
{
    redaction_close(settings->redaction);
    settings->redaction = NULL;
}

/* For the command, which writes no values itself: errors are reported before the program starts. */
enum exit_code value_options_check(const struct value_options *options, const char *command)
{
    struct value_settings settings;
    enum exit_code code = value_settings_read(&settings, options, NULL, command);
    value_settings_close(&settings);
    return code;
}

/* All names as one text, as the environment has them for the inspector. */
char *value_options_redact(const struct value_options *options, const char *redact)
{
    char *names = copy_text(redact ? redact : "");
    for (size_t i = 0; names && i < options->redact.count; i++) {
        char *longer = format_text("%s%s%s", names, names[0] != '\0' ? "," : "",
                                   options->redact.items[i]);
        free(names);
        names = longer;
    }
    return names;
}
