/* Rules bound to an image: what selecting and explaining share. */
#ifndef ILPI_SELECT_H
#define ILPI_SELECT_H

#include "rules/look_up.h"

struct ilp_selector {
    struct ilpi_alloc alloc;
    const struct ilp_rules *rules;
    struct ilpi_match match;
    struct ilpi_pattern_matcher *patterns;
    uint32_t *others; /* links of the rules without a key that this assembly can meet */
    size_t other_count;
    /* of these, and of the rules that are found by a part of the type's names, those that the type
     * in work can meet */
    uint32_t *type_others;
    size_t type_other_count;
    /* the chains in work, each by the next link of it: a heap, the lowest one first */
    uint32_t *heads;
    size_t head_count;
    struct ilpi_look_up names;
    struct ilpi_found_chains found_chains;
    uint64_t steps; /* rules that may still be tried */
    bool settled;   /* what the assembly alone tells says it of all methods: */
    struct ilp_selection answer;
    struct ilpi_buf text; /* of ilp_affected() and ilp_explain() */
    struct ilpi_buf fact;

    /* of the type in work: its hashes are the same for all of its methods */
    ilp_rid owner;
    uint64_t type_hash;
    uint64_t namespace_hash;
};

/* The questions are about `method` from now on; *selection says that no rule selects it. */
ilp_status ilpi_select_begin(struct ilp_selector *selector, ilp_token method,
                             struct ilp_selection *selection, struct ilp_error *error);

/* Whether there can be a method in this assembly that is included, as far as the assembly alone
 * tells. */
ilp_status ilpi_select_any(struct ilp_selector *selector, bool *possible, struct ilp_error *error);

/* A rule that is true, or unknown, decides. */
void ilpi_decide(const struct ilp_selector *selector, uint32_t number, enum ilp_truth truth,
                 struct ilp_selection *selection);

#endif
