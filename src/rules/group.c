/* Evaluates groups of conditions: <all>, <any>, <not> and rules, with tristate outcomes. If a group
 * has an index (rules.h), only those of its conditions are tried that a name of the method finds,
 * and those without a key.
 *
 *            begins   decided by   UNKNOWN if
 *   <all>    YES      NO           one is unknown and none is NO
 *   <any>    NO       YES          one is unknown and none is YES
 *   <not>    as <all>, then YES and NO are exchanged
 *
 * Rules are evaluated as <all>. */
#include "rules/look_up.h"

/* The outcome of one condition that decides the group. */
static enum ilp_tristate decides(enum ilpi_element group)
{
    return group == ILPI_ELEMENT_ANY ? ILP_YES : ILP_NO;
}

enum ilp_tristate ilpi_group_begin(enum ilpi_element group)
{
    return group == ILPI_ELEMENT_ANY ? ILP_NO : ILP_YES;
}

/* <all>: one that is false makes it false, even if others are unknown; <any>: one that is true
 * makes it true. */
enum ilp_tristate ilpi_group_add(enum ilpi_element group, enum ilp_tristate sum,
                                 enum ilp_tristate next)
{
    if (sum == decides(group) || next == decides(group)) {
        return decides(group);
    }
    return next == ILP_UNKNOWN ? ILP_UNKNOWN : sum;
}

enum ilp_tristate ilpi_group_end(enum ilpi_element group, enum ilp_tristate sum)
{
    if (group != ILPI_ELEMENT_NOT || sum == ILP_UNKNOWN) {
        return sum;
    }
    return sum == ILP_YES ? ILP_NO : ILP_YES;
}

static ilp_status group_holds(struct ilpi_match *match, enum ilpi_element group,
                              const struct ilpi_rule_condition *conditions,
                              enum ilp_tristate *outcome, struct ilp_error *error);

/* With `assembly_alone` conditions on other elements are unknown: an outcome that is known anyway
 * holds for all methods (select.c). */
static ilp_status condition_holds(struct ilpi_match *match,
                                  const struct ilpi_rule_condition *condition,
                                  enum ilp_tristate *outcome, struct ilp_error *error)
{
    if (ilpi_elements[condition->element].place == ILPI_PLACE_GROUP) {
        return group_holds(match, condition->element, condition->inner, outcome, error);
    }
    if (match->assembly_alone && condition->element != ILPI_ELEMENT_ASSEMBLY) {
        *outcome = ILP_UNKNOWN;
        return ILP_OK;
    }
    return ilpi_values_hold(match, condition, outcome, error);
}

/* ---- one by one ---- */

/* Stops where the sum is decided: conditions after that may cost much (bodies, other files). */
static ilp_status sum_of_all(struct ilpi_match *match, enum ilpi_element group,
                             const struct ilpi_rule_condition *conditions, enum ilp_tristate *sum,
                             struct ilp_error *error)
{
    *sum = ilpi_group_begin(group);
    for (; conditions && *sum != decides(group); conditions = conditions->next) {
        enum ilp_tristate next;
        ILPI_TRY(condition_holds(match, conditions, &next, error));
        *sum = ilpi_group_add(group, *sum, next);
    }
    return ILP_OK;
}

/* ---- by an index ---- */

/* The sum of a group while names are looked up: what add_chain() gets as `user`. */
struct found_sum {
    struct ilpi_look_up look_up;
    struct ilpi_match *match;
    enum ilpi_element group;
    enum ilp_tristate sum;
    ilp_status status; /* the first failure: a callback cannot return it */
    struct ilp_error *error;
};

/* Adds the conditions of a chain. The chain may have conditions of other groups with the same hash:
 * `of` distinguishes them. A part of a pattern is only tried on names that have all its pairs. */
