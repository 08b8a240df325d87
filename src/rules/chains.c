/* The chains of an index (rules.h): finds or makes the one that a key belongs to. See key.h.
 *
 *   hash of a key --chain_numbers--> chain: first, last --links--> rule 3 -> rule 7 -> rule 12
 *
 * Keys are added by rising rules, so each link is appended, and a chain rises. A sink is used
 * twice, to count and to add, so that all memory is taken before the index changes. */
#include "rules/key.h"

#include "base/hash.h"

uint64_t ilpi_key_hash(enum ilpi_key key, struct ilp_bytes first, struct ilp_bytes second)
{
    uint64_t hash = XXH3_64bits_withSeed(first.data, first.size, key);
    return key == ILPI_KEY_TYPE_AND_METHOD ? XXH3_64bits_withSeed(second.data, second.size, hash)
                                           : hash;
}

ilp_status ilpi_reserve_keys(const struct ilpi_key_sink *sink, struct ilp_error *error)
{
    struct ilpi_index *index = sink->index;
    struct ilpi_alloc *alloc = &sink->rules->alloc;
    /* Each key may begin a chain, and each has at most one link. */
    size_t chains = index->chains.count + sink->count;
    ILPI_TRY(ILPI_LIST_RESERVE(alloc, &index->chains, chains, error));
    ILPI_TRY(ilpi_map_reserve(&index->chain_numbers, alloc, chains, error));
    return ILPI_LIST_RESERVE(alloc, &index->links, index->links.count + sink->count, error);
}

/* The chain of a hash, found or added; there must be room. */
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

uint64_t ilpi_sink_hash(const struct ilpi_key_sink *sink, uint64_t hash)
{
    return ilpi_is_of_group(sink) ? ilpi_group_hash(sink->of, hash) : hash;
}

/* A rule's two keys may be in one chain: the second link would be tried for nothing. Its pairs are
 * then those that both keys require. */
void ilpi_add_key(struct ilpi_key_sink *sink, enum ilpi_key key, uint64_t hash)
{
    struct ilpi_index *index = sink->index;
    sink->count++;
    if (!sink->add) {
        return;
    }
    struct ilpi_chain *chain = key == ILPI_KEY_NONE && !ilpi_is_of_group(sink)
                                   ? &sink->rules->others
                                   : make_chain(index, ilpi_sink_hash(sink, hash));
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
