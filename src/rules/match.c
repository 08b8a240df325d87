/* Tests conditions on a method: each attribute needs one fact (subject.h). Outcomes are tristate:
 * if a fact is unknown, a condition is neither true nor false. */
#include "rules/match.h"

#include <stdio.h>

#include "base/crypto.h"
#include "rules/spelling.h"
#include "rules/value.h"

static enum ilp_truth truth_of(bool value)
{
    return value ? ILP_YES : ILP_NO;
}

/* ---- patterns ---- */

/* "Orders/Cart.cs" matches the end of "/src/Orders/Cart.cs". */
static bool ends_in_path(struct ilp_bytes text, struct ilp_bytes end)
{
    size_t before = text.size - end.size;
    return text.size > end.size && end.size != 0 && text.data[before - 1] == '/' &&
           memcmp(text.data + before, end.data, end.size) == 0;
}

static enum ilp_truth match_text(struct ilpi_match *match, const struct ilpi_rule_value *value,
                                 struct ilp_bytes text)
{
    if (ilpi_spelling_is_type(value->attribute)) {
        struct ilpi_buf *spelled = &match->subject.spelled;
        ilpi_subject_empty(spelled);
        ilpi_spelling_put(spelled, text);
        text = ilpi_buf_bytes(spelled);
    }
    enum ilp_truth truth = ilpi_pattern_match(&value->as.pattern, match->patterns, text);
    if (value->attribute == ILPI_ATTRIBUTE_SOURCE_FILE && truth == ILP_NO) {
        truth = truth_of(ends_in_path(text, value->as.pattern.text));
    }
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
        *text = (struct ilp_bytes){(const uint8_t *)match->assembly.name,
                                   strlen(match->assembly.name)};
        return ILP_OK;
    case ILPI_ELEMENT_NAMESPACE:
        *text = ilpi_subject_namespace(subject);
        return ilpi_subject_status(subject, error);
    case ILPI_ELEMENT_TYPE:
        *text = ilpi_subject_type(subject);
        return ilpi_subject_status(subject, error);
    case ILPI_ELEMENT_SIGNATURE: return ilpi_subject_signature(subject, text, known, error);
    case ILPI_ELEMENT_RETURN: return ilpi_subject_returns(subject, text, known, error);
    case ILPI_ELEMENT_PARAMETERS: return ilpi_subject_parameter_types(subject, text, known, error);
    default: *text = ilpi_subject_method(subject); return ILP_OK;
    }
}

uint32_t ilpi_places_of(const struct ilpi_rule_condition *condition)
{
    for (const struct ilpi_rule_value *value = condition->values; value; value = value->next) {
        if (value->attribute == ILPI_ATTRIBUTE_ATTRIBUTE_ON) {
            return value->as.words;
        }
    }
    return 1u << ILP_ON_METHOD;
}

bool ilpi_is_place(enum ilpi_attribute attribute)
{
    return attribute == ILPI_ATTRIBUTE_ATTRIBUTE_ON ||
           attribute == ILPI_ATTRIBUTE_PARAMETER_POSITION;
}

bool ilpi_is_listed(enum ilpi_element element)
{
    return element == ILPI_ELEMENT_IMPLEMENTS || element == ILPI_ELEMENT_DERIVES ||
           element == ILPI_ELEMENT_PARAMETER || element == ILPI_ELEMENT_SOURCE;
}

ilp_status ilpi_pattern_list(struct ilpi_match *match, enum ilpi_element element,
                             const struct ilpi_name_list **list, bool *known,
                             struct ilp_error *error)
{
    struct ilpi_subject *subject = &match->subject;
    *known = true;
    switch (element) {
    case ILPI_ELEMENT_PARAMETER: return ilpi_subject_parameters(subject, list, known, error);
    case ILPI_ELEMENT_SOURCE: return ilpi_subject_sources(subject, list, known, error);
    default:
        return ilpi_subject_supertypes(subject, element == ILPI_ELEMENT_IMPLEMENTS, list, error);
    }
}

/* The position of the one name that counts; 0: any. */
static uint32_t position_of(const struct ilpi_rule_condition *condition)
{
    for (const struct ilpi_rule_value *value = condition->values; value; value = value->next) {
        if (value->attribute == ILPI_ATTRIBUTE_PARAMETER_POSITION) {
            return value->as.number;
        }
    }
    return 0;
}

