/* Filters returned values. See value_filter.h.
 *
 *   --from, --until > --method, by either name > --grep, in the value > --limit
 *
 * The cheap tests come first. --limit counts what all the others take, so it is part of the same
 * function. */
#include "tools/export/value_filter.h"

#include <stdlib.h>
#include <string.h>

#include "host/option_fields.h"
#include "host/quantity.h"

static const struct option_field field_items[] = {
    OPTION_FIELD(struct value_filter_options, METHOD, method),
    OPTION_FIELD(struct value_filter_options, GREP, grep),
    OPTION_FIELD(struct value_filter_options, FROM, from),
    OPTION_FIELD(struct value_filter_options, UNTIL, until),
    OPTION_FIELD(struct value_filter_options, LIMIT, limit),
};
static const struct option_fields fields = {field_items, sizeof field_items / sizeof *field_items};

bool value_filter_option(struct value_filter_options *options, enum option_id option,
                         const char *value)
{
    return option_field_set(fields, options, option, value) != OPTION_FIELD_NONE;
}

const char *value_filter_given(const struct value_filter_options *options)
{
    return option_fields_first(fields, options);
}

/* ---- reading ---- */

/* In the form of reports: "Shop.Cart.Total". Owned by the caller: the pattern borrows it. */
static char *dotted(const char *text)
{
    char *copy = need(strdup(text));
    char *mark = strstr(copy, "::");
    if (mark) {
        *mark = '.';
        memmove(mark + 1, mark + 2, strlen(mark + 2) + 1);
    }
    return copy;
}

/* NULL for an option that is not given: then everything fits (fits()). */
static struct ilpi_pattern pattern_of(enum ilpi_pattern_kind kind, const char *text)
{
    return (struct ilpi_pattern){
        .kind = kind,
        .text = {(const uint8_t *)text, text ? strlen(text) : 0},
    };
}

/* A regular expression needs PCRE2, which may not be installed: that is another message than a
 * wrong expression. */
static enum exit_code open_patterns(struct value_filter *filter,
                                    const struct value_filter_options *options, const char *command)
{
    struct ilp_error error = {.message = ""};
    filter->method_text = options->method ? dotted(options->method) : NULL;
    filter->method = pattern_of(ILPI_PATTERN_LIKE, filter->method_text);
    filter->grep = pattern_of(ILPI_PATTERN_REGEX, options->grep);
    if (!options->grep) {
        return EXIT_DONE;
    }
    if (ilpi_pattern_compiler_open(&filter->compiler, &filter->alloc, &error) == ILP_OK &&
        ilpi_pattern_compile(&filter->grep, filter->compiler, &error) == ILP_OK &&
        ilpi_pattern_matcher_open(&filter->matcher, &filter->alloc, &filter->grep, &error) ==
            ILP_OK) {
        return EXIT_DONE;
    }
    if (error.status == ILP_E_BAD_RULES) {
        return usage_error(command, "--grep: %s", error.message);
    }
    report_message("--grep: %s", error.message);
    return exit_code_of(&error);
}

/* Without --until and --limit there is no end: both are then the largest number. */
enum exit_code value_filter_open(struct value_filter *filter,
                                 const struct value_filter_options *options, const char *command)
{
    const struct {
        const char *text, *name;
        uint64_t *to;
    } durations[] = {{options->from, "from", &filter->from},
                     {options->until, "until", &filter->until}};
    *filter = (struct value_filter){.until = UINT64_MAX, .limit = UINT64_MAX};
    ilpi_alloc_init(&filter->alloc, NULL);
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        if (durations[i].text && !read_duration(durations[i].text, durations[i].to)) {
            return usage_error(command, "--%s takes a duration, such as 30s or 5min, not '%s'",
                               durations[i].name, durations[i].text);
        }
    }
    if (options->limit && !read_count(options->limit, &filter->limit)) {
        return usage_error(command, "--limit takes a number from 1 on, not '%s'", options->limit);
    }
    return open_patterns(filter, options, command);
}

void value_filter_close(struct value_filter *filter)
{
    ilpi_pattern_free(&filter->grep);
    ilpi_pattern_matcher_close(filter->matcher);
    ilpi_pattern_compiler_close(filter->compiler);
    free(filter->method_text);
    *filter = (struct value_filter){.taken = 0};
}

/* ---- choosing ---- */

/* A text whose search exceeds its limits does not match. */
static bool fits(const struct value_filter *filter, const struct ilpi_pattern *pattern,
                 struct ilp_bytes text)
{
    return !pattern->text.data || ilpi_pattern_match(pattern, filter->matcher, text) == ILP_YES;
}

/* Counts what it takes, so it is called once for each value. */
bool value_filter_takes(struct value_filter *filter, struct ilp_bytes method,
                        struct ilp_bytes readable, uint64_t time, struct ilp_bytes value)
{
    if (!filter) {
        return true;
    }
    bool takes = time >= filter->from && time <= filter->until && filter->taken < filter->limit &&
                 (fits(filter, &filter->method, method) ||
                  (readable.data && fits(filter, &filter->method, readable))) &&
                 fits(filter, &filter->grep, value);
    filter->taken += takes;
    return takes;
}
