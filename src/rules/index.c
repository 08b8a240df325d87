/* The index of a set of rules: it finds rules by the literal names in them, or by a part of each
 * name that their patterns match; and that of groups with many conditions, which finds those in the
 * same way. See rules.h. */
#include "rules/match.h"

#include <string.h>

#include "base/hash.h"
#include "base/pattern_literal.h"
#include "types/names.h"

/* ---- chains ---- */

uint64_t ilpi_key_hash(enum ilpi_key key, struct ilp_bytes first, struct ilp_bytes second)
{
    uint64_t hash = XXH3_64bits_withSeed(first.data, first.size, key);
    return key == ILPI_KEY_TYPE_AND_METHOD ? XXH3_64bits_withSeed(second.data, second.size, hash)
                                           : hash;
}

/* Room for `more` keys. */
static ilp_status reserve_keys(struct ilpi_index *index, struct ilpi_alloc *alloc, size_t more,
                               struct ilp_error *error)
{
    size_t chains = index->chains.count + more;
    ILPI_TRY(ILPI_LIST_RESERVE(alloc, &index->chains, chains, error));
    ILPI_TRY(ilpi_map_reserve(&index->chain_numbers, alloc, chains, error));
    return ILPI_LIST_RESERVE(alloc, &index->links, index->links.count + more, error);
}

/* The chain of a hash, found or added: there is room for it. */
static struct ilpi_chain *make_chain(struct ilpi_index *index, uint64_t hash)
{
    struct ilpi_map_search search;
    struct ilpi_chain *chain = ilpi_find_chain(index, hash, &search);
    if (!chain) {
        chain = &index->chains.items[index->chains.count++];
        *chain = (struct ilpi_chain){.hash = hash, .first = ILPI_NO_LINK};
        ilpi_map_add_found(&index->chain_numbers, &search, (uint32_t)index->chains.count);
    }
    return chain;
}

/* ---- keys ---- */

/* Where keys go: into the index of rules or of groups, or, with add false, into a count alone. */
struct key_sink {
    struct ilp_rules *rules;
    struct ilpi_index *index;
    struct ilpi_key_set *keys;
    bool add;
    bool attributes;         /* these are looked at, too: to read them costs more than all names */
    bool without_attributes; /* they are never looked at */
    size_t count;
    size_t by_attribute; /* how many of these keys are attributes */
    size_t groups;
    uint32_t of;                                 /* a rule, or a group */
    const struct ilpi_rule_condition *condition; /* as in struct ilpi_link */
    uint64_t pairs;
};

static bool is_of_group(const struct key_sink *sink)
{
    return sink->index == &sink->rules->group_index;
}

/* The hash of a key in the index of the sink. */
static uint64_t sink_hash(const struct key_sink *sink, uint64_t hash)
{
    return is_of_group(sink) ? ilpi_group_hash(sink->of, hash) : hash;
}

/* There is room for it. */
static void add_key(struct key_sink *sink, enum ilpi_key key, uint64_t hash)
{
    struct ilpi_index *index = sink->index;
    sink->count++;
    if (!sink->add) {
        return;
    }
    struct ilpi_chain *chain = key == ILPI_KEY_NONE && !is_of_group(sink)
                                   ? &sink->rules->others
                                   : make_chain(index, sink_hash(sink, hash));
    sink->keys->kinds |= 1u << key;
    if (chain->first != ILPI_NO_LINK && index->links.items[chain->last].of == sink->of &&
        index->links.items[chain->last].condition == sink->condition) {
        index->links.items[chain->last].pairs &= sink->pairs;
        return; /* the same name twice */
    }
    uint32_t link = (uint32_t)index->links.count++;
    index->links.items[link] = (struct ilpi_link){sink->of, ILPI_NO_LINK, sink->condition,
                                                  sink->pairs};
    if (chain->first == ILPI_NO_LINK) {
        chain->first = link;
    } else {
        index->links.items[chain->last].next = link;
    }
    chain->last = link;
}

/* The name of a method in the text of its signature: between the only "::" and the only "(" after
 * it. Empty where that is not sure. */
