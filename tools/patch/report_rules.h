/* The part of a report that is about rules: how many methods each decided about, with which
 * answers, and what those may have meant that did nothing. */
#ifndef REPORT_RULES_H
#define REPORT_RULES_H

#include "host/report_parts.h"
#include "host/request.h"
#include "inspect/reasons.h"

/* What a rule that does nothing may have meant. */
struct rule_hint {
    bool there; /* it names a type that is there, or none */
    char *name; /* a type that is spelled otherwise; owned, NULL: there is none */
};

struct report_rules {
    const struct request *request;          /* borrowed */
    uint32_t (*by_rule)[ILPI_REASON_COUNT]; /* all modules together */
    struct rule_hint *hints;                /* per rule, of the first ones that do nothing */
};

void report_rules_open(struct report_rules *rules, const struct request *request);
void report_rules_close(struct report_rules *rules);

/* At the end of a module with methods: what rules that did nothing so far may mean in it. */
void report_rules_find_hints(struct report_rules *rules, struct ilp_image *image);

/* As a list of the document. */
void report_rules_write(const struct report_rules *rules, struct ilpi_json *json);

/* Tells of rules that did nothing: that no method meets, or that selected only what cannot be
 * inspected. After the first ones it reports only how many more there are. */
enum exit_code report_rules_tell_idle(const struct report_rules *rules);

void report_rules_add(const struct report_rules *part, struct report_rules *whole);

#endif
