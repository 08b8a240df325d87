/* Two bodies, stepped through together. See same_code.h.
 *
 *   old   ldarg.0   brfalse.s A          ret   A: ldnull          ret
 *   new   ldarg.0   brfalse   A   [...]  ret   A: ldnull   [...]  ret
 *
 * One pass pairs the instructions and records each one's new offset, a second one compares branch
 * targets. The second needs the offsets of later instructions, for branches forward.
 *
 *   moved[old offset]   NOWHERE: no instruction begins there
 *                       new offset of that instruction, or of the entry of the insertion before it
 *
 * Old bodies are long and insertions are short, so runs of plain instructions are compared at once
 * (skip_straight()), and only the rest one by one (step()). */
#include "verify/same_code.h"

#include "base/bytes.h"

#define NOWHERE UINT32_MAX

/* An old instruction and its new form. */
struct ilpi_insn_pair {
    struct ilpi_insn old;
    struct ilpi_insn now;
};

/* The bodies, and the position in each. */
struct walk {
    const struct ilp_body *old;
    const struct ilp_body *new;
    const struct ilpi_insertion *insertions;
    size_t count;
    size_t next;     /* insertion that was not met yet */
    uint32_t index;  /* of the old instruction at old_at */
    uint32_t old_at; /* offsets of what is compared next */
    uint32_t new_at;
    bool prefixed; /* the previous instruction is a prefix of this one */
    bool is_tail;  /* and one of its prefixes is `tail.`, still there */
    bool after_tail;
};

/* ---- instructions ---- */

static bool has_targets(const struct ilpi_insn *insn)
{
    uint8_t operand = ilpi_opcodes[insn->op].operand;
    return operand == ILPI_OPERAND_TARGET1 || operand == ILPI_OPERAND_TARGET4 ||
           operand == ILPI_OPERAND_SWITCH;
}

/* Instructions are short: a loop instead of memcmp(). */
static bool has_equal_bytes(const struct walk *walk, uint32_t size)
{
    const uint8_t *old = walk->old->code.data + walk->old_at;
    const uint8_t *now = walk->new->code.data + walk->new_at;
    uint32_t i = 0;
    while (i < size && old[i] == now[i]) {
        i++;
    }
    return i == size;
}

/* The same bytes, or two nops in place of `tail.`. */
static bool has_same(const struct walk *walk, const struct ilpi_insn *insn, bool *is_tail)
{
    const uint8_t *now = walk->new->code.data + walk->new_at;
    *is_tail = insn->op == ILPI_OP_TAIL;
    if (insn->size > walk->new->code.size - walk->new_at) {
        return false;
    }
    if (*is_tail && now[0] == ilpi_opcodes[ILPI_OP_NOP].value && now[1] == now[0]) {
        *is_tail = false;
        return true;
    }
    return has_equal_bytes(walk, insn->size);
}

/* A short branch may have become long, and a switch has as many arms as before. The five bytes of a
 * switch are its opcode and the count. */
static bool has_same_branch(const struct walk *walk, struct ilpi_insn_pair *pair)
{
    const struct ilpi_insn *old = &pair->old;
    if (!ilpi_insn_read(walk->new->code, walk->new_at, &pair->now)) {
        return false;
    }
    if (old->op != pair->now.op) {
        return ilpi_opcodes[old->op].operand == ILPI_OPERAND_TARGET1 &&
               ilpi_op_long_branch((enum ilpi_op)old->op) == pair->now.op;
    }
    return old->size == pair->now.size && (old->op != ILPI_OP_SWITCH || has_equal_bytes(walk, 5));
}

/* Steps over an insertion before the old instruction, if there is one. Not after a prefix: it would
 * apply to the inserted instruction. Bounds are checked against the new body only, since the list
 * of insertions is not trusted. */
static bool step_over(struct ilpi_same_code *same, struct walk *walk, const struct ilpi_insn *old)
{
    const struct ilpi_insertion *insertion = &walk->insertions[walk->next];
    if (walk->next == walk->count || insertion->insn != walk->index) {
        return true;
    }
    size_t size = insertion->bytes.size;
    struct ilpi_inserted found = {walk->new_at, (uint32_t)size,        insertion->entry,
                                  walk->old_at, (enum ilpi_op)old->op, walk->after_tail};
    if (walk->prefixed || size >= walk->new->code.size - walk->new_at || insertion->entry > size) {
        return false;
    }
    walk->next++;
    walk->new_at += (uint32_t)size;
    same->moved[walk->old_at] = found.at + found.entry;
    return ILPI_LIST_ADD(same->alloc, &same->inserted, found, NULL) == ILP_OK;
}

/* A label of the old instruction refers to it, unless an insertion before it is meant to be reached
 * by labels: then step_over() replaces the offset by that of the insertion's entry. */
