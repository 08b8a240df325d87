/* Selects rules for methods: the first rule whose conditions are met decides.
 *
 * Rules are not tried one by one. Those with a literal name are found by it (index.c), and those
 * with a pattern by a part of each name that it matches. So a method only tries rules that name it,
 * its type or its namespace, or may do so, and rules without a key. The chains of these rules are
 * merged by rising numbers: a heap holds the next link of each chain.
 *
 *   assembly: drop rules that it cannot meet, or settle at once
 *     type: look up its names; drop rules that it cannot meet
 *       method: look up its names; try the merged chains in order
 *
 * Dropping keeps the order, and only drops rules of which one condition is false for all methods of
 * the assembly or type. So the first rule found is the first rule of the set that holds. */
#include <stdio.h>
#include <string.h>

#include "pe/ready_to_run.h"
#include "rules/select.h"

/* How many rules are tried on an image, for all methods together: this many per byte, plus a
 * constant for small images. Only rules without an exact name are tried one by one. */
#define STEPS_TIMES 64u
#define STEPS       ((uint64_t)1 << 22)

static bool spend_steps(struct ilp_selector *selector, uint64_t steps)
{
    bool enough = steps <= selector->steps;
    selector->steps -= enough ? steps : selector->steps;
    return enough;
}

/* ---- merging chains ---- */

/* Adds a chain; there are at most as many chains as links. Sifts up: the parent is never above its
 * children.
 *
 *   chains    4 -> 9 -> 12        heads    4 6 7    4 is followed by 9, which sifts down
 *             6                            6 9 7    6 is the end of its chain: 7 takes its place
 *             7 -> 8                       7 9      and so on: 8 9, 9, 12 */
static void add_head(void *user, uint32_t link)
{
    struct ilp_selector *selector = user;
    uint32_t *heads = selector->heads;
    size_t at = selector->head_count++;
    for (; at != 0 && heads[(at - 1) / 2] > link; at = (at - 1) / 2) {
        heads[at] = heads[(at - 1) / 2];
    }
    heads[at] = link;
}

static void begin_look_up(struct ilp_selector *selector)
{
    ilpi_look_up_begin(&selector->names);
    selector->head_count = 0;
}

/* Replaces the lowest link by the next one of its chain, and sifts it down. Links rise along a
 * chain and with the rules, so comparing links compares rules. */
static void advance_head(struct ilp_selector *selector)
{
    uint32_t *heads = selector->heads;
    uint32_t link = selector->rules->index.links.items[heads[0]].next;
    if (link == ILPI_NO_LINK) {
        link = heads[--selector->head_count];
    }
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < selector->head_count; at = child) {
        child += child + 1 < selector->head_count && heads[child + 1] < heads[child];
        if (heads[child] >= link) {
            break;
        }
        heads[at] = heads[child];
    }
    heads[at] = link;
}

/* ---- opening ---- */

/* By IMAGE_FILE_MACHINE of the PE format: I386, ARM64, ARMNT. A ReadyToRun image for an operating
 * system other than Windows has another number, which ilpi_machine_of() maps to these. */
static unsigned target_of_machine(uint16_t machine)
{
    switch (ilpi_machine_of(machine).value) {
    case 0x14C: return ILP_TARGET_X86;
    case 0xAA64: return ILP_TARGET_ARM64;
    case 0x1C4: return ILP_TARGET_ARM;
    default:
        /* all others have 64 bits, except the first Arm machine, which has no precompiled code */
        return machine == 0x1C0 ? ILP_TARGET_ARM : ILP_TARGET_X64;
    }
}

/* The assembly's target: an i386 IL-only image runs anywhere, unless 32BITREQUIRED is set
 * (II.25.3.3.1); with 32BITPREFERRED that bit is only a preference. */
static unsigned target_of(const struct ilp_image *image)
{
    enum { ILONLY = 0x1, REQUIRED_32BIT = 0x2, PREFERRED_32BIT = 0x20000 };
    struct ilp_image_info info;
    ilp_image_info(image, &info);
    unsigned target = target_of_machine(info.machine);
    bool any =
        image->pe.layout == ILP_LAYOUT_METADATA ||
        (info.machine == 0x14C && !info.pe32_plus && (info.cli_flags & ILONLY) != 0 &&
         ((info.cli_flags & REQUIRED_32BIT) == 0 || (info.cli_flags & PREFERRED_32BIT) != 0));
    return any ? ILP_TARGET_ANYCPU : target;
}

