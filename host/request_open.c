/* Opens and checks requests. See request_open.h. */
#include "host/request_open.h"

#include <stdlib.h>

#include "host/choice_options.h"
#include "host/request_inspectors.h"
#include "host/request_rules.h"
#include "rules/rules.h"

enum exit_code option_word_error(const char *command, enum option_id id, const char *word)
{
    enum { MOST_WORDS = 16 };
    const char *known[MOST_WORDS];
    unsigned count = 0;
    while (count < MOST_WORDS && (known[count] = option_choice_word(id, count)) != NULL) {
        count++;
    }
    char what[64];
    snprintf(what, sizeof what, "value of --%s", option_name(id));
    return unknown_word(command, what, word, known, count);
}

/* Arguments and exceptions are objects for an inspector assembly; the profiler's own inspector
 * reads them in place. */
static enum exit_code check_objects(const struct request *request)
{
    for (uint32_t i = 0; request->rules && i < ilp_rules_count(request->rules); i++) {
        struct ilp_rule rule;
        ilp_rules_get(request->rules, i, &rule);
        const struct inspector_file *inspector = &request->inspector_files[rule.action.inspector];
        bool passes = rule.action.arguments || rule.action.exceptions;
        if (rule.enabled && !rule.exclude && inspector->native && !inspector->unmanaged && passes) {
            return usage_error(NULL,
                               "arguments and exceptions (--args, --exceptions, and what rules say "
                               "of them) are for the stock inspector, those in assemblies and that "
                               "of the profiler: native functions get none");
        }
    }
    return EXIT_DONE;
}

/* The message has the rule's file and line. */
static enum exit_code refuse_rule(const struct request *request, uint32_t number,
                                  const char *command, const char *word, const char *why)
{
    char *place = request_rule_place(request, number);
    enum exit_code code = usage_error(command, "%s: %s= %s", place ? place : "a rule", word, why);
    free(place);
    return code;
}

/* Values are tested where they are shown, which must be the profiler. */
static enum exit_code check_conditions(const struct request *request, const char *command)
{
    for (uint32_t i = 0; request->rules && i < ilp_rules_count(request->rules); i++) {
        struct ilp_rule rule;
        ilp_rules_get(request->rules, i, &rule);
        if (!rule.enabled || !rule.when || !(request->unmanaged || request->stands_in)) {
            continue;
        }
        if (!request->inspector_files[rule.action.inspector].unmanaged) {
            return refuse_rule(
                request, i, command, "when",
                "is for values that the profiler shows itself (--inspector " UNMANAGED
                "), and here another inspector is called");
        }
        char why[240];
        if (choice_cannot_test(ilpi_rules_when(request->rules, i), why, sizeof why)) {
            return refuse_rule(request, i, command, "when", why);
        }
        if (!rule.action.exceptions &&
            ilpi_condition_uses(ilpi_rules_when(request->rules, i), ILPI_ROOT_EXCEPTION)) {
            return refuse_rule(request, i, command, "when",
                               "has 'exception': the rule needs exceptions=\"yes\", too");
        }
    }
    return EXIT_DONE;
}

/* For commands that show no values themselves. */
enum exit_code request_refuse_values(const struct request *request, const char *command,
                                     const char *when, const char *redact)
{
    for (uint32_t i = 0; request->rules && i < ilp_rules_count(request->rules); i++) {
        struct ilp_rule rule;
        ilp_rules_get(request->rules, i, &rule);
        if (rule.enabled && rule.when) {
            return refuse_rule(request, i, command, "when", when);
        }
        if (rule.enabled && rule.redact && redact) {
            return refuse_rule(request, i, command, "redact", redact);
        }
    }
    return EXIT_DONE;
}

void request_add_redactions(const struct request *request, struct option_list *redact)
{
    for (uint32_t i = 0; request->rules && i < ilp_rules_count(request->rules); i++) {
        struct ilp_rule rule;
        ilp_rules_get(request->rules, i, &rule);
        if (rule.enabled && rule.redact) {
            option_list_add(redact, rule.redact);
        }
    }
}

static bool uses_self(const struct ilpi_condition *when)
{
    return when && ilpi_condition_uses(when, ILPI_ROOT_THIS);
}

/* A condition on arguments needs them at the entry of the call, so the rule passes them even if it
 * does not say so. */
enum exit_code request_pass_arguments(struct request *request, const struct ilpi_condition *when)
{
    if (choice_needs_entry(when) && request_need_rules(request) != EXIT_DONE) {
        return EXIT_CANNOT_WRITE;
    }
    for (uint32_t i = 0; request->rules && i < ilp_rules_count(request->rules); i++) {
        struct ilp_rule rule;
        ilp_rules_get(request->rules, i, &rule);
        const struct ilpi_condition *own = ilpi_rules_when(request->rules, i);
        if (rule.enabled && !rule.exclude &&
            (choice_needs_entry(when) || choice_needs_entry(own)) &&
            request->inspector_files[rule.action.inspector].unmanaged) {
            ilpi_rules_pass_arguments(request->rules, i, uses_self(when) || uses_self(own));
        }
    }
    return EXIT_DONE;
}

/* Rules first, since they name the inspectors, and checks last, since they need both. After a
 * failure everything is closed. */
enum exit_code request_open(struct request *request, const struct request_options *options,
                            bool every, const char *command)
{
    *request = (struct request){.target = options->target.value,
                                .unmanaged = options->unmanaged,
                                .stands_in = options->stands_in};
    enum exit_code code = EXIT_DONE;
    if (options->wrong_word) {
        code = option_word_error(command, options->wrong, options->wrong_word);
    }
    if (code == EXIT_DONE) {
        code = request_read_rules(request, options, every, command);
    }
    if (code == EXIT_DONE) {
        code = request_open_inspectors(request, options->inspector, command);
    }
    code = code == EXIT_DONE ? check_objects(request) : code;
    code = code == EXIT_DONE ? check_conditions(request, command) : code;
    if (code != EXIT_DONE) {
        request_close(request);
        return code;
    }
    request->references = references_open(options->reference_paths.items,
                                          options->reference_paths.count);
    return request->references ? EXIT_DONE : EXIT_CANNOT_WRITE;
}