static bool step(struct ilpi_same_code *same, struct walk *walk)
{
    struct ilpi_insn_pair pair;
    bool is_tail = false;
    same->moved[walk->old_at] = walk->new_at;
    if (!ilpi_insn_read(walk->old->code, walk->old_at, &pair.old) ||
        !step_over(same, walk, &pair.old) || walk->new_at >= walk->new->code.size) {
        return false;
    }
    uint32_t size = pair.old.size;
    if (has_targets(&pair.old)) {
        if (!has_same_branch(walk, &pair) ||
            ILPI_LIST_ADD(same->alloc, &same->branches, pair, NULL) != ILP_OK) {
            return false;
        }
        size = pair.now.size;
    } else if (!has_same(walk, &pair.old, &is_tail)) {
        return false;
    }
    walk->prefixed = ilpi_opcodes[pair.old.op].flow == ILPI_FLOW_META;
    walk->after_tail = walk->is_tail && !walk->prefixed;
    walk->is_tail = is_tail || (walk->is_tail && walk->prefixed);
    walk->old_at += pair.old.size;
    walk->new_at += size;
    walk->index++;
    return true;
}

/* Steps over instructions without targets that are not prefixes, up to the next insertion: their
 * bytes are equal. Lengths are those of the old code; if the bytes are equal, they are those of the
 * new code as well. `facts.bytes` is 0 for what needs step(). */
static bool skip_straight(struct ilpi_same_code *same, struct walk *walk)
{
    const uint8_t *code = walk->old->code.data;
    uint32_t end = (uint32_t)walk->old->code.size;
    uint32_t start = walk->old_at, at = start;
    uint32_t delta = walk->new_at - start;
    uint32_t next = walk->next < walk->count ? walk->insertions[walk->next].insn : UINT32_MAX;
    for (; at < end && walk->index != next; walk->index++) {
        struct ilpi_insn_facts facts = ilpi_insn_facts[code[at]];
        bool straight = facts.flow == ILPI_FLOW_NEXT || facts.flow == ILPI_FLOW_CALL;
        if (!straight || facts.bytes == 0 || facts.bytes > end - at) {
            break;
        }
        same->moved[at] = at + delta;
        at += facts.bytes;
    }
    size_t size = at - start;
    size_t left = walk->new->code.size - walk->new_at;
    const uint8_t *now = walk->new->code.data + walk->new_at;
    bool equal = size == 0 || (size <= left && memcmp(code + start, now, size) == 0);
    walk->after_tail = walk->after_tail && size == 0;
    walk->old_at = at;
    walk->new_at += (uint32_t)size;
    return equal;
}

/* Walks both bodies at once: an instruction of the old one must be in the new one, in order, and
 * what is between in the new one must be an insertion that is known. `moved` has the new offset of
 * each old one, so that branch targets can be compared afterwards. */
static bool pair_instructions(struct ilpi_same_code *same, struct walk *walk)
{
    while (walk->old_at < walk->old->code.size) {
        if (!walk->prefixed && !walk->is_tail && !skip_straight(same, walk)) {
            return false;
        }
        if (walk->old_at == walk->old->code.size) {
            break;
        }
        if (!step(same, walk)) {
            return false;
        }
    }
    same->moved[walk->old_at] = walk->new_at;
    return walk->next == walk->count && walk->new_at == walk->new->code.size;
}

/* ---- targets ---- */

/* The end of the code is not a target, although `moved` has an entry for it. */
static bool lead_to_same(const struct ilpi_same_code *same, const struct ilp_body *old,
                         int64_t old_target, int64_t new_target)
{
    return old_target >= 0 && old_target < (int64_t)old->code.size &&
           same->moved[old_target] != NOWHERE && new_target == same->moved[old_target];
}

/* Short here means a displacement of one byte. */
static bool is_short(const struct ilpi_insn *insn)
{
    return ilpi_opcodes[insn->op].operand == ILPI_OPERAND_TARGET1;
}

/* A displacement may be of one byte in the old code and of four in the new one, since insertion
 * widens branches; has_same_branch() has made sure that nothing else differs in size. */
static bool compare_branch(const struct ilpi_same_code *same, const struct walk *walk,
                           const struct ilpi_insn_pair *pair)
{
    const struct ilpi_insn *old = &pair->old, *now = &pair->now;
    bool short_old = is_short(old), short_now = is_short(now);
    uint32_t arms = old->op == ILPI_OP_SWITCH ? (old->size - 5) / 4 : 1;
    bool equal = true;
    for (uint32_t i = arms; i != 0 && equal; i--) { /* from the last one: both switches end there */
        equal = lead_to_same(
            same, walk->old,
            ilpi_insn_lead(walk->old->code, old, old->size - i * (short_old ? 1u : 4u), short_old),
            ilpi_insn_lead(walk->new->code, now, now->size - i * (short_now ? 1u : 4u), short_now));
    }
    return equal;
}

