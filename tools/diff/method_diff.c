/* Two bodies side by side. See method_diff.h.
 *
 *   1  Bodies with equal bytes are the same, unless a token in them refers to something else in
 *      the other file.
 *   2  Lines get keys: instructions by opcode and operand, branches by their opcode alone, without
 *      its length. The shortest difference of the keys pairs the lines (line_diff.h).
 *   3  Now each instruction's partner is known. Pairs are compared again: branches are equal if
 *      they have the same opcode, and their targets are partners.
 *   4  Clauses are paired last, by the instructions at their ends.
 *
 * In code that cannot be decoded, lines are compared as text. */
#include "tools/diff/method_diff.h"

#include <stdlib.h>
#include <string.h>

#include "tools/diff/line_diff.h"
#include "tools/tool.h"

#define NOWHERE UINT32_MAX /* a landing that equals no other */

/* The limits follow from the files' sizes, so that a file made to waste time or memory gets in
 * proportion to what it has. */
void method_diff_open(struct method_diff *diff, const struct ilp_image *old_image,
                      const struct ilp_image *new_image)
{
    size_t size = old_image->pe.bytes.size + new_image->pe.bytes.size;
    *diff = (struct method_diff){.budget = ilpi_budget_of(size)};
    method_lines_open(&diff->old_side, old_image, METHOD_LINES_MEMORY + size / 4);
    method_lines_open(&diff->new_side, new_image, METHOD_LINES_MEMORY + size / 4);
    token_match_open(&diff->tokens, old_image, new_image);
    text_keys_open(&diff->texts);
}

void method_diff_close(struct method_diff *diff)
{
    method_lines_close(&diff->old_side);
    method_lines_close(&diff->new_side);
    token_match_close(&diff->tokens);
    text_keys_free(&diff->texts);
    free(diff->old_keys);
    free(diff->new_keys);
    free(diff->partner);
    free(diff->old_landing);
    free(diff->new_landing);
    free(diff->rows);
}

/* ---- equal bytes ---- */

/* Such operands are the last four bytes of their instruction. */
static bool has_token(const struct ilpi_insn *insn)
{
    unsigned operand = ilpi_opcodes[insn->op].operand;
    return operand == ILPI_OPERAND_TOKEN || operand == ILPI_OPERAND_METHOD ||
           operand == ILPI_OPERAND_SIG || operand == ILPI_OPERAND_STRING;
}

/* The tokens in a body whose bytes are the same on both sides. */
static bool tokens_match(struct method_diff *diff, const struct ilp_body *body)
{
    struct ilpi_insn insn;
    uint32_t at = 0;
    if (body->locals != 0 && !token_match(&diff->tokens, body->locals)) {
        return false;
    }
    for (size_t i = 0; i < body->clause_count; i++) {
        const struct ilp_eh_clause *clause = &body->clauses[i];
        if (clause->flags == ILPI_EH_CATCH &&
            !token_match(&diff->tokens, clause->token_or_filter)) {
            return false;
        }
    }
    for (; at < body->code.size && ilpi_insn_read(body->code, at, &insn); at += insn.size) {
        const uint8_t *end = body->code.data + at + insn.size;
        if (has_token(&insn) && !token_match(&diff->tokens, ilpi_load_u32(end - 4))) {
            return false;
        }
    }
    return true;
}

/* Whether two bodies are equal without making text. Native code has no known end: it counts as
 * equal. */
static bool same_at_once(struct method_diff *diff)
{
    const struct method_body *old_method = &diff->old_side.method;
    const struct method_body *new_method = &diff->new_side.method;
    if (old_method->kind != new_method->kind) {
        return false;
    }
    if (old_method->kind != METHOD_IL) {
        return old_method->kind != METHOD_BAD_BODY;
    }
    return old_method->body.size == new_method->body.size &&
           memcmp(old_method->bytes.data, new_method->bytes.data, old_method->body.size) == 0 &&
           tokens_match(diff, &old_method->body);
}

/* ---- keys ---- */

/* Names of opcodes are static, as text_key() wants it. */
static uint32_t name_key(struct method_diff *diff, const char *name)
{
    return text_key(&diff->texts, name, strlen(name));
}

