/* Tests conditions on a method. */
#ifndef ILPI_MATCH_H
#define ILPI_MATCH_H

#include "rules/rules.h"
#include "rules/method_facts.h"

/* What a group of conditions on types was for the latest type that it was evaluated for. */
struct ilpi_group_outcome {
    ilp_rid owner;             /* the TypeDef; 0: none yet */
    enum ilp_tristate outcome; /* never ILP_UNKNOWN */
};

/* The chains of an index that a look-up has found (look_up.h). */
struct ilpi_found_chains {
    uint32_t *last_in; /* per first link of a chain: the number of the last look-up that found it */
    uint32_t look_ups; /* the number of the latest one */
};

/* One method against conditions: its facts, and what is remembered between methods of one type. */
struct ilpi_match {
    struct ilpi_method_facts facts;
    const struct ilpi_pattern_matcher *patterns; /* NULL: no rule has a regular expression */
    struct ilp_assembly_name assembly;           /* name "" for a module without one */
    struct ilpi_key_token key_token;             /* of that assembly */
    /* ILP_UNKNOWN: not computed yet, ILP_NO: not available */
    enum ilp_tristate key_known;
    /* no method yet: conditions not about the assembly are unknown */
    bool assembly_alone;
    const struct ilp_rules *rules;         /* whose groups have an index */
    struct ilpi_group_outcome *outcomes;   /* per group: its outcome for the last type */
    struct ilpi_found_chains found_chains; /* of the index of groups */
    bool one_by_one;                       /* the index of groups is not used */
};

/* Whether one attribute of a condition is true. ILP_UNKNOWN: match->facts.why has the reason. */
ilp_status ilpi_value_holds(struct ilpi_match *match, const struct ilpi_rule_condition *condition,
                            const struct ilpi_rule_value *value, enum ilp_tristate *outcome,
                            struct ilp_error *error);

/* Whether all attributes of a condition are true; the contents of groups are not evaluated. */
ilp_status ilpi_values_hold(struct ilpi_match *match, const struct ilpi_rule_condition *condition,
                            enum ilp_tristate *outcome, struct ilp_error *error);

/* The assembly's public key token; `known` as in method_facts.h. */
ilp_status ilpi_match_key_token(struct ilpi_match *match, bool *known, struct ilp_error *error);

/* Whether the patterns of an element are tested on each name of a list; those lists, except
 * <attribute>'s. */
bool ilpi_is_listed(enum ilpi_element element);
ilp_status ilpi_pattern_list(struct ilpi_match *match, enum ilpi_element element,
                             const struct ilpi_name_list **list, bool *known,
                             struct ilp_error *error);

/* Whether an attribute only says where its element's pattern looks, and is not a condition
 * itself. */
bool ilpi_is_place(enum ilpi_attribute attribute);

/* The text that the patterns of another element are tested on; `known` as in method_facts.h. */
ilp_status ilpi_pattern_text(struct ilpi_match *match, enum ilpi_element element,
                             struct ilp_bytes *text, bool *known, struct ilp_error *error);

/* The places where an <attribute> looks, a bit for each ILP_ON_*. */
uint32_t ilpi_places_of(const struct ilpi_rule_condition *condition);

/* group.c: whether all conditions of a list are true. */
ilp_status ilpi_conditions_hold(struct ilpi_match *match,
                                const struct ilpi_rule_condition *conditions,
                                enum ilp_tristate *outcome, struct ilp_error *error);

/* How a group joins outcomes one by one: the initial outcome, and the outcome with one more. */
enum ilp_tristate ilpi_group_begin(enum ilpi_element group);
enum ilp_tristate ilpi_group_add(enum ilpi_element group, enum ilp_tristate sum,
                                 enum ilp_tristate next);
enum ilp_tristate ilpi_group_end(enum ilpi_element group, enum ilp_tristate sum);

#endif