/* Whether one of the names matches. If the list is incomplete, no match is unknown, not false. */
static enum ilp_truth match_names(struct ilpi_match *match, const struct ilpi_rule_value *value,
                                  const struct ilpi_name_list *list, uint32_t position)
{
    enum ilp_truth truth = ILP_NO;
    uint32_t number = 0;
    for (size_t at = 0; at < list->names.size && truth != ILP_YES;) {
        size_t size = strlen((const char *)list->names.data + at);
        if (++number == position || position == 0) {
            truth = ilpi_group_add(
                ILPI_ELEMENT_ANY, truth,
                match_text(match, value, (struct ilp_bytes){list->names.data + at, size}));
        }
        at += size + 1;
    }
    if (list->open && truth != ILP_YES) {
        snprintf(match->subject.why, sizeof match->subject.why, "%s", list->why);
        truth = ILP_UNKNOWN;
    }
    return truth;
}

static ilp_status match_attributes(struct ilpi_match *match,
                                   const struct ilpi_rule_condition *condition,
                                   const struct ilpi_rule_value *value, enum ilp_truth *truth,
                                   struct ilp_error *error)
{
    uint32_t places = ilpi_places_of(condition);
    *truth = ILP_NO;
    for (unsigned on = 0; on < ILP_ON_COUNT && *truth != ILP_YES; on++) {
        const struct ilpi_name_list *list;
        if ((places >> on & 1) == 0) {
            continue;
        }
        ILPI_TRY(ilpi_subject_attributes(&match->subject, on, &list, error));
        *truth = ilpi_group_add(ILPI_ELEMENT_ANY, *truth, match_names(match, value, list, 0));
    }
    return ILP_OK;
}

static ilp_status match_pattern(struct ilpi_match *match,
                                const struct ilpi_rule_condition *condition,
                                const struct ilpi_rule_value *value, enum ilp_truth *truth,
                                struct ilp_error *error)
{
    struct ilp_bytes text;
    bool known;
    if (condition->element == ILPI_ELEMENT_ATTRIBUTE) {
        ILPI_TRY(match_attributes(match, condition, value, truth, error));
    } else if (ilpi_is_listed(condition->element)) {
        const struct ilpi_name_list *list;
        ILPI_TRY(ilpi_pattern_list(match, condition->element, &list, &known, error));
        *truth = known ? match_names(match, value, list, position_of(condition)) : ILP_UNKNOWN;
    } else {
        ILPI_TRY(ilpi_pattern_text(match, condition->element, &text, &known, error));
        *truth = known ? match_text(match, value, text) : ILP_UNKNOWN;
    }
    const struct ilpi_buf *spelled = &match->subject.spelled;
    return spelled->status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, spelled->size);
}

/* ---- other attributes ---- */

/* The low 8 bytes of the key's SHA-1, last byte first (II.6.2.1.3). */
ilp_status ilpi_match_key_token(struct ilpi_match *match, bool *known, struct ilp_error *error)
{
    struct ilp_bytes key = match->assembly.key;
    struct ilpi_key_token *token = &match->key_token;
    if (match->key_known == ILP_UNKNOWN) {
        uint8_t digest[ILPI_DIGEST_MAX] = {0};
        size_t size = 0;
        token->none = key.size == 0;
        if (!token->none && ilpi_digest(ILPI_HASH_SHA1, key, digest, &size) == ILP_E_NO_MEMORY) {
            return ilpi_fail_memory(error, ILPI_DIGEST_MAX);
        }
        for (size_t i = 0; i < ILPI_KEY_TOKEN_BYTES && size != 0; i++) {
            token->bytes[i] = digest[size - 1 - i];
        }
        match->key_known = token->none || size != 0 ? ILP_YES : ILP_NO;
    }
    *known = match->key_known == ILP_YES;
    if (!*known) {
        snprintf(match->subject.why, sizeof match->subject.why,
                 "a public key token takes libcrypto, which is not installed");
    }
    return ILP_OK;
}

static ilp_status match_key_token(struct ilpi_match *match, const struct ilpi_key_token *wanted,
                                  enum ilp_truth *truth, struct ilp_error *error)
{
    const struct ilpi_key_token *token = &match->key_token;
    bool known;
    ILPI_TRY(ilpi_match_key_token(match, &known, error));
    *truth = !known ? ILP_UNKNOWN
                    : truth_of(token->none == wanted->none &&
                               (token->none ||
                                memcmp(token->bytes, wanted->bytes, sizeof token->bytes) == 0));
    return ILP_OK;
}