/* A branch by its long form, anything else by the text after the label. */
static uint32_t insn_key(struct method_diff *diff, const struct method_lines *side, uint32_t line)
{
    unsigned op = side->code.insns[line - side->code_at].op;
    unsigned operand = ilpi_opcodes[op].operand;
    if (operand == ILPI_OPERAND_TARGET1 || operand == ILPI_OPERAND_TARGET4) {
        return name_key(diff, ilpi_opcodes[ilpi_op_long_branch((enum ilpi_op)op)].name);
    }
    if (operand == ILPI_OPERAND_SWITCH) {
        return name_key(diff, ilpi_opcodes[op].name);
    }
    const char *text = method_line(side, line);
    const char *label_end = strchr(text, ':');
    return text_key(&diff->texts, label_end,
                    method_line_size(side, line) - (size_t)(label_end - text));
}

/* Keys of all lines except the tail, or of all lines by their text. Header and locals always
 * pair. */
static void make_keys(struct method_diff *diff, const struct method_lines *side, bool by_text,
                      uint32_t *keys)
{
    uint32_t end = by_text ? side->count : side->tail_at;
    for (uint32_t line = 0; line < end; line++) {
        if (!by_text && line < side->code_at) {
            keys[line] = name_key(diff, line == 0 ? "header" : "locals");
        } else if (!by_text) {
            keys[line] = insn_key(diff, side, line);
        } else {
            keys[line] = text_key(&diff->texts, method_line(side, line),
                                  method_line_size(side, line));
        }
    }
}

/* ---- targets ---- */

/* For each instruction a number that is equal on both sides if their labels correspond: for a pair,
 * the new one's index. Lines inserted or removed right before a pair get the pair's number: labels
 * of the pair become labels of the first of them.
 *
 *   old      landing    new      landing
 *   ldarg.0  0          ldarg.0  0          a pair
 *   pop      3          dup      3          removed, inserted; the first ones have the pair's
 *                       box      2          its own: no old branch led here
 *   ret      3          ret      3          the pair */
static void landings(struct method_diff *diff)
{
    const struct method_lines *old_side = &diff->old_side;
    const struct method_lines *new_side = &diff->new_side;
    uint32_t old_count = (uint32_t)old_side->code.count;
    uint32_t new_count = (uint32_t)new_side->code.count;
    uint32_t i = 0;
    uint32_t j = 0;
    while (i <= old_count) {
        uint32_t old_pair = i;
        while (old_pair < old_count &&
               diff->partner[old_side->code_at + old_pair] == LINE_DIFF_NONE) {
            old_pair++;
        }
        uint32_t new_pair = old_pair == old_count
                                ? new_count
                                : diff->partner[old_side->code_at + old_pair] - new_side->code_at;
        for (uint32_t k = i; k <= old_pair; k++) {
            diff->old_landing[k] = k == i || k == old_pair ? new_pair : NOWHERE;
        }
        for (uint32_t k = j; k <= new_pair; k++) {
            diff->new_landing[k] = k == j ? new_pair : k;
        }
        i = old_pair + 1;
        j = new_pair + 1;
    }
}

/* index_at[] has the index of the instruction at an offset, and the count at the end of the
 * code. */
static uint32_t landing_at(const struct method_lines *side, const uint32_t *landing,
                           uint32_t offset)
{
    return landing[side->code.index_at[offset]];
}

/* Offsets are those of targets, which are the beginnings of instructions, or the end. */
static bool leads_the_same(const struct method_diff *diff, uint32_t old_offset, uint32_t new_offset)
{
    return landing_at(&diff->old_side, diff->old_landing, old_offset) ==
           landing_at(&diff->new_side, diff->new_landing, new_offset);
}

/* Only branches are compared here: keys of other instructions have their operands. */
static bool insns_match(const struct method_diff *diff, const struct ilpi_insn *old_insn,
                        const struct ilpi_insn *new_insn)
{
    const struct ilpi_code *old_code = &diff->old_side.code;
    const struct ilpi_code *new_code = &diff->new_side.code;
    unsigned operand = ilpi_opcodes[old_insn->op].operand;
    if (operand == ILPI_OPERAND_SWITCH) {
        uint32_t arms = ilpi_switch_count(old_code, old_insn);
        bool same = arms == ilpi_switch_count(new_code, new_insn);
        for (uint32_t i = 0; same && i < arms; i++) {
            same = leads_the_same(diff, ilpi_switch_target(old_code, old_insn, i),
                                  ilpi_switch_target(new_code, new_insn, i));
        }
        return same;
    }
    if (operand == ILPI_OPERAND_TARGET1 || operand == ILPI_OPERAND_TARGET4) {
        return old_insn->op == new_insn->op &&
               leads_the_same(diff, ilpi_insn_target(old_code, old_insn),
                              ilpi_insn_target(new_code, new_insn));
    }
    return true; /* the keys are equal */
}

