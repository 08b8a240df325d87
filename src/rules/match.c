/* Tests conditions on a method: each attribute needs one fact (method_facts.h). Outcomes are
 * tristate: if a fact is unknown, a condition is neither true nor false. */
#include "rules/match.h"

#include <stdio.h>

#include "base/crypto.h"
#include "rules/spelling.h"
#include "rules/value.h"

static enum ilp_tristate outcome_of(bool value)
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

/* Types are compared in one spelling (spelling.h): the rule's was converted when it was read, the
 * method's here. `spelled` is reused, and its failure is checked by match_pattern(). Only exact
 * patterns are compared so, and these are never unknown: the text in the message below ends with a
 * NUL. */
static enum ilp_tristate match_text(struct ilpi_match *match, const struct ilpi_rule_value *value,
                                    struct ilp_bytes text)
{
    if (ilpi_spelling_is_type(value->attribute)) {
        struct ilpi_buf *spelled = &match->facts.spelled;
        ilpi_facts_empty(spelled);
        ilpi_spelling_put(spelled, text);
        text = ilpi_buf_bytes(spelled);
    }
    enum ilp_tristate outcome = ilpi_pattern_match(&value->as.pattern, match->patterns, text);
    if (value->attribute == ILPI_ATTRIBUTE_SOURCE_FILE && outcome == ILP_NO) {
        outcome = outcome_of(ends_in_path(text, value->as.pattern.text));
    }
    if (outcome == ILP_UNKNOWN) {
        snprintf(match->facts.why, sizeof match->facts.why,
                 "the pattern '%.60s' takes too many steps on '%.100s'", value->text,
                 (const char *)text.data);
    }
    return outcome;
}

/* The text that an element's patterns are matched with. Texts are made when the first pattern needs
 * them, and kept for the method. */
