/* Looks names up, in full or by their parts. See look_up.h.
 *
 * A part of size n is looked up at every offset of a name: the bytes roll through a 64-bit number,
 * whose last n bytes are the part. A bit set of all hashes (part_bits) rejects most of them before
 * the hash table. */
#include "rules/look_up.h"

#include <string.h>

/* The chains of the parts of one size in a name. The first size - 1 bytes only fill the number; a
 * name that is shorter than the part has none. */
static void look_up_parts_of(const struct ilpi_look_up *look_up, enum ilpi_key key, unsigned size,
                             struct ilp_bytes name)
{
    const uint64_t bits = look_up->keys->part_bits[key];
    uint64_t bytes = 0;
    size_t i = 0;
    for (; i < name.size && i + 1 < size; i++) {
        bytes = bytes << 8 | name.data[i];
    }
    for (; i < name.size; i++) {
        bytes = bytes << 8 | name.data[i];
        uint64_t hash = ilpi_part_hash(key, size, ilpi_part_of(bytes, size));
        /* Most parts of most names are in no rule: a bit test instead of a look-up. */
        if ((bits & ilpi_part_bit(hash)) != 0) {
            ilpi_look_up_hash(look_up, hash);
        }
    }
}

/* All pairs of a name as a set of 64 bits: a pattern whose pairs are not all in it cannot match.
 * That costs one pass per name and saves most of the matching. */
static void add_pairs(struct ilpi_look_up *look_up, enum ilpi_key key, struct ilp_bytes name)
{
    uint64_t pairs = 0;
    (void)key;
    for (size_t i = 1; i < name.size; i++) {
        pairs |= ilpi_pair_bit((uint64_t)name.data[i - 1] << 8 | name.data[i]);
    }
    look_up->pairs |= pairs;
}

/* The element that a key belongs to. */
static enum ilpi_element element_of(enum ilpi_key key)
{
    switch (key) {
    case ILPI_KEY_SIGNATURE: return ILPI_ELEMENT_SIGNATURE;
    case ILPI_KEY_TYPE_AND_METHOD:
    case ILPI_KEY_TYPE:
    case ILPI_KEY_TYPE_PART: return ILPI_ELEMENT_TYPE;
    case ILPI_KEY_NAMESPACE:
    case ILPI_KEY_NAMESPACE_PART: return ILPI_ELEMENT_NAMESPACE;
    case ILPI_KEY_ASSEMBLY:
    case ILPI_KEY_ASSEMBLY_PART: return ILPI_ELEMENT_ASSEMBLY;
    default: return ILPI_ELEMENT_METHOD;
    }
}

/* An exact name has one hash. For parts ("*Foo*") the keys of rules were cut to 2, 4 or 8 bytes
 * (rules.h), and pieces of the name are hashed in those sizes only that some rule has. */
static void look_up_name(struct ilpi_look_up *look_up, enum ilpi_key key, struct ilp_bytes name)
{
    if (key < ILPI_KEY_NONE) {
        ilpi_look_up_hash(look_up, ilpi_key_hash(key, name, (struct ilp_bytes){NULL, 0}));
        return;
    }
    for (unsigned size = ILPI_LEAST_PART; size <= ILPI_MOST_PART; size *= 2) {
        if ((look_up->keys->part_sizes[key] & size) != 0) {
            look_up_parts_of(look_up, key, size, name);
        }
    }
}

/* Each attribute of the method, its type and its assembly, as far as any rule looks there
 * (`places`). Lists are those of struct ilpi_name_list: names ended by a NUL, one after the
 * other. */
static ilp_status for_each_attribute(struct ilpi_look_up *look_up, struct ilpi_match *match,
                                     enum ilpi_key key,
                                     void (*take)(struct ilpi_look_up *look_up, enum ilpi_key key,
                                                  struct ilp_bytes name),
                                     struct ilp_error *error)
{
    for (unsigned on = 0; on < ILP_ON_COUNT; on++) {
        const struct ilpi_name_list *list;
        if ((look_up->keys->places >> on & 1) == 0) {
            continue;
        }
        ILPI_TRY(ilpi_facts_attributes(&match->facts, on, &list, error));
        for (size_t at = 0; at < list->names.size;) {
            struct ilp_bytes name = {list->names.data + at,
                                     strlen((const char *)list->names.data + at)};
            take(look_up, key, name);
            at += name.size + 1;
        }
    }
    return ILP_OK;
}

/* A chain is taken once per look-up, so attributes are read completely first: the chain is then
 * taken with the pairs of all of them. */
static ilp_status look_up_attributes(struct ilpi_look_up *look_up, struct ilpi_match *match,
                                     enum ilpi_key key, struct ilp_error *error)
{
    if (key == ILPI_KEY_ATTRIBUTE_PART) {
        ILPI_TRY(for_each_attribute(look_up, match, key, add_pairs, error));
    }
    return for_each_attribute(look_up, match, key, look_up_name, error);
}

/* `last_in` has the look-up that a chain was found in last, so a chain that several offsets of a
 * name find is taken once; counting the look-ups makes clearing it unnecessary. */
void ilpi_look_up_begin(struct ilpi_look_up *look_up)
{
    struct ilpi_found_chains *chains = look_up->found_chains;
    if (++chains->look_ups == 0) {
        memset(chains->last_in, 0, look_up->index->links.count * sizeof *chains->last_in);
        chains->look_ups = 1;
    }
    look_up->number = chains->look_ups;
    look_up->pairs = 0;
}

/* What a rule of that key could name, as this method has it: its name, each part of it, and pairs
 * of adjacent characters. *known is false if the text cannot be made. */
ilp_status ilpi_look_up_key(struct ilpi_look_up *look_up, struct ilpi_match *match,
                            enum ilpi_key key, bool *known, struct ilp_error *error)
{
    struct ilp_bytes name;
    *known = true;
    if (key == ILPI_KEY_ATTRIBUTE || key == ILPI_KEY_ATTRIBUTE_PART) {
        return look_up_attributes(look_up, match, key, error);
    }
    ILPI_TRY(ilpi_pattern_text(match, element_of(key), &name, known, error));
    if (!*known) {
        return ILP_OK;
    }
    if (key == ILPI_KEY_TYPE_AND_METHOD) {
        struct ilp_bytes method = ilpi_facts_method(&match->facts);
        ilpi_look_up_hash(look_up, ilpi_key_hash(key, name, method));
        return ILP_OK;
    }
    if (key > ILPI_KEY_NONE) {
        add_pairs(look_up, key, name);
    }
    look_up_name(look_up, key, name);
    return ILP_OK;
}
