/* Asks the rules about one method after the other: the first rule whose conditions are met decides.
 *
 * Rules are not tried one by one. Those with a literal name are found by it (rules.c), so that a
 * method meets only the rules that name it, its type or its namespace, and those that name nothing.
 * The chains of rules that remain are walked side by side, by rising numbers. */
#include <stdio.h>

#include "pe/ready_to_run.h"
#include "rules/select.h"

/* How many rules are tried on an image, all methods together: so many for each byte, and something
 * for small ones. Only rules without an exact name are tried one by one. */
#define STEPS_TIMES 64u
#define STEPS       ((uint64_t)1 << 22)

static bool spend_steps(struct ilp_selector *selector, uint64_t steps)
{
    bool enough = steps <= selector->steps;
    selector->steps -= enough ? steps : selector->steps;
    return enough;
}

/* ---- opening ---- */

static unsigned target_of_machine(uint16_t machine)
{
    switch (ilpi_machine_of(machine).value) {
    case 0x14C: return ILP_TARGET_X86;
    case 0xAA64: return ILP_TARGET_ARM64;
    case 0x1C4: return ILP_TARGET_ARM;
    default:
        /* the others have 64 bits, but for the first Arm one, which is never precompiled for */
        return machine == 0x1C0 ? ILP_TARGET_ARM : ILP_TARGET_X64;
    }
}

/* What the assembly says: an i386 image of IL alone runs anywhere, unless 32BITREQUIRED is set
 * (II.25.3.3.1); with 32BITPREFERRED that bit only states a wish. */
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

/* An assembly that is not for x86 stays so, whatever --target says. */
static unsigned narrow(unsigned wanted, unsigned own)
{
    return wanted == ILP_TARGET_AUTO || own != ILP_TARGET_ANYCPU ? own : wanted;
}

/* Whether the conditions of a rule that are about these elements can be true. Only those that have
 * to be are looked at; what they ask for is the same for many methods. */
static ilp_status can_be_met(struct ilp_selector *selector, uint32_t number, uint32_t elements,
                             bool *answer, struct ilp_error *error)
{
    const struct ilpi_rule_condition *at = selector->rules->rules.items[number].conditions;
    *answer = true;
    for (; at && *answer; at = at->next) {
        if ((elements >> at->element & 1) != 0) {
            enum ilp_truth truth;
            ILPI_TRY(ilpi_values_hold(&selector->match, at, &truth, error));
            *answer = truth != ILP_NO;
        }
    }
    return ILP_OK;
}

/* Of the rules without a key, those that this assembly can meet. */
static ilp_status collect_others(struct ilp_selector *selector, struct ilp_error *error)
{
    const struct ilp_rules *rules = selector->rules;
    struct ilp_arena *arena = &selector->match.subject.arena;
    size_t count = 0;
    for (uint32_t i = rules->others.first; i != ILPI_NO_LINK; i = rules->links.items[i].next) {
        count++;
    }
    selector->others = ilpi_arena_array(arena, count, sizeof *selector->others);
    selector->type_others = ilpi_arena_array(arena, count, sizeof *selector->type_others);
    if (!selector->others || !selector->type_others) {
        return ilpi_fail_memory(error, count * sizeof *selector->others);
    }
    for (uint32_t i = rules->others.first; i != ILPI_NO_LINK; i = rules->links.items[i].next) {
        bool possible;
        ILPI_TRY(can_be_met(selector, rules->links.items[i].rule, 1u << ILPI_ELEMENT_ASSEMBLY,
                            &possible, error));
        if (possible) {
            selector->others[selector->other_count++] = rules->links.items[i].rule;
        }
    }
    return ILP_OK;
}

/* Of these, those that the type in work can meet. */
static ilp_status collect_type_others(struct ilp_selector *selector, struct ilp_error *error)
{
    static const uint32_t elements = 1u << ILPI_ELEMENT_TYPE | 1u << ILPI_ELEMENT_NAMESPACE |
                                     1u << ILPI_ELEMENT_IMPLEMENTS | 1u << ILPI_ELEMENT_DERIVES;
    bool paid = spend_steps(selector, selector->other_count);
    selector->type_other_count = 0;
    for (size_t i = 0; i < selector->other_count; i++) {
        bool possible = true;
        if (paid) {
            ILPI_TRY(can_be_met(selector, selector->others[i], elements, &possible, error));
        }
        if (possible) {
            selector->type_others[selector->type_other_count++] = selector->others[i];
        }
    }
    return ILP_OK;
}

/* ---- what the assembly alone tells ---- */

void ilpi_decide(const struct ilp_selector *selector, uint32_t number, enum ilp_truth truth,
                 struct ilp_selection *selection)
{
    const struct ilp_rule *rule = &selector->rules->rules.items[number].head;
    selection->rule = number;
    selection->treatment = rule->treatment;
    selection->included = rule->exclude ? ILP_NO : ILP_YES;
    if (truth == ILP_UNKNOWN) {
        selection->included = ILP_UNKNOWN;
        snprintf(selection->detail, sizeof selection->detail, "%s", selector->match.subject.why);
    }
}