/* Whether two paired lines are equal. */
static bool lines_match(const struct method_diff *diff, uint32_t old_line, uint32_t new_line)
{
    const struct method_lines *old_side = &diff->old_side;
    const struct method_lines *new_side = &diff->new_side;
    if (!old_side->decoded || !new_side->decoded || old_line >= old_side->tail_at) {
        return true;
    }
    if (old_line < old_side->code_at) {
        return strcmp(method_line(old_side, old_line), method_line(new_side, new_line)) == 0;
    }
    return insns_match(diff, &old_side->code.insns[old_line - old_side->code_at],
                       &new_side->code.insns[new_line - new_side->code_at]);
}

/* ---- clauses ---- */

/* A clause as text without offsets: its kind and type, and the landings of its ends. */
static uint32_t clause_key(struct method_diff *diff, struct method_lines *side,
                           const uint32_t *landing, const struct ilp_eh_clause *clause)
{
    bool filter = clause->flags == ILPI_EH_FILTER;
    struct ilpi_buf key = {.alloc = &side->alloc};
    ilpi_buf_format(&key, "%u %u %u %u %u %u ", clause->flags,
                    landing_at(side, landing, clause->try_offset),
                    landing_at(side, landing, clause->try_offset + clause->try_length),
                    landing_at(side, landing, clause->handler_offset),
                    landing_at(side, landing, clause->handler_offset + clause->handler_length),
                    filter ? landing_at(side, landing, clause->token_or_filter) : 0);
    if (clause->flags == ILPI_EH_CATCH) {
        method_token_text(side->image, &key, clause->token_or_filter);
    }
    char *kept = NULL;
    if (key.status == ILP_OK) {
        kept = ilpi_arena_copy(&side->arena, key.data, key.size);
    }
    size_t size = key.size;
    ilpi_buf_free(&key);
    side->too_long |= !kept;
    return kept ? text_key(&diff->texts, kept, size) : 0;
}

/* Clauses come first in the tail; sections of other kinds after them are compared as text. */
static void make_tail_keys(struct method_diff *diff, struct method_lines *side,
                           const uint32_t *landing, uint32_t *keys)
{
    const struct ilp_body *body = &side->method.body;
    for (uint32_t line = side->tail_at; line < side->count; line++) {
        uint32_t clause = line - side->tail_at;
        keys[line] = clause < body->clause_count
                         ? clause_key(diff, side, landing, &body->clauses[clause])
                         : text_key(&diff->texts, method_line(side, line),
                                    method_line_size(side, line));
    }
}

/* ---- pairs and rows ---- */

/* Without memory the command ends, so no caller has to handle NULL. */
static void *resized(void *items, size_t count, size_t size)
{
    return need(grow_items(items, count, size));
}

/* Room for data per line, and one more. */
static void make_room(struct method_diff *diff)
{
    size_t old_count = (size_t)diff->old_side.count + 1;
    size_t new_count = (size_t)diff->new_side.count + 1;
    if (old_count > diff->old_capacity) {
        diff->old_capacity = old_count * 2;
        diff->old_keys = resized(diff->old_keys, diff->old_capacity, sizeof *diff->old_keys);
        diff->partner = resized(diff->partner, diff->old_capacity, sizeof *diff->partner);
        diff->old_landing = resized(diff->old_landing, diff->old_capacity,
                                    sizeof *diff->old_landing);
    }
    if (new_count > diff->new_capacity) {
        diff->new_capacity = new_count * 2;
        diff->new_keys = resized(diff->new_keys, diff->new_capacity, sizeof *diff->new_keys);
        diff->new_landing = resized(diff->new_landing, diff->new_capacity,
                                    sizeof *diff->new_landing);
    }
    if (old_count + new_count > diff->row_capacity) {
        diff->row_capacity = (old_count + new_count) * 2;
        diff->rows = resized(diff->rows, diff->row_capacity, sizeof *diff->rows);
    }
}

