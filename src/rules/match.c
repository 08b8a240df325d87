/* Puts conditions to a method: each attribute asks for one fact (subject.h). Answers have three values: where a fact
 * cannot be told, a condition is neither true nor false, and nobody guesses.
 */
#include "rules/match.h"

#include <stdio.h>

#include "rules/value.h"

static enum ilp_truth truth_of(bool value)
{
    return value ? ILP_YES : ILP_NO;
}

/* ---- patterns ---- */

static enum ilp_truth match_text(struct ilpi_match *match, const struct ilpi_value *value,
                                 struct ilp_bytes text)
{
    enum ilp_truth truth = ilpi_pattern_match(&value->as.pattern, match->patterns, text);
    if (truth == ILP_UNKNOWN) {
        snprintf(match->subject.why, sizeof match->subject.why,
                 "the pattern '%.60s' takes too many steps on '%.100s'", value->text,
                 (const char *)text.data);
    }
    return truth;
}

ilp_status ilpi_pattern_text(struct ilpi_match *match, enum ilpi_element element,
                             struct ilp_bytes *text, bool *known, struct ilp_error *error)
{
    struct ilpi_subject *subject = &match->subject;
    *known = true;
    switch (element) {
    case ILPI_ELEMENT_ASSEMBLY:
        *text = (struct ilp_bytes){(const uint8_t *)match->assembly.name, strlen(match->assembly.name)};
        return ILP_OK;
    case ILPI_ELEMENT_NAMESPACE:
        *text = ilpi_subject_namespace(subject);
        return ilpi_subject_status(subject, error);
    case ILPI_ELEMENT_TYPE:
        *text = ilpi_subject_type(subject);
        return ilpi_subject_status(subject, error);
    case ILPI_ELEMENT_SIGNATURE:
        return ilpi_subject_signature(subject, text, known, error);
    case ILPI_ELEMENT_RETURN:
        return ilpi_subject_returns(subject, text, known, error);
    default:
        *text = ilpi_subject_method(subject);
        return ILP_OK;
    }
}

uint32_t ilpi_places_of(const struct ilpi_condition *condition)
{
    for (const struct ilpi_value *value = condition->values; value; value = value->next) {
        if (value->attribute == ILPI_ATTRIBUTE_ATTRIBUTE_ON) {
            return value->as.words;
        }
    }
    return 1u << ILP_ON_METHOD;
}

static ilp_status match_attributes(struct ilpi_match *match, const struct ilpi_condition *condition,
                                   const struct ilpi_value *value, enum ilp_truth *truth,
                                   struct ilp_error *error)
{
    uint32_t places = ilpi_places_of(condition);
    *truth = ILP_NO;
    for (unsigned on = 0; on < ILP_ON_COUNT; on++) {
        const struct ilpi_name_list *list;
        if ((places >> on & 1) == 0) {
            continue;
        }
        ILPI_TRY(ilpi_subject_attributes(&match->subject, on, &list, error));
        const uint8_t *name = list->names.data;
        const uint8_t *end = name ? name + list->names.size : NULL;
        for (; name != end && *truth != ILP_YES;) {
            size_t size = strlen((const char *)name);
            *truth = ilpi_group_add(ILPI_ELEMENT_ANY, *truth,
                                    match_text(match, value, (struct ilp_bytes){name, size}));
            name += size + 1;
        }
    }
    return ILP_OK;
}

static ilp_status match_pattern(struct ilpi_match *match, const struct ilpi_condition *condition,
                                const struct ilpi_value *value, enum ilp_truth *truth,
                                struct ilp_error *error)
{
    struct ilp_bytes text;
    bool known;
    if (condition->element == ILPI_ELEMENT_ATTRIBUTE) {
        return match_attributes(match, condition, value, truth, error);
    }
    ILPI_TRY(ilpi_pattern_text(match, condition->element, &text, &known, error));
    *truth = known ? match_text(match, value, text) : ILP_UNKNOWN;
    return ILP_OK;
}

/* ---- other attributes ---- */

/* One of the words is true; where facts are open, all that may be true are set. */
static enum ilp_truth match_words(uint32_t wanted, uint32_t facts, bool known)
{
    return (wanted & facts) == 0 ? ILP_NO : known || (facts & ~wanted) == 0 ? ILP_YES : ILP_UNKNOWN;
}