static struct ilp_bytes name_in_signature(struct ilp_bytes text)
{
    struct ilp_bytes none = {NULL, 0};
    const char *start = memmem(text.data, text.size, "::", 2);
    const char *end = (const char *)text.data + text.size;
    if (!start || memmem(start + 1, (size_t)(end - start) - 1, "::", 2)) {
        return none;
    }
    start += 2;
    const char *stop = memchr(start, '(', (size_t)(end - start));
    if (!stop || memchr(stop + 1, '(', (size_t)(end - stop) - 1)) {
        return none;
    }
    return (struct ilp_bytes){(const uint8_t *)start, (size_t)(stop - start)};
}

/* The name without the number of type parameters after it: "<2>". */
static struct ilp_bytes without_arity(struct ilp_bytes name)
{
    size_t end = name.size;
    if (end == 0 || name.data[end - 1] != '>') {
        return name;
    }
    for (end--; end != 0 && name.data[end - 1] >= '0' && name.data[end - 1] <= '9';) {
        end--;
    }
    bool arity = end != 0 && name.data[end - 1] == '<';
    return arity ? (struct ilp_bytes){name.data, end - 1} : name;
}

/* Names of signatures have chains of their own, under a hash that no key has. */
static uint64_t signature_name_hash(struct ilp_bytes name)
{
    return XXH3_64bits_withSeed(name.data, name.size, ILPI_KEY_COUNT);
}

bool ilpi_rules_know_signature(const struct ilp_rules *rules, struct ilp_bytes method)
{
    return rules->any_signature ||
           ilpi_chain_of(&rules->index, signature_name_hash(method)) != ILPI_NO_LINK;
}

/* "M<2>(" is M with two type parameters, or a method that is called M<2>. Long names are cut in
 * texts. */
static void add_signature_name(struct key_sink *sink, struct ilp_bytes signature)
{
    struct ilp_bytes name = name_in_signature(signature);
    if (name.size != 0 && name.size < ILPI_NAME_LIMIT) {
        struct ilp_bytes without = without_arity(name);
        add_key(sink, ILPI_KEY_SIGNATURE, signature_name_hash(name));
        add_key(sink, ILPI_KEY_SIGNATURE, signature_name_hash(without));
    } else if (sink->add) {
        sink->rules->any_signature = true;
    }
}

/* The literal names of conditions that all have to be true; `one`: of the first one alone. */
static void find_literals(const struct ilpi_rule_condition *condition, bool one,
                          const struct ilpi_rule_value **literals)
{
    for (; condition; condition = one ? NULL : condition->next) {
        if (condition->element == ILPI_ELEMENT_ALL) {
            find_literals(condition->inner, false, literals);
        }
        for (const struct ilpi_rule_value *value = condition->values; value; value = value->next) {
            literals[value->attribute] = value;
        }
    }
}

/* Where the attributes of such conditions are. */
static uint32_t find_places(const struct ilpi_rule_condition *condition, bool one)
{
    uint32_t places = 0;
    for (; condition; condition = one ? NULL : condition->next) {
        if (condition->element == ILPI_ELEMENT_ALL) {
            places |= find_places(condition->inner, false);
        } else if (condition->element == ILPI_ELEMENT_ATTRIBUTE) {
            places |= ilpi_places_of(condition);
        }
    }
    return places;
}

/* Adds the key that few methods share, of conditions that all have to be true; false where there is
 * none. */
