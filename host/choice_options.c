/* Options that choose values: reads their texts into numbers. See choice_options.h. Each text has
 * one form, which the message for a wrong one shows by an example. */
#include "host/choice_options.h"

#include <string.h>

#include "host/quantity.h"
#include "ilpatch.h"

static const struct option_field field_items[] = {
#define FIELD(id, member) OPTION_FIELD(struct choice_options, id, member),
    /* cppcheck-suppress nullPointer ; _Generic evaluates no operand */
    CHOICE_FIELDS(FIELD)
#undef FIELD
};
static const struct option_fields fields = {field_items, sizeof field_items / sizeof *field_items};

bool choice_option(struct choice_options *options, enum option_id option, const char *value)
{
    return option_field_set(fields, options, option, value) != OPTION_FIELD_NONE;
}

const char *choice_given(const struct choice_options *options)
{
    return option_fields_first(fields, options);
}

/* ---- numbers ---- */

static bool read_sample(const char *text, uint32_t *sample)
{
    bool begins = strncmp(text, "1/", 2) == 0;
    text += begins ? 2 : 0;
    *sample = begins ? number_at(&text) : 0;
    return *sample != 0 && *text == '\0';
}

/* "N/UNIT", where the unit is that of a duration without its number. */
static bool read_rate(const char *text, uint32_t *rate, uint64_t *period)
{
    *rate = number_at(&text);
    *period = *text == '/' ? unit_of_time(text + 1) : 0;
    return *rate != 0 && *period != 0;
}

static bool read_percent(const char *text, uint32_t *percent)
{
    *percent = number_at(&text);
    return *percent <= 100 && (*text == '\0' || strcmp(text, "%") == 0);
}

/* ---- all ---- */

/* Three lines: the message, the condition around the mistake, and a caret under it. */
static enum exit_code refuse_condition(const char *text, const struct ilp_error *error,
                                       const char *command)
{
    char excerpt[512];
    if (error->status != ILP_E_BAD_RULES) {
        report_message("--when: %s", error->message);
        return exit_code_of(error);
    }
    ilpi_condition_excerpt((struct ilp_bytes){(const uint8_t *)text, strlen(text)}, error->column,
                           excerpt, sizeof excerpt);
    report_message("--when: %s", error->message);
    const char *caret = strchr(excerpt, '\n'); /* one line each */
    report_message("%.*s", caret ? (int)(caret - excerpt) : 0, excerpt);
    return usage_error(command, "%s", caret ? caret + 1 : "");
}

/* A condition is tested in two halves, at the beginning and the end of a call; a comparison that
 * needs both at once has no place in either. */
bool choice_cannot_test(const struct ilpi_condition *when, char *why, size_t size)
{
    uint16_t mixed = ilpi_condition_mixed(when);
    if (mixed != 0) {
        snprintf(why, size,
                 "compares an argument with another value of the call (column %u): arguments are "
                 "tested when it begins, the value when it ends, so compare each with a literal",
                 mixed);
    }
    return mixed != 0;
}

/* Whether something has to be done when a call begins, which costs time for each call. */
bool choice_needs_entry(const struct ilpi_condition *when)
{
    return when && (ilpi_condition_uses(when, ILPI_ROOT_ARGUMENT) ||
                    ilpi_condition_uses(when, ILPI_ROOT_THIS) ||
                    ilpi_condition_uses(when, ILPI_ROOT_ELAPSED));
}

static enum exit_code check_condition(const struct ilpi_condition *when, const char *command)
{
    char why[240];
    return choice_cannot_test(when, why, sizeof why) ? usage_error(command, "--when %s", why)
                                                     : EXIT_DONE;
}

static enum exit_code read_condition(struct choice_settings *settings, const char *text,
                                     const char *command)
{
    struct ilp_error error = {.message = ""};
    struct ilp_bytes bytes = {(const uint8_t *)text, strlen(text)};
    return ilpi_condition_open(&settings->when, bytes, NULL, &error) == ILP_OK
               ? check_condition(settings->when, command)
               : refuse_condition(text, &error, command);
}

/* The condition is last, since it is opened and has to be closed. "0" switches a limit off where
 * attach has one by default. */
enum exit_code choice_read(struct choice_settings *settings, const struct choice_options *options,
                           const char *command)
{
    *settings = (struct choice_settings){.sample = 1,
                                         .time = options->time,
                                         .thread = options->thread,
                                         .json = options->json,
                                         .count = options->count};
    if (options->sample && !read_sample(options->sample, &settings->sample)) {
        return usage_error(command, "--sample takes 1/N, such as 1/100, not '%s'", options->sample);
    }
    if (options->rate && !read_rate(options->rate, &settings->rate, &settings->period)) {
        return usage_error(command, "--rate takes N/s, N/min or the like, such as 100/s, not '%s'",
                           options->rate);
    }
    bool any = options->method_rate && strcmp(options->method_rate, "0") == 0;
    if (options->method_rate && !any &&
        !read_rate(options->method_rate, &settings->method_rate, &settings->method_period)) {
        return usage_error(command,
                           "--method-rate takes N/s, N/min or the like, or 0 for any number, not "
                           "'%s'",
                           options->method_rate);
    }
    if (options->max_cost && !read_percent(options->max_cost, &settings->max_cost)) {
        return usage_error(
            command, "--max-cost takes percent of a processor, 1%% say, or 0 for any, not '%s'",
            options->max_cost);
    }
    if (options->limit && !read_count(options->limit, &settings->limit)) {
        return usage_error(command, "--limit takes a number from 1 on, not '%s'", options->limit);
    }
    if (options->duration && !read_duration(options->duration, &settings->duration)) {
        return usage_error(command, "--for takes a duration, such as 30s or 5min, not '%s'",
                           options->duration);
    }
    return options->when ? read_condition(settings, options->when, command) : EXIT_DONE;
}

void choice_settings_close(struct choice_settings *settings)
{
    ilpi_condition_close(settings->when);
    settings->when = NULL;
}
