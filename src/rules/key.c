/* Chooses the key of conditions (rules.h): a full name, or a part of each name that a pattern
 * matches. See key.h.
 *
 * A key has to be necessary: a method without it cannot meet the conditions. Among the candidates
 * the one that the fewest methods are expected to share is best, since every method that has it
 * tries the conditions. */
#include "rules/key.h"

#include <string.h>

#include "base/hash.h"
#include "base/pattern_literal.h"
#include "rules/match.h"
#include "types/names.h"

/* ---- names ---- */

/* The name of a method in the text of its signature: between the only "::" and the only "(" after
 * it. Empty if these are not unique. */
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

/* Names in signatures have their own chains, under a hash that no key has. */
static uint64_t signature_name_hash(struct ilp_bytes name)
{
    return XXH3_64bits_withSeed(name.data, name.size, ILPI_KEY_COUNT);
}

bool ilpi_rules_know_signature(const struct ilp_rules *rules, struct ilp_bytes method)
{
    return rules->any_signature ||
           ilpi_chain_of(&rules->index, signature_name_hash(method)) != ILPI_NO_LINK;
}

/* "M<2>(" is M with two type parameters, or a method that is called M<2>. Long names are truncated
 * in texts. If the name cannot be read, signatures of all methods are formatted (any_signature). */
static void add_signature_name(struct ilpi_key_sink *sink, struct ilp_bytes signature)
{
    struct ilp_bytes name = name_in_signature(signature);
    if (name.size != 0 && name.size < ILPI_NAME_LIMIT) {
        struct ilp_bytes without = without_arity(name);
        ilpi_add_key(sink, ILPI_KEY_SIGNATURE, signature_name_hash(name));
        ilpi_add_key(sink, ILPI_KEY_SIGNATURE, signature_name_hash(without));
    } else if (sink->add) {
        sink->rules->any_signature = true;
    }
}

/* The literal names of conditions that must all be true; `one`: only of the first. Recursion is by
 * groups, whose nesting is limited. */
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

/* The ILP_ON_* bits of the attributes in such conditions. */
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

/* Adds the rarest key of conditions that must all be true; false if there is none. */
bool ilpi_add_literal_key(struct ilpi_key_sink *sink, const struct ilpi_rule_condition *condition,
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
    const struct ilpi_rule_value *assembly = ilpi_is_of_group(sink)
                                                 ? literals[ILPI_ATTRIBUTE_ASSEMBLY_NAME]
                                                 : NULL;
    const struct {
        enum ilpi_key key;
        const struct ilpi_rule_value *first;
    } keys[] = {
        /* from the fewest methods that share it to the most; the first one is taken */
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
    ilpi_add_key(sink, keys[best].key,
                 ilpi_key_hash(keys[best].key, keys[best].first->as.pattern.text,
                               method ? method->as.pattern.text : none));
    if (sink->add && keys[best].key == ILPI_KEY_ATTRIBUTE) {
        sink->keys->places |= find_places(condition, one);
    }
    if (signature && !ilpi_is_of_group(sink)) {
        add_signature_name(sink, signature->as.pattern.text);
    }
    return true;
}

/* ---- parts of names ---- */

struct pattern_part {
    enum ilpi_key key;
    unsigned size; /* 0: none found */
    uint64_t hash;
    unsigned shared; /* how many rules have it, up to a limit */
    uint64_t pairs;  /* as in struct ilpi_link */
};

/* The literals of a pattern as they arrive, and the best part found. */
struct part_search {
    const struct ilpi_key_sink *sink;
    enum ilpi_key key;
    uint64_t bytes; /* the last eight, the newest lowest, as look_up.c has those of a name */
    unsigned count; /* number of these since the last gap, up to the largest size */
    uint64_t pairs; /* of all literals, also of those before a gap */
    bool better;    /* the best part is from this pattern */
    struct pattern_part best;
};

/* All longer chains are equally bad. */
#define MOST_SHARED 16u

/* Up to MOST_SHARED: more makes no difference to the choice of a key. */
static unsigned count_shared(const struct ilpi_key_sink *sink, uint64_t hash)
{
    const struct ilpi_index *index = sink->index;
    unsigned count = 0;
    for (uint32_t link = ilpi_chain_of(index, ilpi_sink_hash(sink, hash));
         link != ILPI_NO_LINK && count < MOST_SHARED; link = index->links.items[link].next) {
        count++;
    }
    return count;
}

/* Prefers the largest part, then the one that the fewest rules have, then the last, since more
 * names share a start than an end. Sizes are powers of two: the largest that the bytes since the
 * last gap have. */
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

/* The kind of part that the patterns of an attribute have; ILPI_KEY_NONE for names that are costly
 * to get, which are not looked up. */
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

/* Whether a sink accepts it. */
static bool takes_part(const struct ilpi_key_sink *sink, enum ilpi_key key)
{
    switch (key) {
    case ILPI_KEY_NONE: return false;
    case ILPI_KEY_ATTRIBUTE_PART: return sink->attributes;
    case ILPI_KEY_ASSEMBLY_PART: return ilpi_is_of_group(sink);
    default: return true;
    }
}

/* The bytes of a pattern since the last gap, until there are enough for a part. */
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

/* The best part of conditions that must all be true; `one`: only of the first. */
static void find_part(const struct ilpi_key_sink *sink, const struct ilpi_rule_condition *condition,
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

/* Adds the best part, if it has at least `least` bytes; false if there is none. */
bool ilpi_add_part_key(struct ilpi_key_sink *sink, const struct ilpi_rule_condition *condition,
                       bool one, unsigned least)
{
    struct pattern_part best = {.size = 0};
    find_part(sink, condition, one, &best);
    if (best.size < least) {
        return false;
    }
    sink->pairs = best.pairs;
    ilpi_add_key(sink, best.key, best.hash);
    sink->pairs = 0;
    if (sink->add) {
        sink->keys->part_sizes[best.key] |= best.size;
        sink->keys->part_bits[best.key] |= ilpi_part_bit(best.hash);
        sink->keys->places |= best.key == ILPI_KEY_ATTRIBUTE_PART ? find_places(condition, one) : 0;
    }
    return true;
}

/* ---- attributes ---- */

/* Attributes are keys only for certain places; a literal name is a better key than a part of
 * one. */
bool ilpi_add_attribute_key(struct ilpi_key_sink *sink, const struct ilpi_rule_condition *condition,
                            bool one)
{
    if (find_places(condition, one) == 0) {
        return false;
    }
    sink->attributes = true;
    bool added = ilpi_add_literal_key(sink, condition, one, true) ||
                 ilpi_add_part_key(sink, condition, one, ILPI_LEAST_PART);
    sink->attributes = false;
    return added;
}
