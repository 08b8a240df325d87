/* Builds rules from elements and attributes, and reports mistakes. See build.h.
 *
 *   start(name, attributes)   find the element -> read each attribute -> check them together
 *                             -> a rule, or a condition in the innermost open element
 *   end()                     a group must not be empty
 *
 * `open` is the stack of open elements, each with the place for its next condition (`tail`).
 * Nothing here knows XML: xml.c and parsed.c both call it. A new rule is after the set's rules, and
 * joins them when the file is accepted (rules.c), so a mistake leaves the set unchanged. */
#include "rules/build.h"

#include <stdio.h>
#include <string.h>

#include "rules/value.h"

/* ---- messages ---- */

/* "`a`, `b` or `c`" from the words that `words` gives; NULL skips one. One word is held back, since
 * only at the end is it known which one follows the "or". */
static void put_choice(struct ilpi_buf *text, const char *(*words)(const void *, size_t),
                       const void *user, size_t count, const char *before, const char *after)
{
    const char *waiting = NULL;
    bool any = false;
    for (size_t i = 0; i <= count; i++) {
        const char *word = i < count ? words(user, i) : NULL;
        if (i < count && !word) {
            continue;
        }
        if (waiting) {
            const char *link = i < count ? ", " : " or ";
            ilpi_buf_format(text, "%s%s%s%s", any ? link : "", before, waiting, after);
            any = true;
        }
        waiting = word;
    }
}

/* The words that may follow here: for messages, and for the proposal of the nearest one. */
static const char *element_word(const void *user, size_t i)
{
    const struct ilpi_builder *builder = user;
    enum ilpi_place place = ilpi_elements[i].place;
    bool fits = builder->depth == 0
                    ? place == ILPI_PLACE_TOP
                    : ilpi_may_stand_in(
                          place, ilpi_elements[builder->open[builder->depth - 1].element].place);
    return fits ? ilpi_elements[i].word : NULL;
}

static const char *any_element_word(const void *user, size_t i)
{
    (void)user;
    return ilpi_elements[i].word;
}

static const char *attribute_word(const void *user, size_t i)
{
    const enum ilpi_element *element = user;
    return ilpi_attributes[i].element == *element ? ilpi_attributes[i].word : NULL;
}

void ilpi_build_expected(const struct ilpi_builder *builder, struct ilpi_buf *text)
{
    size_t before = text->size;
    bool conditions = builder->depth > 1; /* too many for brackets around each */
    put_choice(text, element_word, builder, ILPI_ELEMENT_COUNT, conditions ? "" : "<",
               conditions ? "" : ">");
    if (text->size == before) {
        ilpi_buf_format(text, "</%s>",
                        ilpi_elements[builder->open[builder->depth - 1].element].word);
    }
}

/* Ends a message with the nearest known word, and with what was expected. */
static ilp_status fail_word(struct ilp_error *error, const char *what, const char *word,
                            size_t size, const char *nearest, const char *expected)
{
    int shown = size < 64 ? (int)size : 64;
    return nearest ? ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                               "%s '%.*s'; did you mean '%s'? Expected %s", what, shown, word,
                               nearest, expected)
                   : ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0, "%s '%.*s'; expected %s",
                               what, shown, word, expected);
}

/* Suggests a word that is allowed here before one that only exists elsewhere. */
static ilp_status fail_element(struct ilpi_builder *builder, const char *name, size_t size,
                               bool known, struct ilp_error *error)
{
    struct ilpi_buf expected = {.alloc = &builder->rules->alloc};
    ilpi_build_expected(builder, &expected);
    ilpi_buf_u8(&expected, 0);
    const char *nearest = known
                              ? NULL
                              : ilpi_nearest(name, size, element_word, builder, ILPI_ELEMENT_COUNT);
    if (!known && !nearest) {
        nearest = ilpi_nearest(name, size, any_element_word, NULL, ILPI_ELEMENT_COUNT);
    }
    ilp_status status = expected.status;
    if (status != ILP_OK) {
        ilpi_fail_memory(error, expected.size);
    } else {
        status = fail_word(error, known ? "the element is not allowed here" : "unknown element",
                           name, size, nearest, (const char *)expected.data);
    }
    ilpi_buf_free(&expected);
    return status;
}