ilp_status ilpi_pattern_text(struct ilpi_match *match, enum ilpi_element element,
                             struct ilp_bytes *text, bool *known, struct ilp_error *error)
{
    struct ilpi_method_facts *facts = &match->facts;
    *known = true;
    switch (element) {
    case ILPI_ELEMENT_ASSEMBLY:
        *text = (struct ilp_bytes){(const uint8_t *)match->assembly.name,
                                   strlen(match->assembly.name)};
        return ILP_OK;
    case ILPI_ELEMENT_NAMESPACE:
        *text = ilpi_facts_namespace(facts);
        return ilpi_facts_status(facts, error);
    case ILPI_ELEMENT_TYPE: *text = ilpi_facts_type(facts); return ilpi_facts_status(facts, error);
    case ILPI_ELEMENT_SIGNATURE: return ilpi_facts_signature(facts, text, known, error);
    case ILPI_ELEMENT_RETURN: return ilpi_facts_returns(facts, text, known, error);
    case ILPI_ELEMENT_PARAMETERS: return ilpi_facts_parameter_types(facts, text, known, error);
    default: *text = ilpi_facts_method(facts); return ILP_OK;
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

/* The lists of several names that an element's patterns are matched with: ILPI_ELEMENT_IMPLEMENTS
 * and _DERIVES take them from the supertypes. */
ilp_status ilpi_pattern_list(struct ilpi_match *match, enum ilpi_element element,
                             const struct ilpi_name_list **list, bool *known,
                             struct ilp_error *error)
{
    struct ilpi_method_facts *facts = &match->facts;
    *known = true;
    switch (element) {
    case ILPI_ELEMENT_PARAMETER: return ilpi_facts_parameters(facts, list, known, error);
    case ILPI_ELEMENT_SOURCE: return ilpi_facts_sources(facts, list, known, error);
    default: return ilpi_facts_supertypes(facts, element == ILPI_ELEMENT_IMPLEMENTS, list, error);
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

/* Whether one of the names matches. If the list is incomplete, no match is unknown, not false. With
 * a position only that name counts. */
static enum ilp_tristate match_names(struct ilpi_match *match, const struct ilpi_rule_value *value,
                                     const struct ilpi_name_list *list, uint32_t position)
{
    enum ilp_tristate outcome = ILP_NO;
    uint32_t number = 0;
    for (size_t at = 0; at < list->names.size && outcome != ILP_YES;) {
        size_t size = strlen((const char *)list->names.data + at);
        if (++number == position || position == 0) {
            outcome = ilpi_group_add(
                ILPI_ELEMENT_ANY, outcome,
                match_text(match, value, (struct ilp_bytes){list->names.data + at, size}));
        }
        at += size + 1;
    }
    if (list->open && outcome != ILP_YES) {
        snprintf(match->facts.why, sizeof match->facts.why, "%s", list->why);
        outcome = ILP_UNKNOWN;
    }
    return outcome;
}

/* Any attribute of any place: ANY of the outcomes (group.c), so an unknown one only matters if no
 * other matches. */
static ilp_status match_attributes(struct ilpi_match *match,
                                   const struct ilpi_rule_condition *condition,
                                   const struct ilpi_rule_value *value, enum ilp_tristate *outcome,
                                   struct ilp_error *error)
{
    uint32_t places = ilpi_places_of(condition);
    *outcome = ILP_NO;
    for (unsigned on = 0; on < ILP_ON_COUNT && *outcome != ILP_YES; on++) {
        const struct ilpi_name_list *list;
        if ((places >> on & 1) == 0) {
            continue;
        }
        ILPI_TRY(ilpi_facts_attributes(&match->facts, on, &list, error));
        *outcome = ilpi_group_add(ILPI_ELEMENT_ANY, *outcome, match_names(match, value, list, 0));
    }
    return ILP_OK;
}

/* Three forms of text: attributes in several places, lists such as parameters, one text. A text
 * that is too long for `spelled` is a lack of memory, not a mismatch. */
static ilp_status match_pattern(struct ilpi_match *match,
                                const struct ilpi_rule_condition *condition,
                                const struct ilpi_rule_value *value, enum ilp_tristate *outcome,
                                struct ilp_error *error)
{
    struct ilp_bytes text;
    bool known;
    if (condition->element == ILPI_ELEMENT_ATTRIBUTE) {
        ILPI_TRY(match_attributes(match, condition, value, outcome, error));
    } else if (ilpi_is_listed(condition->element)) {
        const struct ilpi_name_list *list;
        ILPI_TRY(ilpi_pattern_list(match, condition->element, &list, &known, error));
        *outcome = known ? match_names(match, value, list, position_of(condition)) : ILP_UNKNOWN;
    } else {
        ILPI_TRY(ilpi_pattern_text(match, condition->element, &text, &known, error));
        *outcome = known ? match_text(match, value, text) : ILP_UNKNOWN;
    }
    const struct ilpi_buf *spelled = &match->facts.spelled;
    return spelled->status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, spelled->size);
}

/* ---- other attributes ---- */

/* The low 8 bytes of the key's SHA-1, last byte first (II.6.2.1.3). */
ilp_status ilpi_match_key_token(struct ilpi_match *match, bool *known, struct ilp_error *error)
{
    struct ilp_bytes key = match->assembly.key;
    struct ilpi_key_token *token = &match->key_token;
    /* Computed once for an image. Without libcrypto `size` stays 0. */
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
        snprintf(match->facts.why, sizeof match->facts.why,
                 "a public key token takes libcrypto, which is not installed");
    }
    return ILP_OK;
}

/* "none" is a token of its own: an assembly without a key has it, and then the bytes mean
 * nothing. */
static ilp_status match_key_token(struct ilpi_match *match, const struct ilpi_key_token *wanted,
                                  enum ilp_tristate *outcome, struct ilp_error *error)
{
    const struct ilpi_key_token *token = &match->key_token;
    bool known;
    ILPI_TRY(ilpi_match_key_token(match, &known, error));
    *outcome = !known ? ILP_UNKNOWN
                      : outcome_of(token->none == wanted->none &&
                                   (token->none ||
                                    memcmp(token->bytes, wanted->bytes, sizeof token->bytes) == 0));
    return ILP_OK;
}

static ilp_status match_count(struct ilpi_match *match, uint32_t wanted, enum ilp_tristate *outcome,
                              struct ilp_error *error)
{
    bool known;
    ILPI_TRY(ilpi_facts_signature_read(&match->facts, &known, error));
    *outcome = known ? outcome_of(match->facts.sig->param_count == wanted) : ILP_UNKNOWN;
    return ILP_OK;
}

/* True if one of the words is; if a fact is unknown, all possible words are set in it. If all of
 * these are wanted, it does not matter which one it is. */
static enum ilp_tristate match_words(uint32_t wanted, uint32_t facts, bool known)
{
    if ((wanted & facts) == 0) {
        return ILP_NO;
    }
    return known || (facts & ~wanted) == 0 ? ILP_YES : ILP_UNKNOWN;
}

static ilp_status match_return(struct ilpi_match *match, const struct ilpi_rule_value *value,
                               enum ilp_tristate *outcome, struct ilp_error *error)
{
    uint32_t fact;
    bool known;
    if (value->attribute == ILPI_ATTRIBUTE_RETURN_KIND) {
        ILPI_TRY(ilpi_facts_kinds(&match->facts, value->as.words, &fact, &known, error));
        *outcome = match_words(value->as.words, fact, known);
        return ILP_OK;
    }
    ILPI_TRY(ilpi_facts_size(&match->facts, &fact, &known, error));
    *outcome = known ? outcome_of(fact > value->as.number) : ILP_UNKNOWN;
    return ILP_OK;
}

static bool body_is(const struct ilpi_facts_body *body, const struct ilpi_rule_value *value)
{
    switch (value->attribute) {
    case ILPI_ATTRIBUTE_BODY_MIN_SIZE: return body->size >= value->as.number;
    case ILPI_ATTRIBUTE_BODY_MAX_SIZE: return body->size <= value->as.number;
    case ILPI_ATTRIBUTE_BODY_TAIL_CALLS: return body->tails == value->as.yes;
    default: return body->handlers == value->as.yes;
    }
}

/* A method without a body meets no condition on bodies, not even a maximum size. */
static ilp_status match_body(struct ilpi_match *match, const struct ilpi_rule_value *value,
                             enum ilp_tristate *outcome, struct ilp_error *error)
{
    const struct ilpi_facts_body *body;
    bool tails = value->attribute == ILPI_ATTRIBUTE_BODY_TAIL_CALLS;
    bool known;
    ILPI_TRY(ilpi_facts_body(&match->facts, tails, &body, &known, error));
    *outcome = known ? outcome_of(body->present && body_is(body, value)) : ILP_UNKNOWN;
    return ILP_OK;
}

/* A bit set of runtime bugs (ilp_affected()): any of them is enough, and one that is not known
 * makes the outcome unknown if no other is met. */
static ilp_status match_affected(struct ilpi_match *match, uint32_t bugs,
                                 enum ilp_tristate *outcome, struct ilp_error *error)
{
    *outcome = ILP_NO;
    for (unsigned bug = 0; bug < ILP_BUG_COUNT; bug++) {
        enum ilp_tristate one = ILP_NO;
        if ((bugs >> bug & 1) != 0) {
            ILPI_TRY(ilpi_facts_affected(&match->facts, bug, &one, error));
        }
        *outcome = ilpi_group_add(ILPI_ELEMENT_ANY, *outcome, one);
    }
    return ILP_OK;
}

/* The one switch from an attribute to its fact; explain.c has the same for texts. Attributes that
 * only say where to look (ilpi_is_place()) hold. */
ilp_status ilpi_value_holds(struct ilpi_match *match, const struct ilpi_rule_condition *condition,
                            const struct ilpi_rule_value *value, enum ilp_tristate *outcome,
                            struct ilp_error *error)
{
    struct ilpi_method_facts *facts = &match->facts;
    uint32_t roles;
    *outcome = ILP_YES;
    if (ilpi_is_pattern(ilpi_attributes[value->attribute].form)) {
        return match_pattern(match, condition, value, outcome, error);
    }
    switch (value->attribute) {
    case ILPI_ATTRIBUTE_ASSEMBLY_VERSION:
        *outcome = outcome_of(ilpi_versions_hold(&value->as.versions, match->assembly.version));
        return ILP_OK;
    case ILPI_ATTRIBUTE_ASSEMBLY_KEY_TOKEN:
        return match_key_token(match, &value->as.key_token, outcome, error);
    case ILPI_ATTRIBUTE_PARAMETERS_COUNT:
        return match_count(match, value->as.number, outcome, error);
    case ILPI_ATTRIBUTE_TYPE_ARITY:
        *outcome = outcome_of(ilpi_facts_arity(facts, ILP_TOKEN(ILP_TypeDef, facts->owner)) ==
                              value->as.number);
        return ILP_OK;
    case ILPI_ATTRIBUTE_TYPE_NESTED:
        *outcome = outcome_of((ilp_enclosing_type(facts->image, facts->owner) != 0) ==
                              value->as.yes);
        return ILP_OK;
    case ILPI_ATTRIBUTE_TYPE_VISIBILITY:
        *outcome = outcome_of(value->as.words >> ilpi_facts_visibility(facts, ILP_TypeDef) & 1);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_ARITY:
        *outcome = outcome_of(ilpi_facts_arity(facts, ILP_TOKEN(ILP_MethodDef, facts->method)) ==
                              value->as.number);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_VISIBILITY:
        *outcome = outcome_of(value->as.words >> ilpi_facts_visibility(facts, ILP_MethodDef) & 1);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_STATIC:
        *outcome = outcome_of(ilpi_facts_flag(facts, ILPI_METHOD_STATIC) == value->as.yes);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_VIRTUAL:
        *outcome = outcome_of(ilpi_facts_flag(facts, ILPI_METHOD_VIRTUAL) == value->as.yes);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_ROLE:
        ILPI_TRY(ilpi_facts_roles(facts, &roles, error));
        *outcome = match_words(value->as.words, roles, true);
        return ILP_OK;
    case ILPI_ATTRIBUTE_METHOD_GENERATED:
        *outcome = outcome_of(ilpi_facts_is_generated(facts) == value->as.yes);
        return ILP_OK;
    case ILPI_ATTRIBUTE_RETURN_KIND:
    case ILPI_ATTRIBUTE_RETURN_LARGER_THAN: return match_return(match, value, outcome, error);
    case ILPI_ATTRIBUTE_BODY_MIN_SIZE:
    case ILPI_ATTRIBUTE_BODY_MAX_SIZE:
    case ILPI_ATTRIBUTE_BODY_TAIL_CALLS:
    case ILPI_ATTRIBUTE_BODY_EXCEPTION_HANDLING: return match_body(match, value, outcome, error);
    case ILPI_ATTRIBUTE_AFFECTED_BUG: return match_affected(match, value->as.words, outcome, error);
    default: /* ilpi_is_place() */ return ILP_OK;
    }
}

/* Attributes of one condition must all hold; the first that does not ends it. */
ilp_status ilpi_values_hold(struct ilpi_match *match, const struct ilpi_rule_condition *condition,
                            enum ilp_tristate *outcome, struct ilp_error *error)
{
    *outcome = ILP_YES;
    for (const struct ilpi_rule_value *value = condition->values; value && *outcome != ILP_NO;
         value = value->next) {
        enum ilp_tristate next;
        ILPI_TRY(ilpi_value_holds(match, condition, value, &next, error));
        *outcome = ilpi_group_add(ILPI_ELEMENT_ALL, *outcome, next);
    }
    return ILP_OK;
}