/* An assembly built for one platform keeps it, whatever --target says. */
static unsigned narrow(unsigned wanted, unsigned own)
{
    return wanted == ILP_TARGET_AUTO || own != ILP_TARGET_ANYCPU ? own : wanted;
}

/* Whether a rule's conditions on these elements can be true. Only conditions that must be true are
 * checked; they are the same for many methods. */
static ilp_status can_be_met(struct ilp_selector *selector, uint32_t number, uint32_t elements,
                             bool *answer, struct ilp_error *error)
{
    const struct ilpi_rule_condition *at = selector->rules->rules.items[number].conditions;
    *answer = true;
    for (; at && *answer; at = at->next) {
        if ((elements >> at->element & 1) != 0) {
            enum ilp_tristate outcome;
            ILPI_TRY(ilpi_values_hold(&selector->match, at, &outcome, error));
            *answer = outcome != ILP_NO;
        }
    }
    return ILP_OK;
}

/* Collects the rules without a key that this assembly can meet. */
static ilp_status collect_others(struct ilp_selector *selector, struct ilp_error *error)
{
    const struct ilp_rules *rules = selector->rules;
    struct ilp_arena *arena = &selector->match.facts.arena;
    size_t count = 0;
    for (uint32_t i = rules->others.first; i != ILPI_NO_LINK;
         i = rules->index.links.items[i].next) {
        count++;
    }
    size_t links = rules->index.links.count;
    selector->others = ilpi_arena_array(arena, count, sizeof *selector->others);
    selector->type_others = ilpi_arena_array(arena, links, sizeof *selector->type_others);
    selector->heads = ilpi_arena_array(arena, links, sizeof *selector->heads);
    selector->match.outcomes = ilpi_arena_array(arena, rules->groups.count,
                                                sizeof *selector->match.outcomes);
    struct ilpi_found_chains *found = &selector->found_chains;
    struct ilpi_found_chains *in_groups = &selector->match.found_chains;
    found->last_in = ilpi_arena_array(arena, links, sizeof *found->last_in);
    in_groups->last_in = ilpi_arena_array(arena, rules->group_index.links.count,
                                          sizeof *in_groups->last_in);
    if (!selector->others || !selector->type_others || !selector->heads || !found->last_in ||
        !in_groups->last_in || !selector->match.outcomes) {
        return ilpi_fail_memory(error, links * sizeof *selector->heads);
    }
    for (uint32_t i = rules->others.first; i != ILPI_NO_LINK;
         i = rules->index.links.items[i].next) {
        bool possible;
        ILPI_TRY(can_be_met(selector, rules->index.links.items[i].of, 1u << ILPI_ELEMENT_ASSEMBLY,
                            &possible, error));
        if (possible) {
            selector->others[selector->other_count++] = i;
        }
    }
    return ILP_OK;
}

/* ---- by the assembly alone ---- */

/* An unknown outcome decides as well: a later rule may not take over a method that an earlier one
 * may be about. */
void ilpi_decide(const struct ilp_selector *selector, uint32_t number, enum ilp_tristate outcome,
                 struct ilp_selection *selection)
{
    const struct ilp_rule *rule = &selector->rules->rules.items[number].head;
    selection->rule = number;
    selection->action = rule->action;
    selection->included = rule->exclude ? ILP_NO : ILP_YES;
    if (outcome == ILP_UNKNOWN) {
        selection->included = ILP_UNKNOWN;
        snprintf(selection->detail, sizeof selection->detail, "%s", selector->match.facts.why);
    }
}

static const struct ilp_selection nothing = {.rule = ILP_NO_RULE, .included = ILP_NO};

/* The outcome of the first enabled rule from `number` on that may hold, judged by the assembly
 * alone; ILP_NO if none may. */
static ilp_status match_assembly(struct ilp_selector *selector, uint32_t *number,
                                 enum ilp_tristate *outcome, struct ilp_error *error)
{
    const struct ilp_rules *rules = selector->rules;
    ilp_status status = ILP_OK;
    *outcome = ILP_NO;
    selector->match.assembly_alone = true;
    for (; *number < rules->rules.count; ++*number) {
        const struct ilpi_rule *rule = &rules->rules.items[*number];
        if (rule->head.enabled) {
            status = ilpi_conditions_hold(&selector->match, rule->conditions, outcome, error);
        }
        if (status != ILP_OK || *outcome != ILP_NO) {
            break;
        }
    }
    selector->match.assembly_alone = false;
    return status;
}