static ilp_status match_return(struct ilpi_match *match, const struct ilpi_value *value,
                               enum ilp_truth *truth, struct ilp_error *error)
{
    uint32_t fact;
    bool known;
    if (value->attribute == ILPI_ATTRIBUTE_RETURN_KIND) {
        ILPI_TRY(ilpi_subject_kinds(&match->subject, value->as.words, &fact, &known, error));
        *truth = match_words(value->as.words, fact, known);
        return ILP_OK;
    }
    ILPI_TRY(ilpi_subject_size(&match->subject, &fact, &known, error));
    *truth = known ? truth_of(fact > value->as.number) : ILP_UNKNOWN;
    return ILP_OK;
}

static ilp_status match_body(struct ilpi_match *match, const struct ilpi_value *value,
                             enum ilp_truth *truth, struct ilp_error *error)
{
    const struct ilpi_subject_body *body;
    bool tails = value->attribute == ILPI_ATTRIBUTE_BODY_TAIL_CALLS;
    bool known;
    ILPI_TRY(ilpi_subject_body(&match->subject, tails, &body, &known, error));
    bool holds = value->attribute == ILPI_ATTRIBUTE_BODY_MIN_SIZE ? body->size >= value->as.number
                 : value->attribute == ILPI_ATTRIBUTE_BODY_MAX_SIZE
                     ? body->size <= value->as.number
                     : (tails ? body->tails : body->handlers) == value->as.yes;
    *truth = known ? truth_of(body->present && holds) : ILP_UNKNOWN;
    return ILP_OK;
}

static ilp_status match_affected(struct ilpi_match *match, uint32_t bugs, enum ilp_truth *truth,
                                 struct ilp_error *error)
{
    *truth = ILP_NO;
    for (unsigned bug = 0; bug < ILP_BUG_COUNT; bug++) {
        enum ilp_truth one = ILP_NO;
        if ((bugs >> bug & 1) != 0) {
            ILPI_TRY(ilpi_subject_affected(&match->subject, bug, &one, error));
        }
        *truth = ilpi_group_add(ILPI_ELEMENT_ANY, *truth, one);
    }
    return ILP_OK;
}

ilp_status ilpi_value_holds(struct ilpi_match *match, const struct ilpi_condition *condition,
                            const struct ilpi_value *value, enum ilp_truth *truth,
                            struct ilp_error *error)
{
    struct ilpi_subject *subject = &match->subject;
    uint32_t facts;
    *truth = ILP_YES;
    if (ilpi_is_pattern(ilpi_attributes[value->attribute].form)) {
        return match_pattern(match, condition, value, truth, error);
    }
    switch (value->attribute) {
    case ILPI_ATTRIBUTE_ASSEMBLY_VERSION:
        *truth = truth_of(ilpi_versions_hold(&value->as.versions, match->assembly.version));
        return ILP_OK;
    case ILPI_ATTRIBUTE_TYPE_ARITY:
        *truth = truth_of(ilpi_subject_arity(subject, ILP_TOKEN(ILP_TypeDef, subject->owner)) ==
                          value->as.number);
        return ILP_OK;
    case ILPI_ATTRIBUTE_TYPE_NESTED:
        *truth = truth_of((ilp_enclosing_type(subject->image, subject->owner) != 0) == value->as.yes);
        return ILP_OK;
    case ILPI_ATTRIBUTE_TYPE_VISIBILITY:
        *truth = truth_of(value->as.words >> ilpi_subject_visibility(subject, ILP_TypeDef) & 1);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_ARITY:
        *truth = truth_of(ilpi_subject_arity(subject, ILP_TOKEN(ILP_MethodDef, subject->method)) ==
                          value->as.number);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_VISIBILITY:
        *truth = truth_of(value->as.words >> ilpi_subject_visibility(subject, ILP_MethodDef) & 1);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_STATIC:
        *truth = truth_of(ilpi_subject_flag(subject, ILPI_METHOD_STATIC) == value->as.yes);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_VIRTUAL:
        *truth = truth_of(ilpi_subject_flag(subject, ILPI_METHOD_VIRTUAL) == value->as.yes);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_ROLE:
        ILPI_TRY(ilpi_subject_roles(subject, &facts, error));
        *truth = match_words(value->as.words, facts, true);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_GENERATED:
        *truth = truth_of(ilpi_subject_is_generated(subject) == value->as.yes);
        return ILP_OK;
    case ILPI_ATTRIBUTE_RETURN_KIND:
    case ILPI_ATTRIBUTE_RETURN_LARGER_THAN:
        return match_return(match, value, truth, error);
    case ILPI_ATTRIBUTE_BODY_MIN_SIZE:
    case ILPI_ATTRIBUTE_BODY_MAX_SIZE:
    case ILPI_ATTRIBUTE_BODY_TAIL_CALLS:
    case ILPI_ATTRIBUTE_BODY_EXCEPTION_HANDLING:
        return match_body(match, value, truth, error);
    case ILPI_ATTRIBUTE_AFFECTED_BUG:
        return match_affected(match, value->as.words, truth, error);
    default: /* ILPI_ATTRIBUTE_ATTRIBUTE_ON says where the pattern looks */
        return ILP_OK;
    }
}

