/* Parses the options of the process, and opens what they name. See settings.h.
 *
 *   ILPATCH_OPTIONS -> options -> choice, request (rules, inspectors, references)
 *   ILPATCH_RULES   -> the rules as the command has parsed them
 *   variables of the stock inspector -> values: what is hidden, and limits; options override limits
 *
 * Errors go through messages.h, to the command's status file if there is one. */
#include "profiler/settings.h"

#include <stdlib.h>
#include <string.h>

#include "host/profiler_environment.h"
#include "host/profiler_options.h"
#include "host/request_open.h"
#include "profiler/output.h"
#include "profiler/unmanaged.h"

/* Owns all of it, until the watch ends. */
struct settings {
    char *text; /* of the options, which borrow from it */
    struct profiler_options options;
    struct request request;
    struct ilp_native native;        /* the unmanaged inspector */
    struct inspector_file unmanaged; /* the same, opened */
    struct choice_settings choice;
    struct value_settings value;
    bool wants_methods;
};

#define FROM_ONE_VERSION "install both from one version"

/* A command of another version may send options that this profiler does not know, or that
 * differ. */
static void report_wrong(const struct profiler_options_error *error)
{
    switch (error->fault) {
    case PROFILER_OPTIONS_OF_OTHER_VERSION:
        report_message(PROFILER_FILE
                       " is of version %s, and the command ilpatch that sets its options of "
                       "version %s: " FROM_ONE_VERSION,
                       ilp_version(), error->value);
        break;
    case PROFILER_OPTIONS_UNKNOWN_KEY:
        report_message(PROFILER_FILE
                       " knows no option '%s' that the command ilpatch sets: " FROM_ONE_VERSION,
                       error->key);
        break;
    case PROFILER_OPTIONS_WRONG_VALUE:
        if (error->expected) {
            report_message(ENV_OPTIONS ": %s takes %s, not '%s'", error->key, error->expected,
                           error->value);
        } else {
            option_word_error(NULL, error->option, error->value);
        }
        break;
    case PROFILER_OPTIONS_NO_COMMAND_LINE:
        usage_error(NULL, "the variable " ENV_OPTIONS
                          " is not right; see --print-env of ilpatch run and ilpatch trace");
        break;
    case PROFILER_OPTIONS_NO_MEMORY: /* counted and reported by the caller */
    case PROFILER_OPTIONS_RIGHT: break;
    }
}

