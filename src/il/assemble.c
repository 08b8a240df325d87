/* Assembles an array of instructions into code, the inverse of instructions.c: resolve labels,
 * widen short branches that do not reach (short_branch.h), then write the bytes in one forward
 * pass.
 *
 *   instructions --read--> index_at[label], checked operands
 *                --lay_out--> offset[i]; op[i], widened where needed
 *                --write_code--> bytes
 *                --move_clauses--> clauses
 *                --make_map--> old and new offsets
 *
 * Labels are what instructions of a decoded body have as offsets, so clauses, which name their
 * blocks by offset and length, name labels here, too.
 *
 * The result is decoded before it is returned, so that only decode.c defines what valid code is. */
#include "il/body.h"

#include <string.h>

#include "base/cursor.h"
#include "il/short_branch.h"

#define NO_INSN UINT32_MAX

/* All arrays are working memory of one call; code, clauses and map of the result are in the
 * caller's arena. */
struct assembler {
    struct ilpi_alloc *alloc;
    struct ilp_arena *arena;
    const struct ilp_code *code;
    const struct ilp_body *body;
    struct ilp_error *error;
    uint32_t *index_at; /* by label; `count` for the end */
    uint32_t *offset;   /* per instruction, and the end */
    uint8_t *op;        /* enum ilpi_op, widened */
    size_t labels;
    struct ilpi_short_branch *shorts;
    uint32_t *pending; /* short branches to widen */
    size_t short_count;
};

static ilp_status misuse(const struct assembler *as, size_t insn, const char *what)
{
    return ilpi_fail(as->error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0, "instruction %zu: %s", insn, what);
}

/* By operand kind; without the arms of a switch. */
static const uint8_t operand_bytes[] = {
    [ILPI_OPERAND_NONE] = 0,    [ILPI_OPERAND_I1] = 1,     [ILPI_OPERAND_U1] = 1,
    [ILPI_OPERAND_U2] = 2,      [ILPI_OPERAND_I4] = 4,     [ILPI_OPERAND_I8] = 8,
    [ILPI_OPERAND_R4] = 4,      [ILPI_OPERAND_R8] = 8,     [ILPI_OPERAND_TARGET1] = 1,
    [ILPI_OPERAND_TARGET4] = 4, [ILPI_OPERAND_SWITCH] = 4, [ILPI_OPERAND_TOKEN] = 4,
    [ILPI_OPERAND_METHOD] = 4,  [ILPI_OPERAND_SIG] = 4,    [ILPI_OPERAND_STRING] = 4,
};

static uint64_t insn_bytes(const struct assembler *as, size_t i)
{
    enum ilpi_op op = (enum ilpi_op)as->op[i];
    uint64_t arms = op == ILPI_OP_SWITCH ? as->code->insns[i].arm_count : 0;
    return ilpi_opcode_bytes(op) + operand_bytes[ilpi_opcodes[op].operand] + arms * 4;
}

/* ---- input ---- */

static bool is_short(const struct assembler *as, size_t i)
{
    return ilpi_opcodes[as->op[i]].operand == ILPI_OPERAND_TARGET1;
}

/* R4 is bits, not a number: see read_operand() in instructions.c. */
static bool fits(enum ilpi_operand operand, int64_t number)
{
    switch (operand) {
    case ILPI_OPERAND_I1: return number >= INT8_MIN && number <= INT8_MAX;
    case ILPI_OPERAND_U1: return number >= 0 && number <= UINT8_MAX;
    case ILPI_OPERAND_U2: return number >= 0 && number <= UINT16_MAX;
    case ILPI_OPERAND_I4: return number >= INT32_MIN && number <= INT32_MAX;
    case ILPI_OPERAND_R4: return number >= 0 && number <= UINT32_MAX;
    default: return true;
    }
}

static uint32_t index_of(const struct assembler *as, uint32_t label)
{
    return label < as->labels ? as->index_at[label] : NO_INSN;
}

/* The instruction that a branch or arm refers to; the end of the code does not count. Only clauses
 * may end there (II.25.4.6). */
static bool has_target(const struct assembler *as, uint32_t label)
{
    return index_of(as, label) < as->code->count;
}

/* What the caller has filled in is checked here, so that writing cannot fail: numbers fit their
 * operands, and each target exists. */
