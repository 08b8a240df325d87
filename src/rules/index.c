/* The index of a set of rules: it finds rules by the literal names in them, or by a part of each
 * name that their patterns match. The same for groups with many conditions. See rules.h; key.c
 * chooses names and parts.
 *
 *   <include> <type name="A"/> <method like="Get*"/>        key: TYPE A
 *   <include> <any> <type name="A"/> <type name="B"/>       keys: TYPE A, TYPE B
 *   <include> <method like="*Handler*"/>                    key: METHOD_PART, the end of "Handler"
 *   <include> <method static="yes"/>                        key: NONE, tried for every method
 *
 * Everything runs twice: with `add` false it counts keys and groups, memory is reserved, and with
 * `add` true nothing can fail any more. */
#include "rules/key.h"

static bool add_name_key(struct ilpi_key_sink *sink, const struct ilpi_rule_condition *condition,
                         bool one)
{
    return ilpi_add_literal_key(sink, condition, one, true) ||
           ilpi_add_part_key(sink, condition, one, ILPI_LEAST_PART);
}

/* ---- keys of rules ---- */

struct rule_sink {
    struct ilpi_key_sink keys; /* `of` is the rule; `condition` stays NULL */
    bool without_attributes;   /* attributes are not used */
    size_t by_attribute;       /* how many keys are attributes */
};

/* The first that exists of: an exact name, a part, an attribute. */
static bool add_rule_key(struct rule_sink *sink, const struct ilpi_rule_condition *condition,
                         bool one)
{
    if (add_name_key(&sink->keys, condition, one)) {
        return true;
    }
    bool added = !sink->without_attributes && ilpi_add_attribute_key(&sink->keys, condition, one);
    sink->by_attribute += added;
    return added;
}

/* The keys of an <any>, if each of its conditions has one: a rule with one condition that has none
 * would be missed by the others' keys. */
static bool add_any_keys(struct rule_sink *sink, const struct ilpi_rule_condition *any)
{
    struct rule_sink count = *sink;
    count.keys.add = false;
    /* On a copy of the sink, so that an <any> that cannot be used leaves nothing. */
    for (const struct ilpi_rule_condition *at = any->inner; at; at = at->next) {
        if (!add_rule_key(&count, at, true)) {
            return false;
        }
    }
    for (const struct ilpi_rule_condition *at = any->inner; at; at = at->next) {
        add_rule_key(sink, at, true);
    }
    return true;
}

/* A namespace is shared by more methods than a long part of a name, and by fewer than a short
 * one. */
static void add_keys(struct rule_sink *sink, const struct ilpi_rule_condition *conditions)
{
    if (ilpi_add_literal_key(&sink->keys, conditions, false, false)) {
        return;
    }
    for (const struct ilpi_rule_condition *at = conditions; at; at = at->next) {
        if (at->element == ILPI_ELEMENT_ANY && add_any_keys(sink, at)) {
            return;
        }
    }
    if (!ilpi_add_part_key(&sink->keys, conditions, false, ILPI_MOST_PART) &&
        !add_rule_key(sink, conditions, false)) {
        ilpi_add_key(&sink->keys, ILPI_KEY_NONE, 0);
    }
}

/* Counts or adds the keys of the rules from `first` on. Disabled rules get no key, and so are never
 * found. The two passes may choose different parts of a pattern, since the second one sees the keys
 * added meanwhile (count_shared()), but the same number of keys. */
static void add_rules(struct rule_sink *sink, size_t first)
{
    const struct ilp_rules *rules = sink->keys.rules;
    for (size_t i = first; i < rules->rules.count; i++) {
        const struct ilpi_rule *rule = &rules->rules.items[i];
        if (rule->head.enabled) {
            sink->keys.of = (uint32_t)i;
            add_keys(sink, rule->conditions);
        }
    }
}

/* ---- keys of conditions in groups ---- */

struct group_sink {
    struct ilpi_key_sink keys; /* `of` is the group's number, `condition` one of its conditions */
    size_t groups;             /* those that get an index */
};

/* Without its key a condition of <any> is false, and a <not> is true. These are the neutral
 * outcomes of their groups (group.c), so they can be left out. */
static bool add_member_key(struct ilpi_key_sink *sink, enum ilpi_element group,
                           const struct ilpi_rule_condition *condition)
{
    bool any = group == ILPI_ELEMENT_ANY;
    if (!any && condition->element != ILPI_ELEMENT_NOT) {
        return false;
    }
    const struct ilpi_rule_condition *of = any ? condition : condition->inner;
    return add_name_key(sink, of, any) || ilpi_add_attribute_key(sink, of, any);
}