static bool compare_branches(const struct ilpi_same_code *same, const struct walk *walk)
{
    bool equal = true;
    for (size_t i = 0; i < same->branches.count && equal; i++) {
        equal = compare_branch(same, walk, &same->branches.items[i]);
    }
    return equal;
}

/* ---- clauses ---- */

/* The start or the end of a block. The end may be that of the code: `moved` has an entry for it. */
static bool is_moved(const struct ilpi_same_code *same, uint32_t old, uint32_t now)
{
    return same->moved[old] != NOWHERE && same->moved[old] == now;
}

static bool is_block_moved(const struct ilpi_same_code *same, const uint32_t old[2],
                           const uint32_t now[2])
{
    return is_moved(same, old[0], now[0]) && is_moved(same, old[0] + old[1], now[0] + now[1]);
}

/* ilp_body_read() has checked that blocks are within their code. */
static bool is_same_clause(const struct ilpi_same_code *same, const struct ilp_eh_clause *old,
                           const struct ilp_eh_clause *now)
{
    const uint32_t blocks[][2] = {{old->try_offset, old->try_length},
                                  {now->try_offset, now->try_length},
                                  {old->handler_offset, old->handler_length},
                                  {now->handler_offset, now->handler_length}};
    bool token = old->flags == ILPI_EH_FILTER
                     ? is_moved(same, old->token_or_filter, now->token_or_filter)
                     : old->token_or_filter == now->token_or_filter;
    return old->flags == now->flags && token && is_block_moved(same, blocks[0], blocks[1]) &&
           is_block_moved(same, blocks[2], blocks[3]);
}

bool ilpi_inserted_has(const struct ilpi_inserted *inserted, const struct ilp_eh_clause *clause)
{
    uint32_t end = inserted->at + inserted->size;
    return clause->flags != ILPI_EH_FILTER && clause->try_offset >= inserted->at &&
           clause->handler_offset >= inserted->at &&
           clause->try_offset + clause->try_length <= end &&
           clause->handler_offset + clause->handler_length <= end;
}

static bool is_in_any(const struct ilpi_same_code *same, const struct ilp_eh_clause *clause)
{
    bool any = false;
    for (size_t i = 0; i < same->inserted.count && !any; i++) {
        any = ilpi_inserted_has(&same->inserted.items[i], clause);
    }
    return any;
}

/* New clauses come first, since an inserted block contains no old one (I.12.4.2.7): the runtime
 * searches clauses in order, inner ones first. */
static bool compare_clauses(struct ilpi_same_code *same, const struct walk *walk)
{
    const struct ilp_body *old = walk->old, *now = walk->new;
    if (now->clause_count < old->clause_count) {
        return false;
    }
    same->added_clauses = now->clause_count - old->clause_count;
    for (size_t i = 0; i < same->added_clauses; i++) {
        if (!is_in_any(same, &now->clauses[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < old->clause_count; i++) {
        if (!is_same_clause(same, &old->clauses[i], &now->clauses[same->added_clauses + i])) {
            return false;
        }
    }
    return true;
}

/* ---- */

/* `moved` is all NOWHERE (0xFF...) at first; its last entry is for the end of the code. */
static bool take_room(struct ilpi_same_code *same, size_t size)
{
    if (ilpi_grow(same->alloc, &same->moved, &same->capacity, size + 1, sizeof *same->moved,
                  NULL) != ILP_OK) {
        return false;
    }
    memset(same->moved, 0xFF, (size + 1) * sizeof *same->moved);
    same->inserted.count = 0;
    same->branches.count = 0;
    return true;
}

/* In this order: each step needs what the one before has found. Data after the code must be
 * equal. */
bool ilpi_same_code(struct ilpi_same_code *same, const struct ilp_body *old,
                    const struct ilp_body *new, const struct ilpi_insertion *insertions,
                    size_t count)
{
    struct walk walk = {.old = old, .new = new, .insertions = insertions, .count = count};
    if (old->code.size > ILPI_MAX_CODE || new->code.size > ILPI_MAX_CODE) {
        return false;
    }
    return ilpi_bytes_equal(old->other, new->other) && take_room(same, old->code.size) &&
           pair_instructions(same, &walk) && compare_branches(same, &walk) &&
           compare_clauses(same, &walk);
}

void ilpi_same_code_free(struct ilpi_same_code *same)
{
    (void)ilpi_resize(same->alloc, same->moved, same->capacity * sizeof *same->moved, 0);
    ILPI_LIST_FREE(same->alloc, &same->inserted);
    ILPI_LIST_FREE(same->alloc, &same->branches);
    *same = (struct ilpi_same_code){.alloc = same->alloc};
}