static ilp_status check_operand(const struct assembler *as, size_t i)
{
    const struct ilp_insn *insn = &as->code->insns[i];
    enum ilpi_operand operand = (enum ilpi_operand)ilpi_opcodes[as->op[i]].operand;
    if (!fits(operand, insn->number)) {
        return misuse(as, i, "the number does not fit the operand");
    }
    if ((operand == ILPI_OPERAND_TARGET1 || operand == ILPI_OPERAND_TARGET4) &&
        !has_target(as, insn->target)) {
        return misuse(as, i, "no instruction has its target label");
    }
    if (operand == ILPI_OPERAND_SWITCH) {
        if (insn->arm_count > ILPI_MAX_CODE / 4 || (insn->arm_count != 0 && !insn->arms)) {
            return misuse(as, i, "the arms of the switch are not there");
        }
        for (uint32_t arm = 0; arm < insn->arm_count; arm++) {
            if (!has_target(as, insn->arms[arm])) {
                return misuse(as, i, "no instruction has the target label of an arm");
            }
        }
    }
    return ILP_OK;
}

/* Labels are indexes of an array, so each is found at once. */
static ilp_status place_label(struct assembler *as, size_t insn, uint32_t label)
{
    if (label == ILP_NO_LABEL) {
        return ILP_OK;
    }
    if (label >= as->labels || as->index_at[label] != NO_INSN) {
        return misuse(as, insn,
                      label >= as->labels ? "its label is not below next_label"
                                          : "its label is in use");
    }
    as->index_at[label] = (uint32_t)insn;
    return ILP_OK;
}

/* Labels are placed before operands are checked, since a branch may refer to a later
 * instruction. */
static ilp_status read_instructions(struct assembler *as)
{
    const struct ilp_code *code = as->code;
    memset(as->index_at, 0xFF, as->labels * sizeof *as->index_at); /* NO_INSN */
    for (size_t i = 0; i < code->count; i++) {
        enum ilpi_op op = ilpi_op_of(code->insns[i].opcode);
        if (op == ILPI_OP_COUNT) {
            return misuse(as, i, "its opcode is that of no instruction (III.1.2.1)");
        }
        as->op[i] = (uint8_t)op;
        as->short_count += is_short(as, i);
        ILPI_TRY(place_label(as, i, code->insns[i].label));
    }
    ILPI_TRY(place_label(as, code->count, code->end_label));
    for (size_t i = 0; i < code->count; i++) {
        ILPI_TRY(check_operand(as, i));
    }
    return ILP_OK;
}

/* ---- layout ---- */

/* Offsets with the current widths. 64 bits until the limit is checked, so that a sum cannot
 * wrap. */
static ilp_status place_all(struct assembler *as)
{
    uint64_t at = 0;
    for (size_t i = 0; i < as->code->count; i++) {
        as->offset[i] = (uint32_t)at;
        at += insn_bytes(as, i);
        if (at > ILPI_MAX_CODE) {
            return ilpi_fail(as->error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                             "the code would pass %lu bytes", (unsigned long)ILPI_MAX_CODE);
        }
    }
    as->offset[as->code->count] = (uint32_t)at;
    return ILP_OK;
}

/* From the end of instruction `i` to its target. */
static int64_t distance_to(const struct assembler *as, size_t i, uint32_t label)
{
    return (int64_t)as->offset[as->index_at[label]] - as->offset[i + 1];
}

/* `short_count` was counted by read_instructions(), so the loop ends before the last
 * instruction. */
static void find_shorts(struct assembler *as)
{
    size_t found = 0;
    for (uint32_t i = 0; found < as->short_count; i++) {
        if (is_short(as, i)) {
            as->shorts[found++] = (struct ilpi_short_branch){
                .insn = i,
                .target = as->index_at[as->code->insns[i].target],
                .end = as->offset[i + 1],
            };
        }
    }
}

/* The smallest code that reaches every target: long branches stay long, short ones short where they
 * can. Two layouts at most, since the widening is a complete fixed point. */
static ilp_status lay_out(struct assembler *as)
{
    ILPI_TRY(place_all(as));
    find_shorts(as);
    if (!ilpi_widen_short_branches(as->shorts, as->short_count, as->offset, as->pending)) {
        return ILP_OK;
    }
    for (size_t i = 0; i < as->short_count; i++) {
        if (as->shorts[i].wide) {
            uint8_t *op = &as->op[as->shorts[i].insn];
            *op = (uint8_t)ilpi_op_long_branch((enum ilpi_op) * op);
        }
    }
    return place_all(as);
}