static const struct ilp_selection nothing = {.rule = ILP_NO_RULE, .included = ILP_NO};

/* What the first enabled rule says from `number` on that may hold, as far as the assembly alone
 * tells; ILP_NO when none may. */
static ilp_status ask_assembly(struct ilp_selector *selector, uint32_t *number,
                               enum ilp_truth *truth, struct ilp_error *error)
{
    const struct ilp_rules *rules = selector->rules;
    ilp_status status = ILP_OK;
    *truth = ILP_NO;
    selector->match.any = selector->match.found = NULL;
    selector->match.assembly_alone = true;
    for (; *number < rules->rules.count; ++*number) {
        const struct ilpi_rule *rule = &rules->rules.items[*number];
        if (rule->head.enabled) {
            status = ilpi_conditions_hold(&selector->match, rule->conditions, truth, error);
        }
        if (status != ILP_OK || *truth != ILP_NO) {
            break;
        }
    }
    selector->match.assembly_alone = false;
    return status;
}

/* Many rules are about whole assemblies. */
static ilp_status settle(struct ilp_selector *selector, struct ilp_error *error)
{
    uint32_t number = 0;
    enum ilp_truth truth;
    ILPI_TRY(ask_assembly(selector, &number, &truth, error));
    selector->settled = truth != ILP_UNKNOWN;
    selector->answer = nothing;
    if (truth == ILP_YES) {
        ilpi_decide(selector, number, truth, &selector->answer);
    }
    return ILP_OK;
}

/* ---- from start to end ---- */

ilp_status ilp_selector_open(struct ilp_selector **out, const struct ilp_rules *rules,
                             struct ilp_image *image, const struct ilp_resolver *resolver,
                             unsigned target, const struct ilp_allocator *allocator,
                             struct ilp_error *error)
{
    *out = NULL;
    struct ilp_selector *selector = ilpi_object_open(sizeof *selector, allocator, error);
    if (!selector) {
        return ILP_E_NO_MEMORY;
    }
    selector->rules = rules;
    selector->steps = STEPS + (uint64_t)image->pe.bytes.size * STEPS_TIMES;
    selector->text.alloc = selector->fact.alloc = &selector->alloc;
    ilp_status status = ilpi_subject_open(&selector->match.subject, &selector->alloc, image,
                                          resolver, narrow(target, target_of(image)), error);
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
    ilpi_subject_close(&selector->match.subject);
    ilpi_buf_free(&selector->text);
    ilpi_buf_free(&selector->fact);
    ilpi_object_close(&selector->alloc, sizeof *selector);
}

/* ---- candidates ---- */

/* The rules that a method may meet, by rising numbers: the heads of the chains of its names. */
struct candidates {
    uint32_t heads[ILPI_KEY_NONE]; /* links */
    size_t other;                  /* position in selector->type_others */
};

/* Whether some rule is looked up by such a key: names that nothing is looked up by are not read. */
static bool has_key(const struct ilp_rules *rules, enum ilpi_key key)
{
    return (rules->keys >> key & 1) != 0;
}

static bool has_keys(const struct ilp_rules *rules)
{
    return (rules->keys & ~(1u << ILPI_KEY_NONE)) != 0;
}

/* The type's hashes serve all its methods. */
static ilp_status begin_type(struct ilp_selector *selector, struct ilp_error *error)
{
    struct ilpi_subject *subject = &selector->match.subject;
    struct ilp_bytes none = {NULL, 0};
    if (has_key(selector->rules, ILPI_KEY_TYPE)) {
        selector->type_hash = ilpi_key_hash(ILPI_KEY_TYPE, ilpi_subject_type(subject), none);
    }
    if (has_key(selector->rules, ILPI_KEY_NAMESPACE)) {
        selector->namespace_hash = ilpi_key_hash(ILPI_KEY_NAMESPACE,
                                                 ilpi_subject_namespace(subject), none);
    }
    ILPI_TRY(ilpi_subject_status(subject, error));
    ILPI_TRY(collect_type_others(selector, error));
    selector->owner = subject->owner;
    return ILP_OK;
}