static void add_chain(void *user, uint32_t link)
{
    struct found_sum *found = user;
    const struct ilpi_look_up *look_up = &found->look_up;
    const struct ilpi_link *links = look_up->index->links.items;
    for (; link != ILPI_NO_LINK && found->status == ILP_OK && found->sum != decides(found->group);
         link = links[link].next) {
        enum ilp_tristate next;
        if (links[link].of != look_up->group || (links[link].pairs & ~look_up->pairs) != 0) {
            continue;
        }
        found->status = condition_holds(found->match, links[link].condition, &next, found->error);
        if (found->status == ILP_OK) {
            found->sum = ilpi_group_add(found->group, found->sum, next);
        }
    }
}

/* *known is false if a name is not available. A condition that no name finds keeps its neutral
 * outcome, so it is left out of the sum. */
static ilp_status sum_of_found(struct ilpi_match *match, enum ilpi_element group, uint32_t number,
                               enum ilp_tristate *sum, bool *known, struct ilp_error *error)
{
    const struct ilpi_key_set *keys = &match->rules->groups.items[number - 1].keys;
    struct found_sum found = {.look_up = {&match->rules->group_index, keys, number, add_chain,
                                          &found, &match->found_chains, 0, 0},
                              .match = match,
                              .group = group,
                              .sum = ilpi_group_begin(group),
                              .error = error};
    *known = true;
    for (unsigned key = 0;
         key < ILPI_KEY_COUNT && *known && found.status == ILP_OK && found.sum != decides(group);
         key++) {
        if (!ilpi_has_key(keys, key)) {
            continue;
        }
        ilpi_look_up_begin(&found.look_up);
        if (key == ILPI_KEY_NONE) {
            ilpi_look_up_hash(&found.look_up, 0);
        } else {
            ILPI_TRY(ilpi_look_up_key(&found.look_up, match, key, known, error));
        }
    }
    *sum = found.sum;
    return found.status;
}

/* If the outcome is unknown, all conditions are tried, and the last unknown one gives the reason. A
 * group of type conditions has one outcome for all methods of a type, which is kept for the next
 * method: methods are selected in order, so their types are, too. */
static ilp_status sum_by_index(struct ilpi_match *match, enum ilpi_element group,
                               const struct ilpi_rule_condition *conditions, enum ilp_tristate *sum,
                               struct ilp_error *error)
{
    uint32_t number = conditions->group;
    struct ilpi_group_outcome *kept = &match->outcomes[number - 1];
    ilp_rid owner = match->facts.owner;
    bool of_type = match->rules->groups.items[number - 1].of_type && owner != 0;
    bool known;
    if (of_type && kept->owner == owner) {
        *sum = kept->outcome;
        return ILP_OK;
    }
    ILPI_TRY(sum_of_found(match, group, number, sum, &known, error));
    if (!known || *sum == ILP_UNKNOWN) {
        /* For inner groups, too: one of them may have the condition that is unknown. */
        match->one_by_one = true;
        ilp_status status = sum_of_all(match, group, conditions, sum, error);
        match->one_by_one = false;
        return status;
    }
    if (of_type) {
        *kept = (struct ilpi_group_outcome){owner, *sum};
    }
    return ILP_OK;
}

/* The reader limits the nesting of groups. */
static ilp_status group_holds(struct ilpi_match *match, enum ilpi_element group,
                              const struct ilpi_rule_condition *conditions,
                              enum ilp_tristate *outcome, struct ilp_error *error)
{
    bool plain = !conditions || conditions->group == 0 || match->one_by_one ||
                 match->assembly_alone;
    ILPI_TRY(plain ? sum_of_all(match, group, conditions, outcome, error)
                   : sum_by_index(match, group, conditions, outcome, error));
    *outcome = ilpi_group_end(group, *outcome);
    return ILP_OK;
}

ilp_status ilpi_conditions_hold(struct ilpi_match *match,
                                const struct ilpi_rule_condition *conditions,
                                enum ilp_tristate *outcome, struct ilp_error *error)
{
    return group_holds(match, ILPI_ELEMENT_ALL, conditions, outcome, error);
}