/* Whether conditions have the same outcome for all methods of a type. */
static bool are_of_type(const struct ilpi_rule_condition *condition)
{
    static const uint32_t elements = 1u << ILPI_ELEMENT_ASSEMBLY | 1u << ILPI_ELEMENT_NAMESPACE |
                                     1u << ILPI_ELEMENT_TYPE | 1u << ILPI_ELEMENT_IMPLEMENTS |
                                     1u << ILPI_ELEMENT_DERIVES;
    bool all = true;
    for (; condition && all; condition = condition->next) {
        all = ilpi_elements[condition->element].place == ILPI_PLACE_GROUP
                  ? are_of_type(condition->inner)
                  : (elements >> condition->element & 1) != 0;
    }
    return all;
}

/* The groups that have a list of keys of their own. One member without a key makes the whole group
 * one that must always be tried. */
static void add_members(struct group_sink *sink, enum ilpi_element group,
                        struct ilpi_rule_condition *conditions)
{
    struct ilpi_key_sink *keys = &sink->keys;
    struct ilp_rules *rules = keys->rules;
    if (keys->add) {
        rules->groups.items[rules->groups.count++] =
            (struct ilpi_group){.of_type = are_of_type(conditions)};
        conditions->group = keys->of = (uint32_t)rules->groups.count;
        keys->keys = &rules->groups.items[keys->of - 1].keys;
    }
    for (const struct ilpi_rule_condition *at = conditions; at; at = at->next) {
        keys->condition = at;
        if (!add_member_key(keys, group, at)) {
            ilpi_add_key(keys, ILPI_KEY_NONE, 0);
        }
    }
    sink->groups++;
}

/* Indexes the group of conditions, if enough of them have a key, and the groups in it. Inner groups
 * first, in the same order in both passes, since the number of a group is its position. */
static void add_group(struct group_sink *sink, enum ilpi_element group,
                      struct ilpi_rule_condition *conditions)
{
    struct ilpi_key_sink count = sink->keys;
    size_t keyed = 0;
    count.add = false;
    for (struct ilpi_rule_condition *at = conditions; at; at = at->next) {
        if (ilpi_elements[at->element].place == ILPI_PLACE_GROUP) {
            add_group(sink, at->element, at->inner);
        }
        keyed += keyed < ILPI_LEAST_INDEXED && add_member_key(&count, group, at);
    }
    if (keyed == ILPI_LEAST_INDEXED) {
        add_members(sink, group, conditions);
    }
}

/* Counts or adds those of the rules from `first` on. */
static void add_groups(struct group_sink *sink, size_t first)
{
    const struct ilp_rules *rules = sink->keys.rules;
    for (size_t i = first; i < rules->rules.count; i++) {
        const struct ilpi_rule *rule = &rules->rules.items[i];
        if (rule->head.enabled) {
            add_group(sink, ILPI_ELEMENT_ALL, rule->conditions);
        }
    }
}

/* ---- indexing ---- */

static ilp_status reserve_groups(const struct group_sink *sink, struct ilp_error *error)
{
    struct ilp_rules *rules = sink->keys.rules;
    ILPI_TRY(ILPI_LIST_RESERVE(&rules->alloc, &rules->groups, rules->groups.count + sink->groups,
                               error));
    return ilpi_reserve_keys(&sink->keys, error);
}

/* Attributes as keys cost each method a walk over its attributes; only many rules with them are
 * worth that. Group indexes are optional: without memory for them within the set's limit, groups
 * are evaluated one by one. */
ilp_status ilpi_rules_index(struct ilp_rules *rules, size_t first, struct ilp_error *error)
{
    struct rule_sink of_rules = {
        .keys = {.rules = rules, .index = &rules->index, .keys = &rules->keys}};
    struct group_sink of_groups = {.keys = {.rules = rules, .index = &rules->group_index}};
    add_rules(&of_rules, first);
    if (of_rules.by_attribute != 0 && of_rules.by_attribute < ILPI_LEAST_INDEXED) {
        /* so few are cheaper without, but may then have other keys */
        of_rules.without_attributes = true;
        of_rules.keys.count = 0;
        add_rules(&of_rules, first);
    }
    add_groups(&of_groups, first);
    ILPI_TRY(ilpi_reserve_keys(&of_rules.keys, error));
    ilp_status status = reserve_groups(&of_groups, error);
    if (status != ILP_OK && !rules->alloc.full) {
        return status;
    }
    /* From here on nothing fails, so both indexes are complete, or as they were. */
    of_rules.keys.add = true;
    add_rules(&of_rules, first);
    if (status == ILP_OK) {
        of_groups.keys.add = true;
        add_groups(&of_groups, first);
    }
    return ILP_OK;
}