/* Decides for the whole assembly at once if a rule allows it: many rules are about whole
 * assemblies. */
static ilp_status settle(struct ilp_selector *selector, struct ilp_error *error)
{
    uint32_t number = 0;
    enum ilp_tristate outcome;
    ILPI_TRY(match_assembly(selector, &number, &outcome, error));
    selector->settled = outcome != ILP_UNKNOWN;
    selector->answer = nothing;
    if (outcome == ILP_YES) {
        ilpi_decide(selector, number, outcome, &selector->answer);
    }
    return ILP_OK;
}

/* ---- opening and closing ---- */

/* The order matters: facts before rules without a key are collected, since these are tried on the
 * assembly at once; settle() last. */
ilp_status ilp_selector_open(struct ilp_selector **out, const struct ilp_rules *rules,
                             struct ilp_image *image, const struct ilp_resolver *resolver,
                             unsigned target, const struct ilp_allocator *allocator,
                             struct ilp_error *error)
{
    *out = NULL;
    ILPI_TRY(ILPI_CHECK_RESERVED(resolver, error));
    struct ilp_selector *selector = ilpi_object_open(sizeof *selector, allocator, error);
    if (!selector) {
        return ILP_E_NO_MEMORY;
    }
    selector->rules = selector->match.rules = rules;
    selector->names = (struct ilpi_look_up){
        &rules->index, &rules->keys, 0, add_head, selector, &selector->found_chains, 0, 0};
    selector->steps = STEPS + (uint64_t)image->pe.bytes.size * STEPS_TIMES;
    selector->text.alloc = selector->fact.alloc = &selector->alloc;
    ilp_status status = ilpi_facts_open(&selector->match.facts, &selector->alloc, image, resolver,
                                        narrow(target, target_of(image)), error);
    if (status == ILP_OK && rules->regexes.count != 0) {
        status = ilpi_pattern_matcher_open(&selector->patterns, &selector->alloc,
                                           rules->regexes.items[0], error);
    }
    if (status == ILP_OK) {
        selector->match.patterns = selector->patterns;
        selector->match.key_known = ILP_UNKNOWN;
        if (!ilp_image_assembly_name(image, &selector->match.assembly)) {
            selector->match.assembly = (struct ilp_assembly_name){.name = ""};
        }
        status = collect_others(selector, error);
    }
    if (status == ILP_OK) {
        status = settle(selector, error);
    }
    if (status != ILP_OK) {
        ilp_selector_close(selector);
        return status;
    }
    *out = selector;
    return ILP_OK;
}

void ilp_selector_close(struct ilp_selector *selector)
{
    if (!selector) {
        return;
    }
    ilpi_pattern_matcher_close(selector->patterns);
    ilpi_facts_close(&selector->match.facts);
    ilpi_buf_free(&selector->text);
    ilpi_buf_free(&selector->fact);
    ilpi_object_close(&selector->alloc, sizeof *selector);
}

/* ---- candidates ---- */

/* The rules that a method may meet, by rising numbers: a list of links, merged with the heads.
 * Comparing links is enough for that: of two links the lower one never belongs to the later rule
 * (struct ilpi_link). */
struct candidates {
    const uint32_t *list; /* links, rising; borrowed from the selector */
    size_t count;
    size_t at;     /* the next one of the list */
    uint32_t last; /* the rule returned last; ILP_NO_RULE: none */
};

/* The next candidate, ILPI_NO_LINK after the last. A rule that several names find is returned once:
 * its links follow each other in the merged order. */
static uint32_t next_candidate(struct ilp_selector *selector, struct candidates *candidates)
{
    const struct ilpi_link *links = selector->rules->index.links.items;
    uint32_t link;
    bool possible;
    do {
        possible = true;
        link = candidates->at < candidates->count ? candidates->list[candidates->at] : ILPI_NO_LINK;
        if (selector->head_count != 0 && selector->heads[0] <= link) {
            link = selector->heads[0];
            /* For a part: names without all pairs of the pattern cannot match it. Other links have
             * no pairs. */
            possible = (links[link].pairs & ~selector->names.pairs) == 0;
            advance_head(selector);
        } else {
            candidates->at++;
        }
    } while (link != ILPI_NO_LINK && (!possible || links[link].of == candidates->last));
    candidates->last = link != ILPI_NO_LINK ? links[link].of : ILP_NO_RULE;
    return link;
}

