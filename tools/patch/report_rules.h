/* The part of a report about rules: how many methods each decided, with which answers, and
 * suggestions for those that did nothing. */
#ifndef REPORT_RULES_H
#define REPORT_RULES_H

#include "host/report_parts.h"
#include "host/request.h"
#include "inspect/reasons.h"

/* A suggestion for a rule that does nothing. */
struct rule_hint {
    bool there; /* the rule names an existing type, or none */
    char *name; /* a type that is spelled otherwise; owned, NULL: there is none */
};

struct report_rules {
    const struct request *request;          /* borrowed */
    uint32_t (*by_rule)[ILPI_REASON_COUNT]; /* all modules together */
    struct rule_hint *hints;                /* per rule, for the first ones that do nothing */
};

void report_rules_open(struct report_rules *rules, const struct request *request);
void report_rules_close(struct report_rules *rules);

/* At the end of a module with methods: suggestions for rules that have done nothing until now. */
void report_rules_find_hints(struct report_rules *rules, struct ilp_image *image);

/* Writes them as a list of the document. */
void report_rules_write(const struct report_rules *rules, struct ilpi_json *json);

/* Reports rules that did nothing: that no method meets, or that only selected methods that cannot
 * be inspected. Beyond a limit it only reports how many more there are. */
enum exit_code report_rules_warn_idle(const struct report_rules *rules);

void report_rules_add(const struct report_rules *part, struct report_rules *whole);

#endif