static ilp_status match_count(struct ilpi_match *match, uint32_t wanted, enum ilp_truth *truth,
                              struct ilp_error *error)
{
    bool known;
    ILPI_TRY(ilpi_subject_signature_read(&match->subject, &known, error));
    *truth = known ? truth_of(match->subject.sig->param_count == wanted) : ILP_UNKNOWN;
    return ILP_OK;
}

/* True if one of the words is; if a fact is unknown, all possible words are set in it. */
static enum ilp_truth match_words(uint32_t wanted, uint32_t facts, bool known)
{
    if ((wanted & facts) == 0) {
        return ILP_NO;
    }
    return known || (facts & ~wanted) == 0 ? ILP_YES : ILP_UNKNOWN;
}

static ilp_status match_return(struct ilpi_match *match, const struct ilpi_rule_value *value,
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

static bool body_is(const struct ilpi_subject_body *body, const struct ilpi_rule_value *value)
{
    switch (value->attribute) {
    case ILPI_ATTRIBUTE_BODY_MIN_SIZE: return body->size >= value->as.number;
    case ILPI_ATTRIBUTE_BODY_MAX_SIZE: return body->size <= value->as.number;
    case ILPI_ATTRIBUTE_BODY_TAIL_CALLS: return body->tails == value->as.yes;
    default: return body->handlers == value->as.yes;
    }
}

static ilp_status match_body(struct ilpi_match *match, const struct ilpi_rule_value *value,
                             enum ilp_truth *truth, struct ilp_error *error)
{
    const struct ilpi_subject_body *body;
    bool tails = value->attribute == ILPI_ATTRIBUTE_BODY_TAIL_CALLS;
    bool known;
    ILPI_TRY(ilpi_subject_body(&match->subject, tails, &body, &known, error));
    *truth = known ? truth_of(body->present && body_is(body, value)) : ILP_UNKNOWN;
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

ilp_status ilpi_value_holds(struct ilpi_match *match, const struct ilpi_rule_condition *condition,
                            const struct ilpi_rule_value *value, enum ilp_truth *truth,
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
    case ILPI_ATTRIBUTE_ASSEMBLY_KEY_TOKEN:
        return match_key_token(match, &value->as.key_token, truth, error);
    case ILPI_ATTRIBUTE_PARAMETERS_COUNT: return match_count(match, value->as.number, truth, error);
    case ILPI_ATTRIBUTE_TYPE_ARITY:
        *truth = truth_of(ilpi_subject_arity(subject, ILP_TOKEN(ILP_TypeDef, subject->owner)) ==
                          value->as.number);
        return ILP_OK;
    case ILPI_ATTRIBUTE_TYPE_NESTED:
        *truth = truth_of((ilp_enclosing_type(subject->image, subject->owner) != 0) ==
                          value->as.yes);
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
    case ILPI_ATTRIBUTE_RETURN_LARGER_THAN: return match_return(match, value, truth, error);
    case ILPI_ATTRIBUTE_BODY_MIN_SIZE:
    case ILPI_ATTRIBUTE_BODY_MAX_SIZE:
    case ILPI_ATTRIBUTE_BODY_TAIL_CALLS:
    case ILPI_ATTRIBUTE_BODY_EXCEPTION_HANDLING: return match_body(match, value, truth, error);
    case ILPI_ATTRIBUTE_AFFECTED_BUG: return match_affected(match, value->as.words, truth, error);
    default: /* ilpi_is_place() */ return ILP_OK;
    }
}

ilp_status ilpi_values_hold(struct ilpi_match *match, const struct ilpi_rule_condition *condition,
                            enum ilp_truth *truth, struct ilp_error *error)
{
    *truth = ILP_YES;
    for (const struct ilpi_rule_value *value = condition->values; value && *truth != ILP_NO;
         value = value->next) {
        enum ilp_truth next;
        ILPI_TRY(ilpi_value_holds(match, condition, value, &next, error));
        *truth = ilpi_group_add(ILPI_ELEMENT_ALL, *truth, next);
    }
    return ILP_OK;
}
