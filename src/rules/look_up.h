/* Looks up the names of a method in an index (rules.h): that of the rules, or of a group. */
#ifndef ILPI_LOOK_UP_H
#define ILPI_LOOK_UP_H

#include "rules/match.h"

/* Receives the first link of a chain that a name has: once per look-up, however often the name, or
 * the part, occurs. */
typedef void (*ilpi_chain_fn)(void *user, uint32_t link);

/* A search for all chains that names of one method lead to. Made again for each method; what is
 * large is in `found_chains`. */
struct ilpi_look_up {
    const struct ilpi_index *index;
    const struct ilpi_key_set *keys;
    uint32_t group; /* 0: the rules */
    ilpi_chain_fn found;
    void *user;
    struct ilpi_found_chains *found_chains; /* of `index` */
    uint32_t number;                        /* the number of this look-up */
    uint64_t pairs; /* ilpi_pair_bit() of the names whose parts were looked up */
};

/* Starts a look-up. */
void ilpi_look_up_begin(struct ilpi_look_up *look_up);

/* Looks up one hash, which does not include a group's. */
static inline void ilpi_look_up_hash(const struct ilpi_look_up *look_up, uint64_t hash)
{
    uint32_t link = ilpi_chain_of(look_up->index, ilpi_group_hash(look_up->group, hash));
    uint32_t *last_in = look_up->found_chains->last_in;
    if (link != ILPI_NO_LINK && last_in[link] != look_up->number) {
        last_in[link] = look_up->number;
        look_up->found(look_up->user, link);
    }
}

/* Looks up everything under a key that is in use. *known is false if a name is not available. */
ilp_status ilpi_look_up_key(struct ilpi_look_up *look_up, struct ilpi_match *match,
                            enum ilpi_key key, bool *known, struct ilp_error *error);

/* Whether a condition has such a key: names without keys are not read. */
static inline bool ilpi_has_key(const struct ilpi_key_set *keys, enum ilpi_key key)
{
    return (keys->kinds >> key & 1) != 0;
}

#endif