/* Options override it. Invalid numbers there are ignored, as in the stock inspector. */
static void take_environment(struct value_options *options)
{
    options->no_redact |= variable_is_on(ENV_NO_REDACT);
#define LIMIT(NAME, member, least, usual, most)                                     \
    if (options->limits.member == 0 && getenv(ENV_##NAME)) {                        \
        options->limits.member = value_limit_read(getenv(ENV_##NAME), least, most); \
    }
#include "values/limits.def"
}

/* Refuses options for values that the profiler shows, and for what it observes of CoreCLR's JIT. */
static enum exit_code refuse_own(const struct profiler_options *options)
{
    const char *given = choice_given(&options->choice);
    given = options->spool ? option_name(OPTION_SPOOL) : given;
    given = options->trace.spool ? option_name(OPTION_TRACE) : given;
    given = options->explain_tail ? option_name(OPTION_EXPLAIN_TAIL) : given;
    if (given) {
        report_message(
            "--%s needs CoreCLR: here the stock inspector shows values, and nothing else is known",
            given);
    }
    return given ? EXIT_USAGE : EXIT_DONE;
}

/* In this order: options decide how the unmanaged inspector is described, which the request refers
 * to, and redactions of the request are added to the options for values before those are read. */
static enum exit_code open_all(struct settings *settings, bool unmanaged)
{
    struct profiler_options *options = &settings->options;
    struct profiler_options_error error;
    if (!profiler_options_read(options, settings->text, &error)) {
        report_wrong(&error);
        return EXIT_USAGE;
    }
    bool json = options->choice.json; /* whose lines wait for the ids of their activity */
    settings->native = unmanaged_native(
        !options->spool && !options->choice.count && (json || !output_never_waits()), json);
    options->request.unmanaged = unmanaged ? &settings->native : NULL;
    options->request.stands_in = !unmanaged;
    options->request.in_process = true;
    options->request.parsed = getenv(ENV_RULES) ? getenv(ENV_RULES) : "";
    settings->wants_methods = !options->explain_tail || options->trace.spool ||
                              options->inspect_returns || request_options_select(&options->request);
    take_environment(&options->value);
    enum exit_code code = unmanaged ? EXIT_DONE : refuse_own(options);
    code = code == EXIT_DONE ? choice_read(&settings->choice, &options->choice, NULL) : code;
    code = code == EXIT_DONE
               ? request_open(&settings->request, &options->request, options->inspect_returns, NULL)
               : code;
    code = code == EXIT_DONE ? request_pass_arguments(&settings->request, settings->choice.when)
                             : code;
    request_add_redactions(&settings->request, &options->value.redact);
    code = code == EXIT_DONE
               ? value_settings_read(&settings->value, &options->value, getenv(ENV_REDACT), NULL)
               : code;
    return code == EXIT_DONE ? inspector_file_open_native(&settings->unmanaged, &settings->native)
                             : code;
}

/* A profiler with half of its options would inspect what was not wanted, so any failure closes
 * all. */
struct settings *settings_open(const char *text, bool unmanaged)
{
    struct settings *settings = new_items(1, sizeof *settings);
    unsigned failures = memory_failures();
    if (!settings) {
        return NULL;
    }
    settings->text = copy_text(text ? text : "--inspect-returns");
    if (!settings->text) {
        free(settings);
        return NULL;
    }
    /* not even partially */
    if (open_all(settings, unmanaged) != EXIT_DONE || memory_failures() != failures) {
        settings_close(settings);
        return NULL;
    }
    return settings;
}

void settings_close(struct settings *settings)
{
    inspector_file_close(&settings->unmanaged);
    request_close(&settings->request);
    choice_settings_close(&settings->choice);
    value_settings_close(&settings->value);
    profiler_options_close(&settings->options);
    free(settings->text);
    free(settings);
}

const struct request *settings_request(const struct settings *settings)
{
    return &settings->request;
}

const char *settings_id_map(const struct settings *settings)
{
    return settings->options.id_map;
}

const struct choice_settings *settings_choice(const struct settings *settings)
{
    return &settings->choice;
}

enum color settings_color(const struct settings *settings)
{
    return (enum color)settings->options.color.value;
}

const struct value_settings *settings_values(const struct settings *settings)
{
    return &settings->value;
}

/* Text of the variables is owned by `variables`. */
void settings_add_variables(const struct settings *settings, struct variables *variables)
{
    const struct value_options *options = &settings->options.value;
    const struct value_limits *limits = &settings_values(settings)->limits;
    if (options->redact.count != 0) {
        variables_add(variables, ENV_REDACT, value_options_redact(options, getenv(ENV_REDACT)));
    }
    if (options->no_redact) {
        variables_add(variables, ENV_NO_REDACT, copy_text("1"));
    }
#define LIMIT(NAME, member, least, usual, most)                                            \
    if (limits->member != value_limits_usual.member) {                                     \
        variables_add(variables, ENV_##NAME, format_text("%u", (unsigned)limits->member)); \
    }
#include "values/limits.def"
}

const struct ilp_inspector *settings_unmanaged(const struct settings *settings)
{
    return settings->unmanaged.inspector;
}

/* Whether the unmanaged inspector is called, or another one. */
static bool calls(const struct request *request, bool unmanaged)
{
    bool found = false;
    for (size_t i = 0; i < request->inspector_file_count; i++) {
        found = found || (request->inspector_files[i].unmanaged == unmanaged &&
                          request_calls_inspector(request, i));
    }
    return found;
}

bool settings_wants_unmanaged(const struct settings *settings)
{
    return settings->wants_methods && !settings->options.trace.spool &&
           (settings->options.framework || calls(&settings->request, true));
}

bool settings_wants_others(const struct settings *settings)
{
    return calls(&settings->request, false);
}

bool settings_has_command(const struct settings *settings)
{
    return settings->options.command_version != NULL;
}

bool settings_wants_framework(const struct settings *settings)
{
    return settings->options.framework;
}

const struct trace_settings *settings_trace(const struct settings *settings)
{
    return settings->options.trace.spool ? &settings->options.trace : NULL;
}

const char *settings_spool(const struct settings *settings)
{
    return settings->options.spool;
}

bool settings_explains_tail_calls(const struct settings *settings)
{
    return settings->options.explain_tail;
}

bool settings_wants_methods(const struct settings *settings)
{
    return settings->wants_methods;
}

void settings_set_framework(struct settings *settings, const char *folder)
{
    option_list_add(&settings->options.request.reference_paths, folder);
}

struct references *settings_open_references(const struct settings *settings, const char *path)
{
    struct references *references =
        references_open(settings->options.request.reference_paths.items,
                        settings->options.request.reference_paths.count);
    if (references && !references_set_target(references, path)) {
        references_close(references);
        references = NULL;
    }
    return references;
}
