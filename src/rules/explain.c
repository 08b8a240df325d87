/* Explains a decision of the rules about a method: the conditions of every rule that was tried, and
 * the method's facts.
 *
 * It evaluates what group.c does, with the same functions for single conditions, but without an
 * index and without stopping early: each condition becomes a line with its outcome. So it is
 * slower, and has the same outcome. */
#include <stdio.h>

#include "rules/select.h"

/* ---- facts ---- */

/* Words of a fact that is known hold together, those of an unknown one are possibilities. */
static void put_words(struct ilpi_buf *fact, enum ilpi_list list, uint32_t words, bool known)
{
    const char *lead = "";
    for (unsigned i = 0; i < 32; i++) {
        const char *word = words >> i & 1 ? ilpi_word_of(list, i) : NULL;
        if (word) {
            ilpi_buf_format(fact, "%s%s", lead, word);
            lead = known ? " " : " or ";
        }
    }
}

/* Unknown: `fact` stays empty, and the caller writes why. */
static ilp_status put_text(struct ilpi_match *match, const struct ilpi_rule_condition *condition,
                           struct ilpi_buf *fact, struct ilp_error *error)
{
    struct ilp_bytes text;
    bool known;
    ILPI_TRY(ilpi_pattern_text(match, condition->element, &text, &known, error));
    if (known) {
        ilpi_buf_bytes_add(fact, text.data, text.size);
    }
    return ILP_OK;
}

/* The names in all places that the condition looks at. They follow one another, each ended by a NUL
 * (struct ilpi_name_list). */
static ilp_status put_attributes(struct ilpi_match *match,
                                 const struct ilpi_rule_condition *condition, struct ilpi_buf *fact,
                                 struct ilp_error *error)
{
    uint32_t places = ilpi_places_of(condition);
    size_t before = fact->size;
    for (unsigned on = 0; on < ILP_ON_COUNT; on++) {
        const struct ilpi_name_list *list;
        if ((places >> on & 1) == 0) {
            continue;
        }
        ILPI_TRY(ilpi_facts_attributes(&match->facts, on, &list, error));
        for (size_t at = 0; at < list->names.size;) {
            const char *name = (const char *)list->names.data + at;
            ilpi_buf_format(fact, "%s%s", fact->size != before ? " " : "", name);
            at += strlen(name) + 1;
        }
    }
    if (fact->size == before) {
        ilpi_buf_text(fact, "none");
    }
    return ILP_OK;
}

/* Of a generic type only the instance is listed: lists with pairs have the definition before each
 * instance (supertypes.c). */
static ilp_status put_list(struct ilpi_match *match, enum ilpi_element element,
                           struct ilpi_buf *fact, struct ilp_error *error)
{
    const struct ilpi_name_list *list;
    bool known;
    ILPI_TRY(ilpi_pattern_list(match, element, &list, &known, error));
    const char *separator = element == ILPI_ELEMENT_PARAMETER ? ", " : " ";
    size_t before = fact->size;
    bool second = false;
    for (size_t at = 0; at < list->names.size && known; second = !second) {
        const char *name = (const char *)list->names.data + at;
        if (!list->pairs || second) {
            ilpi_buf_format(fact, "%s%s", fact->size != before ? separator : "", name);
        }
        at += strlen(name) + 1;
    }
    if (fact->size == before) {
        ilpi_buf_text(fact, "none");
    }
    return ILP_OK;
}

static ilp_status put_key_token(struct ilpi_match *match, struct ilpi_buf *fact,
                                struct ilp_error *error)
{
    bool known;
    ILPI_TRY(ilpi_match_key_token(match, &known, error));
    if (known && match->key_token.none) {
        ilpi_buf_text(fact, "none");
    }
    for (size_t i = 0; i < ILPI_KEY_TOKEN_BYTES && known && !match->key_token.none; i++) {
        ilpi_buf_format(fact, "%02x", match->key_token.bytes[i]);
    }
    return ILP_OK;
}

static ilp_status put_count(struct ilpi_match *match, struct ilpi_buf *fact,
                            struct ilp_error *error)
{
    bool known;
    ILPI_TRY(ilpi_facts_signature_read(&match->facts, &known, error));
    if (known) {
        ilpi_buf_format(fact, "%u", match->facts.sig->param_count);
    }
    return ILP_OK;
}