/* Collects, from the rules without a key and those found by a part of the type's names, the ones
 * that the type can meet. */
static ilp_status collect_type_others(struct ilp_selector *selector, struct ilp_error *error)
{
    static const uint32_t elements = 1u << ILPI_ELEMENT_TYPE | 1u << ILPI_ELEMENT_NAMESPACE |
                                     1u << ILPI_ELEMENT_IMPLEMENTS | 1u << ILPI_ELEMENT_DERIVES;
    struct candidates candidates = {
        .list = selector->others, .count = selector->other_count, .last = ILP_NO_RULE};
    uint32_t link;
    selector->type_other_count = 0;
    while ((link = next_candidate(selector, &candidates)) != ILPI_NO_LINK) {
        bool possible = true;
        /* Without steps a rule is not dropped; ilp_select() then reports that there are none
         * left. */
        if (spend_steps(selector, 1)) {
            ILPI_TRY(can_be_met(selector, selector->rules->index.links.items[link].of, elements,
                                &possible, error));
        }
        if (possible) {
            selector->type_others[selector->type_other_count++] = link;
        }
    }
    return ILP_OK;
}

/* Looks up the type's names, which is done once for all its methods. */
static ilp_status begin_type(struct ilp_selector *selector, struct ilp_error *error)
{
    struct ilpi_method_facts *facts = &selector->match.facts;
    const struct ilp_rules *rules = selector->rules;
    struct ilp_bytes none = {NULL, 0};
    static const enum ilpi_key of_types[] = {ILPI_KEY_TYPE_PART, ILPI_KEY_NAMESPACE_PART};
    begin_look_up(selector);
    if (ilpi_has_key(&rules->keys, ILPI_KEY_TYPE)) {
        selector->type_hash = ilpi_key_hash(ILPI_KEY_TYPE, ilpi_facts_type(facts), none);
    }
    if (ilpi_has_key(&rules->keys, ILPI_KEY_NAMESPACE)) {
        selector->namespace_hash = ilpi_key_hash(ILPI_KEY_NAMESPACE, ilpi_facts_namespace(facts),
                                                 none);
    }
    for (size_t i = 0; i < sizeof of_types / sizeof of_types[0]; i++) {
        if (ilpi_has_key(&rules->keys, of_types[i])) {
            bool known;
            ILPI_TRY(
                ilpi_look_up_key(&selector->names, &selector->match, of_types[i], &known, error));
        }
    }
    ILPI_TRY(ilpi_facts_status(facts, error));
    ILPI_TRY(collect_type_others(selector, error));
    selector->owner = facts->owner;
    return ILP_OK;
}

/* *known is false if a signature that rules are looked up by is not available. */
static ilp_status find_candidates(struct ilp_selector *selector, struct candidates *candidates,
                                  bool *known, struct ilp_error *error)
{
    struct ilpi_method_facts *facts = &selector->match.facts;
    const struct ilp_rules *rules = selector->rules;
    static const uint32_t of_methods = 1u << ILPI_KEY_SIGNATURE | 1u << ILPI_KEY_TYPE_AND_METHOD |
                                       1u << ILPI_KEY_METHOD | 1u << ILPI_KEY_TYPE |
                                       1u << ILPI_KEY_NAMESPACE | 1u << ILPI_KEY_ATTRIBUTE |
                                       1u << ILPI_KEY_METHOD_PART | 1u << ILPI_KEY_ATTRIBUTE_PART;
    *known = true;
    if (selector->owner != facts->owner || facts->owner == 0) {
        ILPI_TRY(begin_type(selector, error));
    }
    *candidates = (struct candidates){
        .list = selector->type_others, .count = selector->type_other_count, .last = ILP_NO_RULE};
    begin_look_up(selector);
    for (uint32_t left = rules->keys.kinds & of_methods; left != 0 && *known; left &= left - 1) {
        enum ilpi_key key = (enum ilpi_key)__builtin_ctz(left);
        /* the name of a method without a type may contain "::", so look-ups by it can miss */
        bool global = facts->owner <= 1;
        switch (key) {
        case ILPI_KEY_SIGNATURE:
            if (!global && !ilpi_rules_know_signature(rules, ilpi_facts_method(facts))) {
                break;
            }
            ILPI_TRY(ilpi_look_up_key(&selector->names, &selector->match, key, known, error));
            break;
        case ILPI_KEY_TYPE: ilpi_look_up_hash(&selector->names, selector->type_hash); break;
        case ILPI_KEY_NAMESPACE:
            ilpi_look_up_hash(&selector->names, selector->namespace_hash);
            break;
        default:
            ILPI_TRY(ilpi_look_up_key(&selector->names, &selector->match, key, known, error));
            break;
        }
    }
    return ILP_OK;
}