/* ---- conditions ---- */

enum ilp_truth ilpi_group_begin(enum ilpi_element group)
{
    return group == ILPI_ELEMENT_ANY ? ILP_NO : ILP_YES;
}

/* Of all: one that is false makes it false, whatever is unknown; of any: one that is true makes it true. */
enum ilp_truth ilpi_group_add(enum ilpi_element group, enum ilp_truth sum, enum ilp_truth next)
{
    enum ilp_truth decides = group == ILPI_ELEMENT_ANY ? ILP_YES : ILP_NO;
    return sum == decides || next == decides             ? decides
           : sum == ILP_UNKNOWN || next == ILP_UNKNOWN ? ILP_UNKNOWN
                                                         : sum;
}

enum ilp_truth ilpi_group_end(enum ilpi_element group, enum ilp_truth sum)
{
    return group != ILPI_ELEMENT_NOT || sum == ILP_UNKNOWN ? sum : sum == ILP_YES ? ILP_NO : ILP_YES;
}

ilp_status ilpi_values_hold(struct ilpi_match *match, const struct ilpi_condition *condition,
                            enum ilp_truth *truth, struct ilp_error *error)
{
    *truth = ILP_YES;
    for (const struct ilpi_value *value = condition->values; value && *truth != ILP_NO;
         value = value->next) {
        enum ilp_truth next;
        ILPI_TRY(ilpi_value_holds(match, condition, value, &next, error));
        *truth = ilpi_group_add(ILPI_ELEMENT_ALL, *truth, next);
    }
    return ILP_OK;
}

static ilp_status group_holds(struct ilpi_match *match, enum ilpi_element group,
                              const struct ilpi_condition *conditions, enum ilp_truth *truth,
                              struct ilp_error *error);

static ilp_status condition_holds(struct ilpi_match *match, const struct ilpi_condition *condition,
                                  enum ilp_truth *truth, struct ilp_error *error)
{
    if (ilpi_elements[condition->element].place == ILPI_PLACE_GROUP) {
        return group_holds(match, condition->element, condition->inner, truth, error);
    }
    if (match->assembly_alone && condition->element != ILPI_ELEMENT_ASSEMBLY) {
        *truth = ILP_UNKNOWN;
        return ILP_OK;
    }
    return ilpi_values_hold(match, condition, truth, error);
}

/* Groups nest no deeper than the reader lets them. Of an <any> with many names the one that the rule was found by comes
 * first, and mostly decides. */
static ilp_status group_holds(struct ilpi_match *match, enum ilpi_element group,
                              const struct ilpi_condition *conditions, enum ilp_truth *truth,
                              struct ilp_error *error)
{
    enum ilp_truth sum = ilpi_group_begin(group);
    enum ilp_truth decides = group == ILPI_ELEMENT_ANY ? ILP_YES : ILP_NO;
    if (conditions && conditions == match->any) {
        ILPI_TRY(condition_holds(match, match->found, &sum, error));
    }
    for (; conditions && sum != decides; conditions = conditions->next) {
        enum ilp_truth next;
        ILPI_TRY(condition_holds(match, conditions, &next, error));
        sum = ilpi_group_add(group, sum, next);
    }
    *truth = ilpi_group_end(group, sum);
    return ILP_OK;
}

ilp_status ilpi_conditions_hold(struct ilpi_match *match, const struct ilpi_condition *conditions,
                                enum ilp_truth *truth, struct ilp_error *error)
{
    return group_holds(match, ILPI_ELEMENT_ALL, conditions, truth, error);
}