/* Pairs the lines from `old_at` and `new_at` on. */
static void pair_lines(struct method_diff *diff, uint32_t old_at, uint32_t old_end, uint32_t new_at,
                       uint32_t new_end)
{
    uint32_t *partner = diff->partner + old_at;
    struct line_keys old_text = {diff->old_keys + old_at, old_end - old_at};
    struct line_keys new_text = {diff->new_keys + new_at, new_end - new_at};
    bool done = line_diff(old_text, new_text, LINE_DIFF_ROUNDS, partner);
    need(done ? partner : NULL);
    for (uint32_t i = 0; i < old_text.count; i++) {
        partner[i] += partner[i] != LINE_DIFF_NONE ? new_at : 0;
    }
}

/* In two parts: keys of clauses need the landings, which need the pairs of instructions. */
static void pair_all(struct method_diff *diff)
{
    struct method_lines *old_side = &diff->old_side;
    struct method_lines *new_side = &diff->new_side;
    bool by_text = !old_side->decoded || !new_side->decoded;
    text_keys_begin(&diff->texts, old_side->count + new_side->count);
    make_keys(diff, old_side, by_text, diff->old_keys);
    make_keys(diff, new_side, by_text, diff->new_keys);
    if (by_text) {
        pair_lines(diff, 0, old_side->count, 0, new_side->count);
        return;
    }
    pair_lines(diff, 0, old_side->tail_at, 0, new_side->tail_at);
    landings(diff);
    /* numbers begin at 0 again: line_diff() takes keys below the number of its lines */
    text_keys_begin(&diff->texts, old_side->count + new_side->count);
    make_tail_keys(diff, old_side, diff->old_landing, diff->old_keys);
    make_tail_keys(diff, new_side, diff->new_landing, diff->new_keys);
    pair_lines(diff, old_side->tail_at, old_side->count, new_side->tail_at, new_side->count);
}

/* Makes rows from pairs; lines between two pairs are put side by side. */
static enum method_difference make_rows(struct method_diff *diff)
{
    uint32_t old_count = diff->old_side.count;
    uint32_t new_count = diff->new_side.count;
    enum method_difference result = METHOD_SAME;
    diff->row_count = 0;
    for (uint32_t i = 0, j = 0; i < old_count || j < new_count;) {
        uint32_t old_pair = i;
        while (old_pair < old_count && diff->partner[old_pair] == LINE_DIFF_NONE) {
            old_pair++;
        }
        uint32_t new_pair = old_pair < old_count ? diff->partner[old_pair] : new_count;
        while (i < old_pair || j < new_pair) {
            bool has_old = i < old_pair, has_new = j < new_pair;
            char one_sided = has_old ? ROW_OLD : ROW_NEW;
            diff->rows[diff->row_count++] =
                (struct diff_row){i, j, has_old && has_new ? ROW_CHANGED : one_sided};
            i += has_old;
            j += has_new;
            result = METHOD_DIFFERS;
        }
        if (i < old_count) {
            char mark = lines_match(diff, i, j) ? ROW_SAME : ROW_CHANGED;
            diff->rows[diff->row_count++] = (struct diff_row){i++, j++, mark};
            result = mark == ROW_SAME ? result : METHOD_DIFFERS;
        }
    }
    return result;
}

/* Whether the budget still covers comparing both. */
static bool pay(struct method_diff *diff)
{
    const struct method_body *old_method = &diff->old_side.method;
    const struct method_body *new_method = &diff->new_side.method;
    size_t size =
        (diff->old_side.rid != 0 && old_method->kind == METHOD_IL ? old_method->body.size : 0) +
        (diff->new_side.rid != 0 && new_method->kind == METHOD_IL ? new_method->body.size : 0);
    struct ilp_error error;
    return ilpi_spend(&diff->budget, size, &error) == ILP_OK;
}

/* From the cheapest comparison on: most methods of two versions have equal bytes. */
enum method_difference method_diff(struct method_diff *diff, ilp_rid old_rid, ilp_rid new_rid)
{
    diff->row_count = 0;
    method_lines_find(&diff->old_side, old_rid);
    method_lines_find(&diff->new_side, new_rid);
    if (!pay(diff)) {
        return METHOD_TOO_MUCH;
    }
    if (old_rid != 0 && new_rid != 0 && same_at_once(diff)) {
        return METHOD_SAME;
    }
    method_lines_make(&diff->old_side);
    method_lines_make(&diff->new_side);
    if (diff->old_side.too_long || diff->new_side.too_long) {
        return METHOD_TOO_LONG;
    }
    make_room(diff);
    pair_all(diff);
    if (diff->old_side.too_long || diff->new_side.too_long) {
        return METHOD_TOO_LONG;
    }
    return make_rows(diff);
}