/* A longer list does not fit a message. */
#define MOST_EXPECTED 160u

/* "<method> has no attribute 'nme'; did you mean 'name'? ..." A list of attributes that is too long
 * for a message is replaced by where it can be read. */
static ilp_status fail_attribute(struct ilpi_builder *builder, enum ilpi_element element,
                                 const struct ilpi_attribute_text *attribute,
                                 struct ilp_error *error)
{
    struct ilpi_buf expected = {.alloc = &builder->rules->alloc};
    put_choice(&expected, attribute_word, &element, ILPI_ATTRIBUTE_COUNT, "'", "'");
    if (expected.size > MOST_EXPECTED) {
        expected.size = 0;
        ilpi_buf_text(&expected, "one of those that 'ilpatch rules schema' lists");
    }
    if (expected.size == 0) {
        ilpi_buf_text(&expected, "none");
    }
    ilpi_buf_u8(&expected, 0);
    ilp_status status = expected.status;
    if (status != ILP_OK) {
        ilpi_fail_memory(error, expected.size);
    } else {
        char what[64];
        snprintf(what, sizeof what, "<%s> has no attribute", ilpi_elements[element].word);
        status = fail_word(error, what, attribute->name, attribute->name_size,
                           ilpi_nearest(attribute->name, attribute->name_size, attribute_word,
                                        &element, ILPI_ATTRIBUTE_COUNT),
                           (const char *)expected.data);
    }
    ilpi_buf_free(&expected);
    return status;
}

/* ---- rules ---- */

/* Applies an attribute of <include> or <exclude>, except the inspector's. Numbers of lists are
 * those of the public enumerators, in the order of rules.def. */
static void set_rule(struct ilpi_rule *rule, const struct ilpi_rule_value *value)
{
    struct ilp_rule_action *action = &rule->head.action;
    switch (value->attribute) {
    case ILPI_ATTRIBUTE_INCLUDE_NAME:
    case ILPI_ATTRIBUTE_EXCLUDE_NAME: rule->head.name = value->text; break;
    case ILPI_ATTRIBUTE_INCLUDE_ENABLED:
    case ILPI_ATTRIBUTE_EXCLUDE_ENABLED: rule->head.enabled = value->as.yes; break;
    case ILPI_ATTRIBUTE_INCLUDE_PASS: action->pass = (uint8_t)value->as.number; break;
    case ILPI_ATTRIBUTE_INCLUDE_BYREF: action->byref = (uint8_t)value->as.number; break;
    case ILPI_ATTRIBUTE_INCLUDE_POINTERS: action->pointers = (uint8_t)value->as.number; break;
    case ILPI_ATTRIBUTE_INCLUDE_TAIL_CALLS: action->tail_calls = (uint8_t)value->as.number; break;
    case ILPI_ATTRIBUTE_INCLUDE_ASYNC: action->async = (uint8_t)value->as.number; break;
    case ILPI_ATTRIBUTE_INCLUDE_ITERATORS: action->iterators = (uint8_t)value->as.number; break;
    case ILPI_ATTRIBUTE_INCLUDE_REFERENCES: action->references = (uint8_t)value->as.number; break;
    case ILPI_ATTRIBUTE_INCLUDE_WHEN:
        rule->head.when = value->text;
        rule->when = value->as.when;
        break;
    case ILPI_ATTRIBUTE_INCLUDE_REDACT: rule->head.redact = value->text; break;
    case ILPI_ATTRIBUTE_INCLUDE_GUARD: action->guard = value->as.yes; break;
    case ILPI_ATTRIBUTE_INCLUDE_ON_THROW: action->on_throw = (uint8_t)(value->as.number + 1); break;
    case ILPI_ATTRIBUTE_INCLUDE_EXCEPTIONS: action->exceptions = value->as.yes; break;
    case ILPI_ATTRIBUTE_INCLUDE_ARGS:
        action->arguments = rule->head.shows_arguments = value->as.yes;
        break;
    case ILPI_ATTRIBUTE_INCLUDE_THIS: action->self = rule->head.shows_self = value->as.yes; break;
    default: break;
    }
}

/* ---- attributes ---- */

static ilp_status fail_here(struct ilp_error *error, const char *message)
{
    return ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0, "%s", message);
}