static bool add_literal_key(struct key_sink *sink, const struct ilpi_rule_condition *condition,
                            bool one, bool with_namespace)
{
    const struct ilpi_rule_value *literals[ILPI_ATTRIBUTE_COUNT] = {NULL};
    find_literals(condition, one, literals);
    const struct ilpi_rule_value *signature = literals[ILPI_ATTRIBUTE_SIGNATURE_TEXT];
    const struct ilpi_rule_value *type = literals[ILPI_ATTRIBUTE_TYPE_NAME];
    const struct ilpi_rule_value *method = literals[ILPI_ATTRIBUTE_METHOD_NAME];
    const struct ilpi_rule_value *name_space = with_namespace
                                                   ? literals[ILPI_ATTRIBUTE_NAMESPACE_NAME]
                                                   : NULL;
    const struct ilpi_rule_value *attribute = sink->attributes
                                                  ? literals[ILPI_ATTRIBUTE_ATTRIBUTE_NAME]
                                                  : NULL;
    const struct ilpi_rule_value *assembly = is_of_group(sink)
                                                 ? literals[ILPI_ATTRIBUTE_ASSEMBLY_NAME]
                                                 : NULL;
    const struct {
        enum ilpi_key key;
        const struct ilpi_rule_value *first;
    } keys[] = {
        {ILPI_KEY_SIGNATURE, signature},  {ILPI_KEY_TYPE_AND_METHOD, method ? type : NULL},
        {ILPI_KEY_METHOD, method},        {ILPI_KEY_TYPE, type},
        {ILPI_KEY_NAMESPACE, name_space}, {ILPI_KEY_ATTRIBUTE, attribute},
        {ILPI_KEY_ASSEMBLY, assembly},
    };
    size_t best = 0;
    while (best < sizeof keys / sizeof keys[0] && !keys[best].first) {
        best++;
    }
    if (best == sizeof keys / sizeof keys[0]) {
        return false;
    }
    struct ilp_bytes none = {NULL, 0};
    add_key(sink, keys[best].key,
            ilpi_key_hash(keys[best].key, keys[best].first->as.pattern.text,
                          method ? method->as.pattern.text : none));
    if (sink->add && keys[best].key == ILPI_KEY_ATTRIBUTE) {
        sink->keys->places |= find_places(condition, one);
    }
    if (signature && !is_of_group(sink)) {
        add_signature_name(sink, signature->as.pattern.text);
    }
    return true;
}

/* ---- parts of names ---- */

struct pattern_part {
    enum ilpi_key key;
    unsigned size; /* 0: none found */
    uint64_t hash;
    unsigned shared; /* how many rules have it, as far as it matters */
    uint64_t pairs;  /* as in struct ilpi_link */
};

/* The literals of one pattern on their way, and the best part until now. */
struct part_search {
    const struct key_sink *sink;
    enum ilpi_key key;
    uint64_t bytes;
    unsigned count; /* of these since the last gap, up to the largest size */
    uint64_t pairs;
    bool better; /* the best part is of this pattern */
    struct pattern_part best;
};

/* Longer chains are all bad. */
#define MOST_SHARED 16u

static unsigned count_shared(const struct key_sink *sink, uint64_t hash)
{
    const struct ilpi_index *index = sink->index;
    unsigned count = 0;
    for (uint32_t link = ilpi_chain_of(index, sink_hash(sink, hash));
         link != ILPI_NO_LINK && count < MOST_SHARED; link = index->links.items[link].next) {
        count++;
    }
    return count;
}

/* The largest part that the fewest rules have; of several the last, since names that begin alike
 * are more than others. */
static void add_literal(void *user, int byte)
{
    struct part_search *search = user;
    if (byte == ILPI_LITERAL_GAP) {
        search->count = 0;
        return;
    }
    search->bytes = search->bytes << 8 | (uint8_t)byte;
    search->count += search->count < ILPI_MOST_PART;
    search->pairs |= search->count >= 2 ? ilpi_pair_bit(search->bytes) : 0;
    unsigned size = ILPI_MOST_PART;
    while (size > search->count) {
        size /= 2;
    }
    if (size >= ILPI_LEAST_PART && size >= search->best.size) {
        struct pattern_part part = {.key = search->key, .size = size};
        part.hash = ilpi_part_hash(part.key, size, ilpi_part_of(search->bytes, size));
        part.shared = count_shared(search->sink, part.hash);
        if (size > search->best.size || part.shared <= search->best.shared) {
            search->best = part;
            search->better = true;
        }
    }
}

/* The kind of part that the patterns of an attribute have, ILPI_KEY_NONE for others: names that
 * take more to be known are not looked up. */
static enum ilpi_key part_key(enum ilpi_attribute attribute)
{
    switch (attribute) {
    case ILPI_ATTRIBUTE_METHOD_LIKE:
    case ILPI_ATTRIBUTE_METHOD_REGEX: return ILPI_KEY_METHOD_PART;
    case ILPI_ATTRIBUTE_TYPE_LIKE:
    case ILPI_ATTRIBUTE_TYPE_REGEX: return ILPI_KEY_TYPE_PART;
    case ILPI_ATTRIBUTE_NAMESPACE_LIKE:
    case ILPI_ATTRIBUTE_NAMESPACE_REGEX: return ILPI_KEY_NAMESPACE_PART;
    case ILPI_ATTRIBUTE_ATTRIBUTE_LIKE:
    case ILPI_ATTRIBUTE_ATTRIBUTE_REGEX: return ILPI_KEY_ATTRIBUTE_PART;
    case ILPI_ATTRIBUTE_ASSEMBLY_LIKE:
    case ILPI_ATTRIBUTE_ASSEMBLY_REGEX: return ILPI_KEY_ASSEMBLY_PART;
    default: return ILPI_KEY_NONE;
    }
}