/* The rule to try next, ILP_NO_RULE after the last. */
static uint32_t next_found(struct ilp_selector *selector, struct candidates *candidates)
{
    uint32_t link = next_candidate(selector, candidates);
    return link != ILPI_NO_LINK ? selector->rules->index.links.items[link].of : ILP_NO_RULE;
}

/* The next rule, keyed or not, for a method whose candidates cannot be looked up. */
static uint32_t next_rule(const struct ilp_rules *rules, size_t *number)
{
    while (*number < rules->rules.count && !rules->rules.items[*number].head.enabled) {
        ++*number;
    }
    return *number < rules->rules.count ? (uint32_t)(*number)++ : ILP_NO_RULE;
}

/* ---- selecting ---- */

static ilp_status check_method(const struct ilp_selector *selector, ilp_token method,
                               struct ilp_error *error)
{
    bool there = ILP_TOKEN_TABLE(method) == ILP_MethodDef &&
                 ILP_TOKEN_RID(method) - 1 <
                     ilp_row_count(selector->match.facts.image, ILP_MethodDef);
    return there ? ILP_OK
                 : ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, method,
                             "0x%08X is not a method of this module", method);
}

ilp_status ilpi_select_begin(struct ilp_selector *selector, ilp_token method,
                             struct ilp_selection *selection, struct ilp_error *error)
{
    ILPI_TRY(check_method(selector, method, error));
    *selection = nothing;
    ilpi_facts_set(&selector->match.facts, ILP_TOKEN_RID(method));
    return ILP_OK;
}

/* `steps` bounds the work for all methods of an image; rules beyond it are unknown, which is
 * reported with its reason. */
ilp_status ilp_select(struct ilp_selector *selector, ilp_token method,
                      struct ilp_selection *selection, struct ilp_error *error)
{
    struct candidates candidates;
    size_t plain = 0;
    uint32_t number;
    bool known;
    if (selector->settled) {
        *selection = selector->answer;
        return check_method(selector, method, error);
    }
    ILPI_TRY(ilpi_select_begin(selector, method, selection, error));
    ILPI_TRY(find_candidates(selector, &candidates, &known, error));
    while ((number = known ? next_found(selector, &candidates)
                           : next_rule(selector->rules, &plain)) != ILP_NO_RULE) {
        enum ilp_tristate outcome = ILP_UNKNOWN;
        if (spend_steps(selector, 1)) {
            ILPI_TRY(ilpi_conditions_hold(&selector->match,
                                          selector->rules->rules.items[number].conditions, &outcome,
                                          error));
        } else {
            snprintf(selector->match.facts.why, sizeof selector->match.facts.why,
                     "there are too many rules to be tried on all methods");
        }
        if (outcome != ILP_NO) {
            ilpi_decide(selector, number, outcome, selection);
            break;
        }
    }
    return ILP_OK;
}

/* Without a method: whether any rule could select one of this assembly. Stops at the first that
 * says yes: rules after it are never reached. */
ilp_status ilpi_select_any(struct ilp_selector *selector, bool *possible, struct ilp_error *error)
{
    const struct ilp_rules *rules = selector->rules;
    enum ilp_tristate outcome = ILP_NO;
    *possible = false;
    for (uint32_t number = 0; number < rules->rules.count && outcome != ILP_YES && !*possible;
         number++) {
        ILPI_TRY(match_assembly(selector, &number, &outcome, error));
        *possible = outcome != ILP_NO && !rules->rules.items[number].head.exclude;
    }
    return ILP_OK;
}
