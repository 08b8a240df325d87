/* One method: the rules, then the rewriter. See inspection.h.
 *
 * Work on all methods together is bounded by budgets (struct ilpi_spent): of bodies and signatures,
 * of rule reads, and of rules tried. A budget that is used up gives later methods an outcome, not
 * an error. */
#include "inspect/inspection.h"

#include <stdio.h>

#include "inspect/async/rewrite_machine.h"
#include "inspect/rewriter.h"
#include "rules/select.h"

/* The outcome of a method that the rules exclude:
 *
 *   no rule matches                    NOT_SELECTED
 *   a rule that excludes matches       EXCLUDED
 *   whether one matches is not known   UNDECIDED, whatever the rule */
static void answer_by_rules(const struct ilp_selection *selection, struct ilp_method_result *result)
{
    *result = (struct ilp_method_result){.rule = selection->rule};
    result->reason = selection->rule == ILP_NO_RULE ? ILP_REASON_NOT_SELECTED : ILP_REASON_EXCLUDED;
    if (selection->included == ILP_UNKNOWN) {
        result->reason = ILP_REASON_UNDECIDED;
    }
    snprintf(result->detail, sizeof result->detail, "%s", selection->detail);
}

/* A method of a state machine is rewritten according to its kickoff method's rule, if that requests
 * the state machine's result. Otherwise a rule that requests it for the state machine's method
 * itself treats that as an ordinary method: what is excluded stays excluded. */
static ilp_status select_method(struct ilp_inspection *inspection, ilp_token method,
                                struct ilp_selection *selection, struct ilp_error *error)
{
    struct ilpi_module_context *module = &inspection->rewriter->module;
    ilp_rid kickoff = 0;
    if (inspection->state_machines) {
        ILPI_TRY(ilpi_kickoff_of(
            module, ILP_TOKEN_TABLE(method) == ILP_MethodDef ? ILP_TOKEN_RID(method) : 0, &kickoff,
            error));
    }
    if (kickoff != 0) {
        ILPI_TRY(
            ilp_select(inspection->selector, ILP_TOKEN(ILP_MethodDef, kickoff), selection, error));
        if (selection->included == ILP_YES &&
            ilpi_wants_state_machine(module, kickoff, &selection->action)) {
            return ILP_OK;
        }
    }
    ILPI_TRY(ilp_select(inspection->selector, method, selection, error));
    if (kickoff != 0 && ilpi_wants_state_machine(module, kickoff, &selection->action)) {
        ilpi_want_no_state_machine(&selection->action);
    }
    return ILP_OK;
}

/* Whether any rule requests results of state machines: only then are these searched for. */
static bool any_rule_wants_state_machines(const struct ilp_rules *rules)
{
    for (uint32_t i = 0; i < ilp_rules_count(rules); i++) {
        struct ilp_rule rule;
        ilp_rules_get(rules, i, &rule);
        if (rule.enabled && !rule.exclude && ilpi_wants_state_machines(&rule.action)) {
            return true;
        }
    }
    return false;
}

/* ---- budgets ---- */

/* Where the rest of each budget is stored; NULL: there is no such budget. */
struct counters {
    uint64_t *left[ILPI_BUDGETS];
};

static struct counters counters_of(const struct ilp_inspection *inspection)
{
    struct ilp_selector *selector = inspection->selector;
    return (struct counters){{&inspection->rewriter->module.budget.left,
                              selector ? &selector->match.facts.budget.left : NULL,
                              selector ? &selector->steps : NULL}};
}

static void take_budgets(struct ilp_inspection *inspection)
{
    struct counters counters = counters_of(inspection);
    for (unsigned i = 0; i < ILPI_BUDGETS; i++) {
        inspection->budgets[i] = counters.left[i] ? *counters.left[i] : 0;
    }
}

struct ilpi_spent ilpi_inspection_spent(const struct ilp_inspection *inspection)
{
    struct counters counters = counters_of(inspection);
    struct ilpi_spent spent = {{0}};
    for (unsigned i = 0; i < ILPI_BUDGETS; i++) {
        spent.of[i] = counters.left[i] ? inspection->budgets[i] - *counters.left[i] : 0;
    }
    return spent;
}