/* Whether a sink takes it. */
static bool takes_part(const struct key_sink *sink, enum ilpi_key key)
{
    switch (key) {
    case ILPI_KEY_NONE: return false;
    case ILPI_KEY_ATTRIBUTE_PART: return sink->attributes;
    case ILPI_KEY_ASSEMBLY_PART: return is_of_group(sink);
    default: return true;
    }
}

/* The bytes of a pattern since the last gap, until they are a part. */
static void count_literal(void *user, int byte)
{
    unsigned *count = user;
    if (*count < ILPI_LEAST_PART) {
        *count = byte == ILPI_LITERAL_GAP ? 0 : *count + 1;
    }
}

bool ilpi_is_found_by_part(enum ilpi_attribute attribute, const struct ilpi_pattern *pattern)
{
    unsigned count = 0;
    return part_key(attribute) != ILPI_KEY_NONE &&
           ilpi_pattern_literals(pattern, count_literal, &count) && count == ILPI_LEAST_PART;
}

/* The best part of conditions that all have to be true; `one`: of the first one alone. */
static void find_part(const struct key_sink *sink, const struct ilpi_rule_condition *condition,
                      bool one, struct pattern_part *best)
{
    for (; condition; condition = one ? NULL : condition->next) {
        if (condition->element == ILPI_ELEMENT_ALL) {
            find_part(sink, condition->inner, false, best);
        }
        for (const struct ilpi_rule_value *value = condition->values; value; value = value->next) {
            struct part_search search = {
                .sink = sink, .key = part_key(value->attribute), .best = *best};
            if (takes_part(sink, search.key) &&
                ilpi_pattern_literals(&value->as.pattern, add_literal, &search)) {
                *best = search.best;
                best->pairs = search.better ? search.pairs : best->pairs;
            }
        }
    }
}

/* Adds the best part, if it has `least` bytes; false where there is none. */
static bool add_part_key(struct key_sink *sink, const struct ilpi_rule_condition *condition,
                         bool one, unsigned least)
{
    struct pattern_part best = {.size = 0};
    find_part(sink, condition, one, &best);
    if (best.size < least) {
        return false;
    }
    sink->pairs = best.pairs;
    add_key(sink, best.key, best.hash);
    sink->pairs = 0;
    if (sink->add) {
        sink->keys->part_sizes[best.key] |= best.size;
        sink->keys->places |= best.key == ILPI_KEY_ATTRIBUTE_PART ? find_places(condition, one) : 0;
    }
    return true;
}

/* ---- keys of rules ---- */

/* The first that is there of: an exact name, a part, an attribute. */
static bool add_some_key(struct key_sink *sink, const struct ilpi_rule_condition *condition,
                         bool one)
{
    bool added = add_literal_key(sink, condition, one, true) ||
                 add_part_key(sink, condition, one, ILPI_LEAST_PART);
    if (!added && !sink->without_attributes && find_places(condition, one) != 0) {
        sink->attributes = true;
        added = add_literal_key(sink, condition, one, true) ||
                add_part_key(sink, condition, one, ILPI_LEAST_PART);
        sink->attributes = false;
        sink->by_attribute += added;
    }
    return added;
}

/* The keys of an <any>, if each of its conditions has one. */
static bool add_any_keys(struct key_sink *sink, const struct ilpi_rule_condition *any)
{
    struct key_sink count = *sink;
    count.add = false;
    for (const struct ilpi_rule_condition *at = any->inner; at; at = at->next) {
        if (!add_some_key(&count, at, true)) {
            return false;
        }
    }
    for (const struct ilpi_rule_condition *at = any->inner; at; at = at->next) {
        add_some_key(sink, at, true);
    }
    return true;
}

