/* Rules bound to an image: what selecting and explaining share. */
#ifndef ILPI_SELECT_H
#define ILPI_SELECT_H

#include "rules/look_up.h"

/* Decides for the methods of one image. For one thread: facts and outcomes are remembered in it. */
struct ilp_selector {
    struct ilpi_alloc alloc;
    const struct ilp_rules *rules;
    struct ilpi_match match;
    struct ilpi_pattern_matcher *patterns;
    uint32_t *others; /* links of the rules without a key that this assembly can meet */
    size_t other_count;
    /* of these, and of the rules found by a part of the type's names, those that the current type
     * can meet */
    uint32_t *type_others;
    size_t type_other_count;
    /* the chains being merged, each as its next link: a heap, the lowest first */
    uint32_t *heads;
    size_t head_count;
    struct ilpi_look_up names;
    struct ilpi_found_chains found_chains;
    uint64_t steps;              /* rules that may still be tried */
    bool settled;                /* the assembly alone decides for all methods */
    struct ilp_selection answer; /* of `settled` */
    struct ilpi_buf text;        /* of ilp_affected() and ilp_explain() */
    struct ilpi_buf fact;

    /* the current type: its hashes serve all of its methods */
    ilp_rid owner;
    uint64_t type_hash;
    uint64_t namespace_hash;
};

/* Starts selecting for `method`; *selection says that no rule selects it. */
ilp_status ilpi_select_begin(struct ilp_selector *selector, ilp_token method,
                             struct ilp_selection *selection, struct ilp_error *error);

/* Whether a method of this assembly may be included, judged by the assembly alone. */
ilp_status ilpi_select_any(struct ilp_selector *selector, bool *possible, struct ilp_error *error);

/* Records the decision of a rule that is true, or unknown. */
void ilpi_decide(const struct ilp_selector *selector, uint32_t number, enum ilp_tristate outcome,
                 struct ilp_selection *selection);

#endif
