/* Prints why rules select a method or not, as text or as JSON (data/selection.schema.json):
 *
 *   explanation_begin()
 *     explanation_method()        for each method
 *       explanation_trace()       for each condition, then for its rule: ilp_explain() calls it
 *     explanation_decision(), or explanation_failed() after an error
 *   explanation_end() */
#ifndef EXPLANATION_OUT_H
#define EXPLANATION_OUT_H

#include <stdio.h>

#include "base/json.h"
#include "host/request.h"

struct explanation_out {
    const struct request *request; /* borrowed: its rules and inspectors have names */
    bool as_json;
    bool in_rule;     /* some conditions of a rule have come, but not yet the rule's own outcome */
    FILE *conditions; /* text of the current rule: it follows its head, which is known last */
    char *text;       /* what `conditions` has collected; valid once that is closed */
    size_t size;
    struct ilpi_json json; /* with `as_json` only */
};

/* To standard output. `file` is the assembly. */
void explanation_begin(struct explanation_out *out, const struct request *request, bool as_json,
                       const char *file);

void explanation_method(struct explanation_out *out, ilp_token method, const char *text);

/* `user` is the struct explanation_out. */
ilp_status explanation_trace(void *user, const struct ilp_rule_trace *trace);

void explanation_decision(struct explanation_out *out, const struct ilp_selection *selection);

void explanation_failed(struct explanation_out *out);

/* False if standard output takes no more. */
bool explanation_end(struct explanation_out *out);

#endif