/* Attributes are few, and each is read once, so a linear search will do. wrong_attribute,
 * wrong_value and wrong_offset are where the mistake is, for the reader's line and column. */
static ilp_status read_attribute(struct ilpi_builder *builder, enum ilpi_element element,
                                 const struct ilpi_attribute_text *text,
                                 struct ilpi_rule_value *value, struct ilp_error *error)
{
    unsigned i = 0;
    while (i < ILPI_ATTRIBUTE_COUNT &&
           (ilpi_attributes[i].element != element ||
            strlen(ilpi_attributes[i].word) != text->name_size ||
            memcmp(ilpi_attributes[i].word, text->name, text->name_size) != 0)) {
        i++;
    }
    builder->wrong_value = false;
    if (i == ILPI_ATTRIBUTE_COUNT) {
        return fail_attribute(builder, element, text, error);
    }
    builder->wrong_value = true;
    builder->wrong_offset = 0;
    value->attribute = (enum ilpi_attribute)i;
    return ilpi_value_read(builder->rules, value, text->value, text->value_size,
                           &builder->wrong_offset, error);
}

/* Refuses a minimum above its maximum, and a parameter at position 0. */
static ilp_status check_limits(struct ilpi_builder *builder, const struct ilpi_rule_value *values,
                               struct ilp_error *error)
{
    const struct ilpi_rule_value *least = NULL;
    const struct ilpi_rule_value *most = NULL;
    for (int number = 0; values; values = values->next, number++) {
        if (values->attribute == ILPI_ATTRIBUTE_PARAMETER_POSITION && values->as.number == 0) {
            builder->wrong_attribute = number;
            return fail_here(error, "the first parameter has the position 1");
        }
        bool is_least = values->attribute == ILPI_ATTRIBUTE_BODY_MIN_SIZE;
        if (is_least || values->attribute == ILPI_ATTRIBUTE_BODY_MAX_SIZE) {
            least = is_least ? values : least;
            most = is_least ? most : values;
            builder->wrong_attribute = number;
            builder->wrong_value = false;
        }
    }
    return !least || !most || least->as.number <= most->as.number
               ? ILP_OK
               : ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                           "no size is from %u to %u: 'min-size' is above 'max-size'",
                           least->as.number, most->as.number);
}

/* Checks the attributes of an element against each other. -1 refers to the element as a whole. */
static ilp_status check_attributes(struct ilpi_builder *builder, enum ilpi_element element,
                                   const struct ilpi_rule_value *values, struct ilp_error *error)
{
    unsigned patterns = 0;
    unsigned others = 0;
    int number = 0;
    for (const struct ilpi_rule_value *value = values; value; value = value->next, number++) {
        bool pattern = ilpi_is_pattern(ilpi_attributes[value->attribute].form);
        patterns += pattern;
        others += !pattern;
        if (patterns == 2) {
            builder->wrong_attribute = number;
            builder->wrong_value = false;
            return fail_here(error, "one pattern is enough: an exact one, 'like' or 'regex'");
        }
    }
    ILPI_TRY(check_limits(builder, values, error));
    builder->wrong_attribute = -1;
    if (element == ILPI_ELEMENT_ATTRIBUTE && patterns == 0) {
        return fail_here(error, "<attribute> has to say which one: 'name', 'like' or 'regex'");
    }
    if (element == ILPI_ELEMENT_PARAMETER && patterns == 0) {
        return fail_here(error, "<parameter> has to say of which type: 'type', 'like' or 'regex'");
    }
    if (ilpi_elements[element].place == ILPI_PLACE_CONDITION && patterns + others == 0) {
        return ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                         "<%s> needs at least one attribute", ilpi_elements[element].word);
    }
    return ILP_OK;
}

/* Values are linked in the order of the file, which explain.c shows, and by which wrong_attribute
 * counts. */