/* ---- bytes ---- */

/* The size of each operand was known before (by the opcode), so distances are final here. */
static void write_operand(const struct assembler *as, struct ilpi_buf *buf, size_t i)
{
    const struct ilp_insn *insn = &as->code->insns[i];
    switch ((enum ilpi_operand)ilpi_opcodes[as->op[i]].operand) {
    case ILPI_OPERAND_NONE: break;
    case ILPI_OPERAND_I1:
    case ILPI_OPERAND_U1: ilpi_buf_u8(buf, (uint8_t)insn->number); break;
    case ILPI_OPERAND_U2: ilpi_buf_u16(buf, (uint16_t)insn->number); break;
    case ILPI_OPERAND_I4:
    case ILPI_OPERAND_R4: ilpi_buf_u32(buf, (uint32_t)insn->number); break;
    case ILPI_OPERAND_I8:
    case ILPI_OPERAND_R8: ilpi_buf_u64(buf, (uint64_t)insn->number); break;
    case ILPI_OPERAND_TARGET1: ilpi_buf_u8(buf, (uint8_t)distance_to(as, i, insn->target)); break;
    case ILPI_OPERAND_TARGET4: ilpi_buf_u32(buf, (uint32_t)distance_to(as, i, insn->target)); break;
    case ILPI_OPERAND_SWITCH:
        ilpi_buf_u32(buf, insn->arm_count);
        for (uint32_t arm = 0; arm < insn->arm_count; arm++) {
            ilpi_buf_u32(buf, (uint32_t)distance_to(as, i, insn->arms[arm]));
        }
        break;
    case ILPI_OPERAND_TOKEN:
    case ILPI_OPERAND_METHOD:
    case ILPI_OPERAND_SIG:
    case ILPI_OPERAND_STRING: ilpi_buf_u32(buf, insn->token); break;
    }
}

/* The size is not reserved: `buf` grows, and its content is copied to the arena at the end. */
static ilp_status write_code(const struct assembler *as, struct ilp_bytes *code)
{
    struct ilpi_buf buf = {.alloc = as->alloc};
    for (size_t i = 0; i < as->code->count; i++) {
        unsigned value = ilpi_opcodes[as->op[i]].value;
        if (value > UINT8_MAX) {
            ilpi_buf_u8(&buf, ILPI_TWO_BYTES);
        }
        ilpi_buf_u8(&buf, (uint8_t)value);
        write_operand(as, &buf, i);
    }
    size_t size = buf.size;
    *code = (struct ilp_bytes){
        buf.status == ILP_OK ? ilpi_arena_copy(as->arena, buf.data, size) : NULL, size};
    ilpi_buf_free(&buf);
    return code->data ? ILP_OK : ilpi_fail_memory(as->error, size);
}

/* ---- clauses and map ---- */

/* A block from a label to another one, as offset and length. */
static ilp_status move_block(const struct assembler *as, uint32_t *offset, uint32_t *length)
{
    uint32_t first = index_of(as, *offset);
    uint32_t end = index_of(as, *offset + *length);
    if (first == NO_INSN || end == NO_INSN || end < first) {
        return ilpi_fail(as->error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                         "EH clause: no instruction has the label at which a block begins or ends");
    }
    *offset = as->offset[first];
    *length = as->offset[end] - as->offset[first];
    return ILP_OK;
}

/* Clauses name labels, too (see the head). A filter has no length of its own. */
static ilp_status move_clauses(const struct assembler *as, struct ilp_body *body)
{
    size_t count = as->body->clause_count;
    if (count != 0 && !as->body->clauses) {
        return ilpi_fail(as->error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                         "the EH clauses are not there");
    }
    body->clauses = ilpi_arena_array(as->arena, count, sizeof *body->clauses);
    if (!body->clauses) {
        return ilpi_fail_memory(as->error, count * sizeof *body->clauses);
    }
    for (size_t i = 0; i < count; i++) {
        struct ilp_eh_clause *clause = &body->clauses[i];
        *clause = as->body->clauses[i];
        ILPI_TRY(move_block(as, &clause->try_offset, &clause->try_length));
        ILPI_TRY(move_block(as, &clause->handler_offset, &clause->handler_length));
        uint32_t none = 0;
        if (clause->flags == ILPI_EH_FILTER) {
            ILPI_TRY(move_block(as, &clause->token_or_filter, &none));
        }
    }
    return ILP_OK;
}