void ilpi_inspection_refill(struct ilp_inspection *inspection)
{
    struct counters counters = counters_of(inspection);
    for (unsigned i = 0; i < ILPI_BUDGETS; i++) {
        if (counters.left[i]) {
            *counters.left[i] = inspection->budgets[i];
        }
    }
}

bool ilpi_inspection_is_little(const struct ilp_inspection *inspection,
                               const struct ilpi_spent *spent)
{
    bool little = true;
    for (unsigned i = 0; i < ILPI_BUDGETS; i++) {
        little = little && spent->of[i] <= inspection->budgets[i] / 2;
    }
    return little;
}

/* ---- opening ---- */

/* Before an inspector is opened or a body read: a module that no rule can select needs nothing. */
ilp_status ilpi_inspection_possible(struct ilp_image *image, const struct ilp_request *request,
                                    bool *possible, struct ilp_error *error)
{
    struct ilp_selector *selector;
    *possible = true;
    if (!request->rules) {
        return ILP_OK;
    }
    ILPI_TRY(ilp_selector_open(&selector, request->rules, image, NULL, request->target,
                               request->allocator, error));
    ilp_status status = ilpi_select_any(selector, possible, error);
    ilp_selector_close(selector);
    return status;
}

/* For tracing every method is taken, so state machines have no meaning: each part is traced as the
 * method that it is. */
ilp_status ilpi_inspection_open(struct ilp_inspection **out, struct ilp_image *image,
                                const struct ilp_request *request,
                                const struct ilp_emitter *emitter, const struct ilpi_tracer *tracer,
                                struct ilp_error *error)
{
    *out = NULL;
    struct ilp_inspection *inspection = ilpi_object_open(sizeof *inspection, request->allocator,
                                                         error);
    if (!inspection) {
        return ILP_E_NO_MEMORY;
    }
    ilp_status status = ILP_OK;
    if (request->rules) {
        inspection->state_machines = !tracer && any_rule_wants_state_machines(request->rules);
        status = ilp_selector_open(&inspection->selector, request->rules, image, request->resolver,
                                   request->target, request->allocator, error);
    }
    if (status == ILP_OK) {
        status = ilpi_rewriter_open(&inspection->rewriter, image, request, emitter, tracer, error);
    }
    if (status != ILP_OK) {
        ilp_inspection_close(inspection);
        return status;
    }
    take_budgets(inspection);
    *out = inspection;
    return ILP_OK;
}

ilp_status ilp_inspection_open(struct ilp_inspection **out, struct ilp_image *image,
                               const struct ilp_request *request, const struct ilp_emitter *emitter,
                               struct ilp_error *error)
{
    return ilpi_inspection_open(out, image, request, emitter, NULL, error);
}

void ilp_inspection_close(struct ilp_inspection *inspection)
{
    if (!inspection) {
        return;
    }
    ilp_rewriter_close(inspection->rewriter);
    ilp_selector_close(inspection->selector);
    ilpi_object_close(&inspection->alloc, sizeof *inspection);
}

struct ilp_rewriter *ilp_inspection_rewriter(const struct ilp_inspection *inspection)
{
    return inspection->rewriter;
}

/* `body`: the method's bytes if they are not those of the file (another profiler may have changed
 * them); empty: those of the file. */
ilp_status ilp_inspect_method(struct ilp_inspection *inspection, ilp_token method,
                              struct ilp_bytes body, struct ilp_method_result *result,
                              struct ilp_error *error)
{
    struct ilp_selection selection = {.rule = ILP_NO_RULE, .included = ILP_YES};
    if (inspection->selector) {
        ILPI_TRY(select_method(inspection, method, &selection, error));
    }
    if (selection.included != ILP_YES) {
        answer_by_rules(&selection, result);
        return ILP_OK;
    }
    ILPI_TRY(
        ilp_rewrite_method(inspection->rewriter, method, &selection.action, body, result, error));
    result->rule = selection.rule;
    return ILP_OK;
}