static ilp_status read_attributes(struct ilpi_builder *builder, enum ilpi_element element,
                                  const struct ilpi_attribute_text *attributes, unsigned count,
                                  struct ilpi_rule_value **values, struct ilp_error *error)
{
    struct ilpi_rule_value **tail = values;
    for (unsigned i = 0; i < count; i++) {
        struct ilpi_rule_value *value = ilpi_arena_alloc(&builder->rules->arena, sizeof *value);
        if (!value) {
            return ilpi_fail_memory(error, sizeof *value);
        }
        builder->wrong_attribute = (int)i;
        ILPI_TRY(read_attribute(builder, element, &attributes[i], value, error));
        *tail = value;
        tail = &value->next;
    }
    return check_attributes(builder, element, *values, error);
}

/* ---- elements ---- */

/* An assembly, or a native function with the attributes that only that has. <exclude> has none of
 * these attributes, so it passes every check. */
static ilp_status check_inspector(struct ilpi_builder *builder,
                                  const struct ilpi_rule_value *const *of, struct ilp_error *error)
{
    const struct ilpi_rule_value *library = of[ILPI_ATTRIBUTE_INCLUDE_LIBRARY];
    const struct ilpi_rule_value *guard = of[ILPI_ATTRIBUTE_INCLUDE_GUARD];
    const struct ilpi_rule_value *args = of[ILPI_ATTRIBUTE_INCLUDE_ARGS];
    const struct ilpi_rule_value *exceptions = of[ILPI_ATTRIBUTE_INCLUDE_EXCEPTIONS];
    const struct ilpi_rule_value *self = of[ILPI_ATTRIBUTE_INCLUDE_THIS];
    builder->wrong_attribute = -1;
    if (!library != !of[ILPI_ATTRIBUTE_INCLUDE_SYMBOL]) {
        return fail_here(error,
                         "a native function is named by 'library' and 'symbol', the two of them");
    }
    if (library && of[ILPI_ATTRIBUTE_INCLUDE_INSPECTOR]) {
        return fail_here(error, "one inspector is enough: 'inspector', or 'library' and 'symbol'");
    }
    if (library && of[ILPI_ATTRIBUTE_INCLUDE_PASS]) {
        return fail_here(error,
                         "a native function always gets address, size and id: leave out 'pass'");
    }
    if (library && guard && guard->as.yes) {
        return fail_here(error,
                         "nothing that a native function does can be caught: leave out 'guard'");
    }
    if (library && args && args->as.yes) {
        return fail_here(error, "a native function gets no arguments: leave out 'args'");
    }
    if (library && exceptions && exceptions->as.yes) {
        return fail_here(error, "a native function gets no exceptions: leave out 'exceptions'");
    }
    if (self && self->as.yes && !(args && args->as.yes)) {
        return fail_here(error, "'this' is the first argument: add args=\"yes\"");
    }
    if (!library &&
        (of[ILPI_ATTRIBUTE_INCLUDE_GC_TRANSITION] || of[ILPI_ATTRIBUTE_INCLUDE_REFERENCES])) {
        return fail_here(error,
                         "'gc-transition' and 'references' are for native functions: 'library' and "
                         "'symbol' name one");
    }
    return ILP_OK;
}

/* A rule exists from its start tag on, but only counts (`pending`) when the whole file has been
 * read: a file with a mistake leaves the set as it was. `of` has the values by their attribute,
 * since most checks compare two of them. */
static ilp_status begin_rule(struct ilpi_builder *builder, enum ilpi_element element, uint32_t line,
                             const struct ilpi_rule_value *values, struct ilp_error *error)
{
    struct ilpi_rule *rule = ilpi_rules_new(builder->rules, builder->pending, error);
    if (!rule) {
        return ILP_E_NO_MEMORY;
    }
    builder->pending++;
    rule->head.file = builder->file;
    rule->head.line = line;
    rule->head.exclude = element == ILPI_ELEMENT_EXCLUDE;
    const struct ilpi_rule_value *of[ILPI_ATTRIBUTE_COUNT] = {NULL};
    for (; values; values = values->next) {
        set_rule(rule, values);
        of[values->attribute] = values;
    }
    ILPI_TRY(check_inspector(builder, of, error));
    const struct ilpi_rule_value *library = of[ILPI_ATTRIBUTE_INCLUDE_LIBRARY];
    const struct ilpi_rule_value *named = library ? library : of[ILPI_ATTRIBUTE_INCLUDE_INSPECTOR];
    if (!named || !rule->head.enabled) {
        /* the inspector of a disabled rule need not exist */
        return ILP_OK;
    }
    const struct ilpi_rule_value *transition = of[ILPI_ATTRIBUTE_INCLUDE_GC_TRANSITION];
    struct ilpi_named inspector = {.name = named->text,
                                   .symbol = library ? of[ILPI_ATTRIBUTE_INCLUDE_SYMBOL]->text
                                                     : NULL,
                                   .transition = !transition || transition->as.yes,
                                   .file = builder->file};
    return ilpi_rules_inspector_number(builder->rules, inspector, &rule->head.action.inspector,
                                       error);
}

