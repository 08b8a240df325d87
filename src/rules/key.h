/* Keys of conditions (rules.h), and where they are added: to the index of rules, or that of
 * groups. */
#ifndef ILPI_KEY_H
#define ILPI_KEY_H

#include "rules/rules.h"

/* Receives keys: an index, or, with add false, only a count. */
struct ilpi_key_sink {
    struct ilp_rules *rules;
    struct ilpi_index *index;  /* that of the rules, or of the groups */
    struct ilpi_key_set *keys; /* of the rules, or of the group `of`; only used with `add` */
    bool add;
    bool attributes; /* attributes may be keys: reading them costs more than all names */
    size_t count;    /* keys so far */
    uint32_t of;     /* a rule, or a group */
    const struct ilpi_rule_condition *condition; /* as in struct ilpi_link */
    uint64_t pairs;                              /* the same; 0 except for parts */
};

static inline bool ilpi_is_of_group(const struct ilpi_key_sink *sink)
{
    return sink->index == &sink->rules->group_index;
}

/* chains.c: reserves room for the counted keys, and adds one; for ILPI_KEY_NONE the hash is 0. */
ilp_status ilpi_reserve_keys(const struct ilpi_key_sink *sink, struct ilp_error *error);
void ilpi_add_key(struct ilpi_key_sink *sink, enum ilpi_key key, uint64_t hash);

/* The hash of a key in the sink's index. */
uint64_t ilpi_sink_hash(const struct ilpi_key_sink *sink, uint64_t hash);

/* Each adds one key of conditions that must all be true, `one`: only of the first; false if there
 * is none. Of exact names the rarest. */
bool ilpi_add_literal_key(struct ilpi_key_sink *sink, const struct ilpi_rule_condition *condition,
                          bool one, bool with_namespace);

/* The best part of a name, if it has at least `least` bytes. */
bool ilpi_add_part_key(struct ilpi_key_sink *sink, const struct ilpi_rule_condition *condition,
                       bool one, unsigned least);

/* An attribute, by its name or a part of it. */
bool ilpi_add_attribute_key(struct ilpi_key_sink *sink, const struct ilpi_rule_condition *condition,
                            bool one);

#endif