/* Nothing is written if a fact is unknown: the caller then writes why. */
static ilp_status put_return(struct ilpi_match *match, const struct ilpi_rule_value *value,
                             struct ilpi_buf *fact, struct ilp_error *error)
{
    uint32_t found;
    bool known;
    if (value->attribute == ILPI_ATTRIBUTE_RETURN_KIND) {
        ILPI_TRY(ilpi_facts_kinds(&match->facts, 1u << ILP_KIND_TASK, &found, &known, error));
        put_words(fact, ILPI_LIST_KIND, found, known);
        return ILP_OK;
    }
    ILPI_TRY(ilpi_facts_size(&match->facts, &found, &known, error));
    if (known && found == 0) {
        ilpi_buf_text(fact, "no struct");
    } else if (known) {
        ilpi_buf_format(fact, "%u bytes", found);
    }
    return ILP_OK;
}

static ilp_status put_body(struct ilpi_match *match, const struct ilpi_rule_value *value,
                           struct ilpi_buf *fact, struct ilp_error *error)
{
    const struct ilpi_facts_body *body;
    bool tails = value->attribute == ILPI_ATTRIBUTE_BODY_TAIL_CALLS;
    bool known;
    ILPI_TRY(ilpi_facts_body(&match->facts, tails, &body, &known, error));
    if (!known) {
        return ILP_OK;
    }
    if (!body->present) {
        ilpi_buf_text(fact, "no body");
    } else if (tails || value->attribute == ILPI_ATTRIBUTE_BODY_EXCEPTION_HANDLING) {
        ilpi_buf_text(fact, (tails ? body->tails : body->handlers) ? "yes" : "no");
    } else {
        ilpi_buf_format(fact, "%u bytes", body->size);
    }
    return ILP_OK;
}

/* What a bug requires, besides its first condition. */
static ilp_status put_affected(struct ilpi_match *match, struct ilpi_buf *fact,
                               struct ilp_error *error)
{
    struct ilpi_method_facts *facts = &match->facts;
    uint32_t kinds;
    uint32_t size = 0;
    bool known;
    const char *target = ilpi_word_of(ILPI_LIST_TARGET, facts->target);
    ILPI_TRY(ilpi_facts_kinds(facts, 0, &kinds, &known, error));
    ilpi_buf_text(fact, "returns ");
    put_words(fact, ILPI_LIST_KIND, kinds & ((1u << ILP_KIND_COUNT) - 1), known);
    if (known && (kinds >> ILP_KIND_STRUCT & 1) != 0) {
        ILPI_TRY(ilpi_facts_size(facts, &size, &known, error));
        if (size != 0) {
            ilpi_buf_format(fact, " of %u bytes", size);
        }
    }
    ilpi_buf_format(fact, ", runs on %s", target ? target : "anycpu");
    return ILP_OK;
}

/* The fact is what the condition compares, in the same words as the rule file, so that a rule can
 * be corrected by copying. */