/* Rules are in a list that moves as it grows, so the address of a rule's first condition is not
 * kept as a tail; conditions are in the arena, and stay. */
static ilp_status begin_condition(struct ilpi_builder *builder, enum ilpi_element element,
                                  uint32_t line, struct ilpi_rule_value *values,
                                  struct ilp_error *error)
{
    struct ilpi_rule_condition *condition = ilpi_arena_alloc(&builder->rules->arena,
                                                             sizeof *condition);
    if (!condition) {
        return ilpi_fail_memory(error, sizeof *condition);
    }
    *condition = (struct ilpi_rule_condition){.element = element, .line = line, .values = values};
    unsigned outer = builder->depth - 1;
    /* Depth 1 is in a rule: the root is at 0. Its conditions begin in the rule, those of a group in
     * the group's `inner`, where start() has left the tail. */
    if (outer == 1) { /* rules may have moved since the last condition */
        struct ilpi_rule *rule =
            &builder->rules->rules.items[builder->rules->rules.count + builder->pending - 1];
        if (!rule->head.conditional) {
            rule->head.conditional = true;
            rule->conditions = condition;
        } else {
            *builder->open[outer].tail = condition;
        }
    } else {
        *builder->open[outer].tail = condition;
    }
    builder->open[outer].tail = &condition->next;
    builder->open[outer].empty = false;
    builder->open[builder->depth].tail = &condition->inner;
    return ILP_OK;
}

/* The depth is limited for groups: group.c and others recurse by it. */
ilp_status ilpi_build_start(struct ilpi_builder *builder, const char *name, size_t name_size,
                            const struct ilpi_attribute_text *attributes, unsigned count,
                            uint32_t line, struct ilp_error *error)
{
    unsigned element = 0;
    while (element < ILPI_ELEMENT_COUNT &&
           (strlen(ilpi_elements[element].word) != name_size ||
            memcmp(ilpi_elements[element].word, name, name_size) != 0)) {
        element++;
    }
    builder->wrong_attribute = -1;
    if (element == ILPI_ELEMENT_COUNT || !element_word(builder, element)) {
        return fail_element(builder, name, name_size, element != ILPI_ELEMENT_COUNT, error);
    }
    /* The root and a rule are open as well. A condition fits in after the last group: nothing can
     * be in it. */
    if (builder->depth == ILPI_MAX_GROUPS + 2 && ilpi_elements[element].place == ILPI_PLACE_GROUP) {
        return ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0, "groups nest deeper than %u",
                         ILPI_MAX_GROUPS);
    }
    struct ilpi_rule_value *values = NULL;
    ILPI_TRY(
        read_attributes(builder, (enum ilpi_element)element, attributes, count, &values, error));
    if (ilpi_elements[element].place == ILPI_PLACE_RULE) {
        ILPI_TRY(begin_rule(builder, (enum ilpi_element)element, line, values, error));
    } else if (builder->depth > 1) {
        ILPI_TRY(begin_condition(builder, (enum ilpi_element)element, line, values, error));
    }
    builder->open[builder->depth].element = (enum ilpi_element)element;
    builder->open[builder->depth].empty = true;
    builder->depth++;
    return ILP_OK;
}

/* The depth decreases on failure too: reading stops then. */
ilp_status ilpi_build_end(struct ilpi_builder *builder, struct ilp_error *error)
{
    builder->depth--;
    enum ilpi_element element = builder->open[builder->depth].element;
    builder->wrong_attribute = -1;
    if (ilpi_elements[element].place == ILPI_PLACE_GROUP && builder->open[builder->depth].empty) {
        return ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0, "<%s> holds no condition",
                         ilpi_elements[element].word);
    }
    return ILP_OK;
}