/* A namespace has more methods than a long part of a name, and fewer than a short one. */
static void add_keys(struct key_sink *sink, const struct ilpi_rule_condition *conditions)
{
    if (add_literal_key(sink, conditions, false, false)) {
        return;
    }
    for (const struct ilpi_rule_condition *at = conditions; at; at = at->next) {
        if (at->element == ILPI_ELEMENT_ANY && add_any_keys(sink, at)) {
            return;
        }
    }
    if (!add_part_key(sink, conditions, false, ILPI_MOST_PART) &&
        !add_some_key(sink, conditions, false)) {
        add_key(sink, ILPI_KEY_NONE, 0);
    }
}

/* ---- keys of conditions in groups ---- */

/* Without its key a condition of <any> is false, and a <not> is true. */
static bool add_member_key(struct key_sink *sink, enum ilpi_element group,
                           const struct ilpi_rule_condition *condition)
{
    if (group == ILPI_ELEMENT_ANY) {
        return add_some_key(sink, condition, true);
    }
    return condition->element == ILPI_ELEMENT_NOT && add_some_key(sink, condition->inner, false);
}

/* Whether conditions say the same of all methods of a type. */
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

static void add_members(struct key_sink *sink, enum ilpi_element group,
                        struct ilpi_rule_condition *conditions)
{
    struct ilp_rules *rules = sink->rules;
    if (sink->add) {
        rules->groups.items[rules->groups.count++] =
            (struct ilpi_group){.of_type = are_of_type(conditions)};
        conditions->group = sink->of = (uint32_t)rules->groups.count;
        sink->keys = &rules->groups.items[sink->of - 1].keys;
    }
    for (const struct ilpi_rule_condition *at = conditions; at; at = at->next) {
        sink->condition = at;
        if (!add_member_key(sink, group, at)) {
            add_key(sink, ILPI_KEY_NONE, 0);
        }
    }
    sink->groups++;
}

/* The group of conditions, if enough of them have a key, and the groups in it. */
static void add_groups(struct key_sink *sink, enum ilpi_element group,
                       struct ilpi_rule_condition *conditions)
{
    struct key_sink count = *sink;
    size_t keyed = 0;
    count.add = false;
    for (struct ilpi_rule_condition *at = conditions; at; at = at->next) {
        if (ilpi_elements[at->element].place == ILPI_PLACE_GROUP) {
            add_groups(sink, at->element, at->inner);
        }
        keyed += keyed < ILPI_LEAST_INDEXED && add_member_key(&count, group, at);
    }
    if (keyed == ILPI_LEAST_INDEXED) {
        add_members(sink, group, conditions);
    }
}

/* ---- indexing ---- */

/* Counts or adds the keys of the rules from `first` on. */
static void add_rules(struct ilp_rules *rules, size_t first, struct key_sink *sink,
                      struct key_sink *groups)
{
    for (size_t i = first; i < rules->rules.count; i++) {
        struct ilpi_rule *rule = &rules->rules.items[i];
        if (rule->head.enabled) {
            sink->of = (uint32_t)i;
            add_keys(sink, rule->conditions);
            add_groups(groups, ILPI_ELEMENT_ALL, rule->conditions);
        }
    }
}

ilp_status ilpi_rules_index(struct ilp_rules *rules, size_t first, struct ilp_error *error)
{
    struct key_sink sink = {.rules = rules, .index = &rules->index, .keys = &rules->keys};
    struct key_sink groups = {.rules = rules, .index = &rules->group_index};
    add_rules(rules, first, &sink, &groups);
    if (sink.by_attribute != 0 && sink.by_attribute < ILPI_LEAST_INDEXED) {
        /* so few cost less one by one, but may have other keys then */
        sink.without_attributes = true;
        sink.count = groups.count = groups.groups = 0;
        add_rules(rules, first, &sink, &groups);
    }
    ILPI_TRY(reserve_keys(sink.index, &rules->alloc, sink.count, error));
    ilp_status status = ILPI_LIST_RESERVE(&rules->alloc, &rules->groups,
                                          rules->groups.count + groups.groups, error);
    if (status == ILP_OK) {
        status = reserve_keys(groups.index, &rules->alloc, groups.count, error);
    }
    if (status != ILP_OK && !rules->alloc.full) {
        return status;
    }
    sink.add = true;
    groups.add = status == ILP_OK;
    add_rules(rules, first, &sink, &groups);
    return ILP_OK;
}