static ilp_status put_fact(struct ilpi_match *match, const struct ilpi_rule_condition *condition,
                           const struct ilpi_rule_value *value, struct ilpi_buf *fact,
                           struct ilp_error *error)
{
    struct ilpi_method_facts *facts = &match->facts;
    uint32_t found;
    if (condition->element == ILPI_ELEMENT_ATTRIBUTE) {
        return put_attributes(match, condition, fact, error);
    }
    if (ilpi_is_listed(condition->element)) {
        return put_list(match, condition->element, fact, error);
    }
    if (ilpi_is_pattern(ilpi_attributes[value->attribute].form)) {
        return put_text(match, condition, fact, error);
    }
    switch (value->attribute) {
    case ILPI_ATTRIBUTE_ASSEMBLY_VERSION: {
        const uint16_t *version = match->assembly.version;
        ilpi_buf_format(fact, "%u.%u.%u.%u", version[0], version[1], version[2], version[3]);
        return ILP_OK;
    }
    case ILPI_ATTRIBUTE_ASSEMBLY_KEY_TOKEN: return put_key_token(match, fact, error);
    case ILPI_ATTRIBUTE_PARAMETERS_COUNT: return put_count(match, fact, error);
    case ILPI_ATTRIBUTE_TYPE_ARITY:
        ilpi_buf_format(fact, "%u", ilpi_facts_arity(facts, ILP_TOKEN(ILP_TypeDef, facts->owner)));
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_ARITY:
        ilpi_buf_format(fact, "%u",
                        ilpi_facts_arity(facts, ILP_TOKEN(ILP_MethodDef, facts->method)));
        return ILP_OK;
    case ILPI_ATTRIBUTE_TYPE_NESTED:
        ilpi_buf_text(fact, ilp_enclosing_type(facts->image, facts->owner) != 0 ? "yes" : "no");
        return ILP_OK;
    case ILPI_ATTRIBUTE_TYPE_VISIBILITY:
        put_words(fact, ILPI_LIST_VISIBILITY, 1u << ilpi_facts_visibility(facts, ILP_TypeDef),
                  true);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_VISIBILITY:
        put_words(fact, ILPI_LIST_VISIBILITY, 1u << ilpi_facts_visibility(facts, ILP_MethodDef),
                  true);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_STATIC:
        ilpi_buf_text(fact, ilpi_facts_flag(facts, ILPI_METHOD_STATIC) ? "yes" : "no");
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_VIRTUAL:
        ilpi_buf_text(fact, ilpi_facts_flag(facts, ILPI_METHOD_VIRTUAL) ? "yes" : "no");
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_ROLE:
        ILPI_TRY(ilpi_facts_roles(facts, &found, error));
        put_words(fact, ILPI_LIST_ROLE, found, true);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_GENERATED:
        ilpi_buf_text(fact, ilpi_facts_is_generated(facts) ? "yes" : "no");
        return ILP_OK;
    case ILPI_ATTRIBUTE_RETURN_KIND:
    case ILPI_ATTRIBUTE_RETURN_LARGER_THAN: return put_return(match, value, fact, error);
    case ILPI_ATTRIBUTE_AFFECTED_BUG: return put_affected(match, fact, error);
    default: return put_body(match, value, fact, error);
    }
}

/* ---- the rule trace ---- */

/* An allocation that failed in the last call may succeed now. */
static void begin_texts(struct ilp_selector *selector)
{
    selector->text.size = selector->fact.size = 0;
    selector->text.status = selector->fact.status = ILP_OK;
}

/* What is the same for all lines of a method. */
struct explainer {
    struct ilp_selector *selector;
    ilp_status (*report)(void *user, const struct ilp_rule_trace *trace);
    void *user;    /* of report() */
    uint32_t rule; /* the one that is being evaluated */
    struct ilp_error *error;
};

/* Passes a line of the rule trace to the caller; its texts are in selector->text and
 * selector->fact. Both are emptied after the call, for the next line. */
static ilp_status report_line(struct explainer *explainer, uint32_t line, unsigned depth,
                              enum ilp_tristate outcome)
{
    struct ilp_selector *selector = explainer->selector;
    ilpi_buf_u8(&selector->text, 0);
    ilpi_buf_u8(&selector->fact, 0);
    if (selector->text.status != ILP_OK || selector->fact.status != ILP_OK) {
        return ilpi_fail_memory(explainer->error, selector->fact.size);
    }
    struct ilp_rule_trace trace = {.rule = explainer->rule,
                                   .outcome = outcome,
                                   .line = line,
                                   .depth = depth,
                                   .condition = (const char *)selector->text.data,
                                   .fact = (const char *)selector->fact.data};
    ilp_status status = explainer->report(explainer->user, &trace);
    selector->text.size = 0;
    selector->fact.size = 0;
    return status == ILP_OK
               ? ILP_OK
               : ilpi_fail(explainer->error, status, ILPI_NO_OFFSET, 0, "the callback failed");
}

/* One attribute of a condition, with its fact. */
static ilp_status report_value(struct explainer *explainer,
                               const struct ilpi_rule_condition *condition,
                               const struct ilpi_rule_value *value, unsigned depth,
                               enum ilp_tristate *outcome)
{
    struct ilp_selector *selector = explainer->selector;
    ILPI_TRY(ilpi_value_holds(&selector->match, condition, value, outcome, explainer->error));
    ilpi_buf_format(&selector->text, "<%s %s=\"%s\">", ilpi_elements[condition->element].word,
                    ilpi_attributes[value->attribute].word, value->text);
    if (*outcome == ILP_UNKNOWN) {
        ilpi_buf_text(&selector->fact, selector->match.facts.why);
    } else {
        ILPI_TRY(put_fact(&selector->match, condition, value, &selector->fact, explainer->error));
    }
    return report_line(explainer, condition->line, depth, *outcome);
}

