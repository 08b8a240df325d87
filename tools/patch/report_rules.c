/* What rules did, and suggestions for those that did nothing. See report_rules.h.
 *
 * A rule that decides about no method usually has a wrong name in it. While images are open, each
 * such rule is compared with their types: if its type exists, there is nothing to suggest;
 * otherwise a near name is kept, of the first image that has one. */
#include "tools/patch/report_rules.h"

#include <stdlib.h>
#include <string.h>

#include "rules/hint.h"
#include "tools/tool.h"

/* The limit of messages of one kind. */
#define MAX_IDLE_WARNED 10u

/* 0 without rules: then by_rule has one row that is not used. */
static uint32_t rule_count(const struct report_rules *rules)
{
    return rules->request->rules ? ilp_rules_count(rules->request->rules) : 0;
}

void report_rules_open(struct report_rules *rules, const struct request *request)
{
    rules->request = request;
    rules->by_rule = need(calloc(rule_count(rules) + 1, sizeof *rules->by_rule));
    rules->hints = need(calloc(MAX_IDLE_WARNED, sizeof *rules->hints));
}

void report_rules_close(struct report_rules *rules)
{
    for (uint32_t i = 0; i < MAX_IDLE_WARNED; i++) {
        free(rules->hints[i].name);
    }
    free(rules->hints);
    free(rules->by_rule);
}

/* Of all outcomes: an exclusion decides about methods, too. */
static uint32_t methods_of_rule(const struct report_rules *rules, uint32_t number)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < ILPI_REASON_COUNT; i++) {
        sum += rules->by_rule[number][i];
    }
    return sum;
}

/* Only for the first rules, since each search covers all types. Once a rule has decided about a
 * method, it needs none. A name that is found ends the search for its rule. */
void report_rules_find_hints(struct report_rules *rules, struct ilp_image *image)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    for (uint32_t i = 0; i < rule_count(rules) && i < MAX_IDLE_WARNED; i++) {
        struct rule_hint *hint = &rules->hints[i];
        struct ilpi_buf name = {.alloc = &alloc};
        if (hint->there || methods_of_rule(rules, i) != 0 || request_is_option(rules->request, i)) {
            continue;
        }
        switch (ilpi_rule_hint(rules->request->rules, i, image, &name)) {
        case ILPI_HINT_THERE: hint->there = true; break;
        case ILPI_HINT_TYPE:
            hint->name = hint->name ? hint->name : need(strdup((const char *)name.data));
            break;
        case ILPI_HINT_NONE: break;
        }
        ilpi_buf_free(&name);
    }
}

/* Also rules without any effect, so that the index in the list is that in methods. */
void report_rules_write(const struct report_rules *rules, struct ilpi_json *json)
{
    ilpi_json_array(json, "rules", ILPI_JSON_LINES);
    for (uint32_t i = 0; i < rule_count(rules); i++) {
        report_rule(json, rules->request->rules, i, methods_of_rule(rules, i),
                    report_inspected(rules->by_rule[i]));
    }
    ilpi_json_end(json);
}

/* Why a rule's methods were not inspected: "2 byref-like, 1 void". Owned by the caller. */
static char *count_reasons(const uint32_t by_reason[ILPI_REASON_COUNT])
{
    char *text = need(strdup(""));
    for (unsigned i = 0; i < ILPI_REASON_COUNT; i++) {
        if (by_reason[i] != 0) {
            char *longer = format_text("%s%s%u %s", text, text[0] != '\0' ? ", " : "", by_reason[i],
                                       ilp_reason_code((enum ilp_reason)i));
            free(text);
            text = longer;
        }
    }
    return text;
}

/* A user's rule without any effect. Rules made from options need not have one. Files that were
 * patched before count as an effect, since a second run inspects nothing new in them. */
static bool is_idle(const struct report_rules *rules, uint32_t number)
{
    const uint32_t *by_reason = rules->by_rule[number];
    struct ilp_rule rule;
    ilp_rules_get(rules->request->rules, number, &rule);
    return !request_is_option(rules->request, number) && rule.enabled &&
           (methods_of_rule(rules, number) == 0 ||
            (!rule.exclude && report_inspected(by_reason) == 0 &&
             by_reason[ILP_REASON_ALREADY] == 0));
}

/* Nothing to decide about, or nothing that could be inspected: these are two sentences. */
static void warn_idle(const struct report_rules *rules, uint32_t number)
{
    char *place = request_rule_place(rules->request, number);
    uint32_t methods = methods_of_rule(rules, number);
    if (methods == 0) {
        const struct rule_hint *hint = number < MAX_IDLE_WARNED ? &rules->hints[number] : NULL;
        if (hint && hint->name && !hint->there) {
            report_message("%s: decides about no method: no type has that name; did you mean '%s'?",
                           place, hint->name);
        } else {
            report_message("%s: decides about no method (ilpatch rules explain shows why)", place);
        }
    } else {
        char *reasons = count_reasons(rules->by_rule[number]);
        report_message("%s: decides about %u method%s, but none can be inspected: %s", place,
                       methods, plural(methods), reasons);
        free(reasons);
    }
    free(place);
}

/* Exit code 1: the files are good, but a part of the request had no effect. */
enum exit_code report_rules_warn_idle(const struct report_rules *rules)
{
    uint32_t idle = 0;
    for (uint32_t i = 0; i < rule_count(rules); i++) {
        if (is_idle(rules, i) && idle++ < MAX_IDLE_WARNED) {
            warn_idle(rules, i);
        }
    }
    if (idle > MAX_IDLE_WARNED) {
        report_message(
            "%u more rules have no effect; a report (--report) counts the methods of each",
            idle - MAX_IDLE_WARNED);
    }
    return idle != 0 ? EXIT_INCOMPLETE : EXIT_DONE;
}

/* The hint of the earlier file stays, as with one thread. */
void report_rules_add(const struct report_rules *part, struct report_rules *whole)
{
    for (uint32_t i = 0; i < rule_count(whole); i++) {
        for (unsigned reason = 0; reason < ILPI_REASON_COUNT; reason++) {
            whole->by_rule[i][reason] += part->by_rule[i][reason];
        }
    }
    for (uint32_t i = 0; i < MAX_IDLE_WARNED; i++) {
        struct rule_hint *hint = &part->hints[i];
        struct rule_hint *sum = &whole->hints[i];
        sum->there = sum->there || hint->there;
        if (!sum->name) {
            sum->name = hint->name;
            hint->name = NULL;
        }
    }
}