/* *known is false where a signature that rules are looked up by cannot be had. */
static ilp_status find_candidates(struct ilp_selector *selector, struct candidates *candidates,
                                  bool *known, struct ilp_error *error)
{
    struct ilpi_subject *subject = &selector->match.subject;
    const struct ilp_rules *rules = selector->rules;
    struct ilp_bytes none = {NULL, 0};
    struct ilp_bytes method = has_keys(rules) ? ilpi_subject_method(subject) : none;
    *candidates = (struct candidates){.other = 0};
    *known = true;
    if (selector->owner != subject->owner || subject->owner == 0) {
        ILPI_TRY(begin_type(selector, error));
    }
    for (unsigned key = 0; key < ILPI_KEY_NONE; key++) {
        uint64_t hash;
        candidates->heads[key] = ILPI_NO_LINK;
        /* without a type in front of it, a method's name is not where it is looked for: it may hold
         * "::" itself */
        bool global = subject->owner <= 1;
        if (!has_key(rules, key) ||
            (key == ILPI_KEY_SIGNATURE && !global && !ilpi_rules_know_signature(rules, method))) {
            continue;
        }
        struct ilp_bytes text;
        switch ((enum ilpi_key)key) {
        case ILPI_KEY_SIGNATURE:
            ILPI_TRY(ilpi_subject_signature(subject, &text, known, error));
            hash = ilpi_key_hash(ILPI_KEY_SIGNATURE, text, none);
            break;
        case ILPI_KEY_TYPE: hash = selector->type_hash; break;
        case ILPI_KEY_NAMESPACE: hash = selector->namespace_hash; break;
        case ILPI_KEY_METHOD: hash = ilpi_key_hash(ILPI_KEY_METHOD, method, none); break;
        default:
            hash = ilpi_key_hash(ILPI_KEY_TYPE_AND_METHOD, ilpi_subject_type(subject), method);
            break;
        }
        candidates->heads[key] = ilpi_rules_chain(rules, hash);
    }
    return ILP_OK;
}

/* The next candidate, ILP_NO_RULE behind the last. A rule that several names lead to comes once. */
static uint32_t next_candidate(struct ilp_selector *selector, struct candidates *candidates)
{
    const struct ilpi_link *links = selector->rules->links.items;
    size_t other = candidates->other;
    uint32_t least = other < selector->type_other_count ? selector->type_others[other]
                                                        : ILP_NO_RULE;
    candidates->other += other < selector->type_other_count;
    selector->match.any = selector->match.found = NULL;
    for (unsigned key = 0; key < ILPI_KEY_NONE; key++) {
        uint32_t head = candidates->heads[key];
        if (head != ILPI_NO_LINK && links[head].rule < least) {
            least = links[head].rule;
            candidates->other = other;
            selector->match.any = links[head].any;
            selector->match.found = links[head].found;
        }
    }
    for (unsigned key = 0; key < ILPI_KEY_NONE; key++) {
        uint32_t head = candidates->heads[key];
        if (head != ILPI_NO_LINK && links[head].rule == least) {
            candidates->heads[key] = links[head].next;
        }
    }
    return least;
}

/* The next rule of all, for a method whose candidates cannot be looked up. */
static uint32_t next_rule(const struct ilp_rules *rules, struct candidates *candidates)
{
    while (candidates->other < rules->rules.count &&
           !rules->rules.items[candidates->other].head.enabled) {
        candidates->other++;
    }
    return candidates->other < rules->rules.count ? (uint32_t)candidates->other++ : ILP_NO_RULE;
}

/* ---- selecting ---- */

static ilp_status check_method(const struct ilp_selector *selector, ilp_token method,
                               struct ilp_error *error)
{
    bool there = ILP_TOKEN_TABLE(method) == ILP_MethodDef &&
                 ILP_TOKEN_RID(method) - 1 <
                     ilp_row_count(selector->match.subject.image, ILP_MethodDef);
    return there ? ILP_OK
                 : ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, method,
                             "0x%08X is no method here", method);
}

ilp_status ilpi_select_begin(struct ilp_selector *selector, ilp_token method,
                             struct ilp_selection *selection, struct ilp_error *error)
{
    ILPI_TRY(check_method(selector, method, error));
    *selection = nothing;
    ilpi_subject_set(&selector->match.subject, ILP_TOKEN_RID(method));
    return ILP_OK;
}

ilp_status ilp_select(struct ilp_selector *selector, ilp_token method,
                      struct ilp_selection *selection, struct ilp_error *error)
{
    struct candidates candidates;
    uint32_t number;
    bool known;
    if (selector->settled) {
        *selection = selector->answer;
        return check_method(selector, method, error);
    }
    ILPI_TRY(ilpi_select_begin(selector, method, selection, error));
    ILPI_TRY(find_candidates(selector, &candidates, &known, error));
    while ((number = known ? next_candidate(selector, &candidates)
                           : next_rule(selector->rules, &candidates)) != ILP_NO_RULE) {
        enum ilp_truth truth = ILP_UNKNOWN;
        if (spend_steps(selector, 1)) {
            ILPI_TRY(ilpi_conditions_hold(
                &selector->match, selector->rules->rules.items[number].conditions, &truth, error));
        } else {
            snprintf(selector->match.subject.why, sizeof selector->match.subject.why,
                     "there are too many rules to be tried on all methods");
        }
        if (truth != ILP_NO) {
            ilpi_decide(selector, number, truth, selection);
            break;
        }
    }
    return ILP_OK;
}

ilp_status ilpi_select_any(struct ilp_selector *selector, bool *possible, struct ilp_error *error)
{
    const struct ilp_rules *rules = selector->rules;
    enum ilp_truth truth = ILP_NO;
    *possible = false;
    for (uint32_t number = 0; number < rules->rules.count && truth != ILP_YES && !*possible;
         number++) {
        ILPI_TRY(ask_assembly(selector, &number, &truth, error));
        *possible = truth != ILP_NO && !rules->rules.items[number].head.exclude;
    }
    return ILP_OK;
}