static ilp_status report_condition(struct explainer *explainer,
                                   const struct ilpi_rule_condition *condition, unsigned depth,
                                   enum ilp_tristate *outcome);

/* Everything in a group is reported, whether it decided or not; the group itself follows its
 * contents. */
static ilp_status report_group(struct explainer *explainer, enum ilpi_element group,
                               const struct ilpi_rule_condition *inner, unsigned depth,
                               enum ilp_tristate *outcome)
{
    enum ilp_tristate sum = ilpi_group_begin(group);
    for (; inner; inner = inner->next) {
        enum ilp_tristate next;
        ILPI_TRY(report_condition(explainer, inner, depth, &next));
        sum = ilpi_group_add(group, sum, next);
    }
    *outcome = ilpi_group_end(group, sum);
    return ILP_OK;
}

/* A group is reported after what is in it, so that its outcome is known; the depth lets the reader
 * put them together. Attributes of one condition are joined as <all> does it, and each has a line
 * of its own. */
static ilp_status report_condition(struct explainer *explainer,
                                   const struct ilpi_rule_condition *condition, unsigned depth,
                                   enum ilp_tristate *outcome)
{
    if (ilpi_elements[condition->element].place == ILPI_PLACE_GROUP) {
        ILPI_TRY(report_group(explainer, condition->element, condition->inner, depth + 1, outcome));
        ilpi_buf_format(&explainer->selector->text, "<%s>", ilpi_elements[condition->element].word);
        return report_line(explainer, condition->line, depth, *outcome);
    }
    *outcome = ILP_YES;
    for (const struct ilpi_rule_value *value = condition->values; value; value = value->next) {
        enum ilp_tristate next;
        if (ilpi_is_place(value->attribute)) {
            continue;
        }
        ILPI_TRY(report_value(explainer, condition, value, depth, &next));
        *outcome = ilpi_group_add(ILPI_ELEMENT_ALL, *outcome, next);
    }
    return ILP_OK;
}

/* The rules in their order, until one decides: the same as ilp_select(), but without the index,
 * since rules that do not match are to be explained, too. */
ilp_status ilp_explain(struct ilp_selector *selector, ilp_token method,
                       ilp_status (*report)(void *user, const struct ilp_rule_trace *trace),
                       void *user, struct ilp_selection *selection, struct ilp_error *error)
{
    const struct ilp_rules *rules = selector->rules;
    struct explainer explainer = {selector, report, user, 0, error};
    /* Also if the assembly alone decides (`settled`): the reader wants to see why. */
    ILPI_TRY(ilpi_select_begin(selector, method, selection, error));
    begin_texts(selector);
    for (; explainer.rule < rules->rules.count; explainer.rule++) {
        const struct ilpi_rule *rule = &rules->rules.items[explainer.rule];
        enum ilp_tristate outcome;
        if (!rule->head.enabled) {
            continue;
        }
        ILPI_TRY(report_group(&explainer, ILPI_ELEMENT_ALL, rule->conditions, 0, &outcome));
        /* Line 0 is the outcome of the rule as a whole (struct ilp_rule_trace). */
        ILPI_TRY(report_line(&explainer, 0, 0, outcome));
        if (outcome != ILP_NO) {
            ilpi_decide(selector, explainer.rule, outcome, selection);
            break;
        }
    }
    return ILP_OK;
}

ilp_status ilp_affected(struct ilp_selector *selector, ilp_token method, unsigned bug,
                        enum ilp_tristate *affected, const char **why, struct ilp_error *error)
{
    struct ilp_selection selection;
    ILPI_TRY(ilpi_select_begin(selector, method, &selection, error));
    ILPI_TRY(ilpi_facts_affected(&selector->match.facts, bug, affected, error));
    begin_texts(selector);
    if (*affected == ILP_UNKNOWN) {
        ilpi_buf_text(&selector->text, selector->match.facts.why);
    } else {
        ILPI_TRY(put_affected(&selector->match, &selector->text, error));
    }
    ilpi_buf_u8(&selector->text, 0);
    *why = (const char *)selector->text.data;
    return selector->text.status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, selector->text.size);
}