/* Labels up to that of the end are old offsets; a caller's new instructions have higher ones, or
 * none. So the map is a walk over the labels, in rising order. */
static ilp_status make_map(const struct assembler *as, struct ilp_encoded *out)
{
    size_t count = 0;
    for (uint32_t label = 0; label <= as->code->end_label; label++) {
        count += as->index_at[label] != NO_INSN;
    }
    struct ilp_il_map *map = ilpi_arena_array(as->arena, count, sizeof *map);
    if (!map) {
        return ilpi_fail_memory(as->error, count * sizeof *map);
    }
    out->map = map;
    out->map_count = count;
    for (uint32_t label = 0; label <= as->code->end_label; label++) {
        if (as->index_at[label] != NO_INSN) {
            *map++ = (struct ilp_il_map){label, as->offset[as->index_at[label]]};
        }
    }
    return ILP_OK;
}

/* ---- assembling ---- */

/* Working memory, for as many short branches as there are instructions. */
static ilp_status make_room(struct assembler *as, struct ilp_arena *work)
{
    size_t count = as->code->count + 1;
    as->index_at = ilpi_arena_array(work, as->labels, sizeof *as->index_at);
    as->offset = ilpi_arena_array(work, count, sizeof *as->offset);
    as->shorts = ilpi_arena_array(work, count, sizeof *as->shorts);
    as->pending = ilpi_arena_array(work, count, sizeof *as->pending);
    as->op = ilpi_arena_array(work, count, sizeof *as->op);
    bool all = as->index_at && as->offset && as->shorts && as->pending && as->op;
    return all ? ILP_OK : ilpi_fail_memory(as->error, count * sizeof *as->shorts);
}

/* The result is decoded again: whatever a caller has put together, what is returned is a valid
 * body. */
static ilp_status assemble(struct assembler *as, struct ilp_encoded *out)
{
    ILPI_TRY(read_instructions(as));
    ILPI_TRY(lay_out(as));
    out->body = *as->body;
    out->body.code_offset = ILPI_NO_OFFSET;
    ILPI_TRY(write_code(as, &out->body.code));
    ILPI_TRY(move_clauses(as, &out->body));
    ILPI_TRY(make_map(as, out));
    struct ilpi_code again = {.alloc = as->alloc};
    ilp_status status = ilpi_code_decode(&again, &out->body, as->error);
    ilpi_code_free(&again);
    return status;
}

/* Labels below `next_label` number an array of places, so a caller's label above it would be out of
 * range: each is checked when it is used. */
ilp_status ilp_code_encode(struct ilp_encoded *out, const struct ilp_code *code,
                           const struct ilp_body *body, struct ilp_arena *arena,
                           struct ilp_error *error)
{
    struct ilp_arena work = {.alloc = arena->alloc};
    struct assembler as = {.alloc = arena->alloc,
                           .arena = arena,
                           .code = code,
                           .body = body,
                           .error = error,
                           .labels = code->next_label};
    if (code->count >= ILPI_MAX_CODE || code->end_label >= code->next_label) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                         "%zu instructions, and end_label %lu is not below next_label", code->count,
                         (unsigned long)code->end_label);
    }
    *out = (struct ilp_encoded){0};
    ilp_status status = make_room(&as, &work);
    if (status == ILP_OK) {
        status = assemble(&as, out);
    }
    ilpi_arena_free(&work);
    return status;
}

ilp_status ilp_body_write(struct ilp_bytes *bytes, const struct ilp_body *body,
                          struct ilp_arena *arena, struct ilp_error *error)
{
    struct ilpi_buf buf = {.alloc = arena->alloc};
    ilp_status status = ilpi_body_write(&buf, body, error);
    if (status == ILP_OK) {
        *bytes = (struct ilp_bytes){ilpi_arena_copy(arena, buf.data, buf.size), buf.size};
        status = bytes->data ? ILP_OK : ilpi_fail_memory(error, buf.size);
    }
    ilpi_buf_free(&buf);
    return status;
}
