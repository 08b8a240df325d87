/* The names of a method, looked up in an index (rules.h): that of the rules, or of a group. */
#ifndef ILPI_LOOK_UP_H
#define ILPI_LOOK_UP_H

#include "rules/match.h"

/* Takes the first link of a chain that a name has: once in a look-up, however often its name, or
 * the same part of one, occurs. */
typedef void (*ilpi_chain_fn)(void *user, uint32_t link);

struct ilpi_look_up {
    const struct ilpi_index *index;
    const struct ilpi_key_set *keys;
    uint32_t group; /* 0: the rules */
    ilpi_chain_fn found;
    void *user;
    struct ilpi_found_chains *found_chains; /* of `index` */
    uint32_t number;                        /* of this look-up */
    uint64_t pairs; /* ilpi_pair_bit() of the names whose parts were looked up */
};

/* Each look-up begins with this. */
void ilpi_look_up_begin(struct ilpi_look_up *look_up);

/* One hash, without that of a group in it. */
static inline void ilpi_look_up_hash(const struct ilpi_look_up *look_up, uint64_t hash)
{
    uint32_t link = ilpi_chain_of(look_up->index, ilpi_group_hash(look_up->group, hash));
    uint32_t *last_in = look_up->found_chains->last_in;
    if (link != ILPI_NO_LINK && last_in[link] != look_up->number) {
        last_in[link] = look_up->number;
        look_up->found(look_up->user, link);
    }
}

/* All that a key, in use, is looked up by. *known is false where that cannot be told. */
ilp_status ilpi_look_up_key(struct ilpi_look_up *look_up, struct ilpi_match *match,
                            enum ilpi_key key, bool *known, struct ilp_error *error);

/* Whether some condition is looked up by such a key: names that nothing is looked up by are not
 * read. */
static inline bool ilpi_has_key(const struct ilpi_key_set *keys, enum ilpi_key key)
{
    return (keys->kinds >> key & 1) != 0;
}

#endif
