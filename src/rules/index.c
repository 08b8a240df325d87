/* The index of a set of rules: it finds rules by the literal names in them, or by a part of each
 * name that their patterns match. See rules.h. */
#include "rules/rules.h"

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
static ilp_status reserve_keys(struct ilp_rules *rules, size_t more, struct ilp_error *error)
{
    size_t chains = rules->chains.count + more;
    ILPI_TRY(ILPI_LIST_RESERVE(&rules->alloc, &rules->chains, chains, error));
    ILPI_TRY(ilpi_map_reserve(&rules->chain_numbers, &rules->alloc, chains, error));
    return ILPI_LIST_RESERVE(&rules->alloc, &rules->links, rules->links.count + more, error);
}

/* The chain of a hash, found or added: there is room for it. */
static struct ilpi_chain *make_chain(struct ilp_rules *rules, uint64_t hash)
{
    struct ilpi_map_search search;
    struct ilpi_chain *chain = ilpi_rules_find_chain(rules, hash, &search);
    if (!chain) {
        chain = &rules->chains.items[rules->chains.count++];
        *chain = (struct ilpi_chain){.hash = hash, .first = ILPI_NO_LINK};
        ilpi_map_add_found(&rules->chain_numbers, &search, (uint32_t)rules->chains.count);
    }
    return chain;
}

/* ---- keys ---- */

/* Where the keys of a rule go: into the index, or, with index false, into a count alone. */
struct key_sink {
    struct ilp_rules *rules;
    uint32_t rule;
    bool index;
    size_t count;
    const struct ilpi_rule_condition *any; /* as in struct ilpi_link */
    const struct ilpi_rule_condition *found;
    uint64_t pairs;
};

/* There is room for it. */
static void add_key(struct key_sink *sink, enum ilpi_key key, uint64_t hash)
{
    struct ilp_rules *rules = sink->rules;
    sink->count++;
    if (!sink->index) {
        return;
    }
    struct ilpi_chain *chain = key == ILPI_KEY_NONE ? &rules->others : make_chain(rules, hash);
    rules->keys |= 1u << key;
    if (chain->first != ILPI_NO_LINK && rules->links.items[chain->last].rule == sink->rule) {
        rules->links.items[chain->last].pairs &= sink->pairs;
        return; /* the same name twice */
    }
    uint32_t link = (uint32_t)rules->links.count++;
    rules->links.items[link] = (struct ilpi_link){sink->rule, ILPI_NO_LINK, sink->any, sink->found,
                                                  sink->pairs};
    if (chain->first == ILPI_NO_LINK) {
        chain->first = link;
    } else {
        rules->links.items[chain->last].next = link;
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
           ilpi_rules_chain(rules, signature_name_hash(method)) != ILPI_NO_LINK;
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
    } else if (sink->index) {
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
    const struct {
        enum ilpi_key key;
        const struct ilpi_rule_value *first;
    } keys[] = {
        {ILPI_KEY_SIGNATURE, signature},  {ILPI_KEY_TYPE_AND_METHOD, method ? type : NULL},
        {ILPI_KEY_METHOD, method},        {ILPI_KEY_TYPE, type},
        {ILPI_KEY_NAMESPACE, name_space},
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
    if (signature) {
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
    const struct ilp_rules *rules;
    enum ilpi_key key;
    uint64_t bytes;
    unsigned count; /* of these since the last gap, up to the largest size */
    uint64_t pairs;
    bool better; /* the best part is of this pattern */
    struct pattern_part best;
};

/* Longer chains are all bad. */
#define MOST_SHARED 16u

static unsigned count_shared(const struct ilp_rules *rules, uint64_t hash)
{
    unsigned count = 0;
    for (uint32_t link = ilpi_rules_chain(rules, hash); link != ILPI_NO_LINK && count < MOST_SHARED;
         link = rules->links.items[link].next) {
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
        part.shared = count_shared(search->rules, part.hash);
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
    default: return ILPI_KEY_NONE;
    }
}

/* The best part of conditions that all have to be true; `one`: of the first one alone. */
static void find_part(const struct ilp_rules *rules, const struct ilpi_rule_condition *condition,
                      bool one, struct pattern_part *best)
{
    for (; condition; condition = one ? NULL : condition->next) {
        if (condition->element == ILPI_ELEMENT_ALL) {
            find_part(rules, condition->inner, false, best);
        }
        for (const struct ilpi_rule_value *value = condition->values; value; value = value->next) {
            struct part_search search = {
                .rules = rules, .key = part_key(value->attribute), .best = *best};
            if (search.key != ILPI_KEY_NONE &&
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
    find_part(sink->rules, condition, one, &best);
    if (best.size < least) {
        return false;
    }
    sink->pairs = best.pairs;
    add_key(sink, best.key, best.hash);
    sink->pairs = 0;
    if (sink->index) {
        sink->rules->part_sizes[best.key] |= best.size;
    }
    return true;
}

/* ---- keys of rules ---- */

static bool add_condition_key(struct key_sink *sink, const struct ilpi_rule_condition *condition)
{
    return add_literal_key(sink, condition, true, true) ||
           add_part_key(sink, condition, true, ILPI_LEAST_PART);
}

/* The keys of an <any>, if each of its conditions has one. */
static bool add_any_keys(struct key_sink *sink, const struct ilpi_rule_condition *any)
{
    struct key_sink count = {.rules = sink->rules, .rule = sink->rule};
    for (const struct ilpi_rule_condition *at = any->inner; at; at = at->next) {
        if (!add_condition_key(&count, at)) {
            return false;
        }
    }
    sink->any = any->inner;
    for (const struct ilpi_rule_condition *at = any->inner; at; at = at->next) {
        sink->found = at;
        add_condition_key(sink, at);
    }
    sink->any = sink->found = NULL;
    return true;
}

/* A namespace has more methods than a long part of a name, and fewer than a short one. */
static void add_keys(struct key_sink *sink)
{
    const struct ilpi_rule_condition *conditions = sink->rules->rules.items[sink->rule].conditions;
    if (add_literal_key(sink, conditions, false, false)) {
        return;
    }
    for (const struct ilpi_rule_condition *at = conditions; at; at = at->next) {
        if (at->element == ILPI_ELEMENT_ANY && add_any_keys(sink, at)) {
            return;
        }
    }
    if (!add_part_key(sink, conditions, false, ILPI_MOST_PART) &&
        !add_literal_key(sink, conditions, false, true) &&
        !add_part_key(sink, conditions, false, ILPI_LEAST_PART)) {
        add_key(sink, ILPI_KEY_NONE, 0);
    }
}

ilp_status ilpi_rules_index(struct ilp_rules *rules, size_t first, struct ilp_error *error)
{
    struct key_sink sink = {.rules = rules};
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = first; i < rules->rules.count; i++) {
            sink.rule = (uint32_t)i;
            if (rules->rules.items[i].head.enabled) {
                add_keys(&sink);
            }
        }
        if (pass == 0) {
            ILPI_TRY(reserve_keys(rules, sink.count, error));
            sink.index = true;
        }
    }
    return ILP_OK;
}
