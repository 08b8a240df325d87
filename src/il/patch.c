/* Insertions: plan the new offsets, then write the code in one forward pass. See patch.h.
 *
 * An insertion moves whole instructions, so a new offset is a sum over the bytes inserted before
 * it. If short branches no longer reach, they are widened, and the offsets are summed again with
 * the new widths (short_branch.h): two passes at most, since the widening is a complete fixed
 * point.
 *
 *   ilpi_insertions_check --> find_shorts --> lay_out --> widen --> lay_out, if any was widened
 *     --> move_clauses --> emit_code, which compares each offset with the plan
 *
 * The memory of all arrays is kept for the next method. */
#include "il/patch.h"

#include <string.h>

#include "il/body_format.h"
#include "il/short_branch.h"

/* ---- the plan -------------------------------------------------------------------------------- */

/* A long `leave`. */
#define LEAVE_BYTES 5u

/* Whether an insertion before instruction `i` replaces it: with `leave` the old code will be inside
 * a protected block, which a ret cannot end (III.3.57). */
static bool leaves_at(const struct ilpi_patch *patch, const struct ilpi_code *code, uint32_t i)
{
    return patch->leave != 0 && code->insns[i].op == ILPI_OP_RET;
}

/* In the order of the code, which lay_out() and emit() rely on: they walk short branches beside
 * instructions with one index. `end` and `distance` are filled in by later steps. */
static ilp_status find_shorts(struct ilpi_patch *patch, const struct ilpi_code *code,
                              struct ilp_error *error)
{
    patch->short_count = 0;
    ILPI_TRY(ilpi_grow(patch->alloc, &patch->shorts, &patch->short_capacity, code->branches.count,
                       sizeof *patch->shorts, error));
    for (size_t i = 0; i < code->branches.count; i++) {
        const struct ilpi_insn *insn = &code->insns[code->branches.items[i]];
        if (ilpi_opcodes[insn->op].operand != ILPI_OPERAND_TARGET1) {
            continue;
        }
        patch->shorts[patch->short_count++] = (struct ilpi_short_branch){
            .insn = code->branches.items[i],
            .target = code->index_at[ilpi_insn_target(code, insn)],
        };
    }
    return ILP_OK;
}

/* Fills new_offset, and `end` of the short branches, with the current widths of the branches.
 * Events are insertions and short branches; an insertion at the same instruction as a branch comes
 * first, so the label is that of the insertion's entry, and the branch moves by all of its
 * bytes. */
static ilp_status lay_out(struct ilpi_patch *patch, const struct ilpi_code *code,
                          const struct ilpi_insertion *insertions, size_t count,
                          struct ilp_error *error)
{
    size_t next = 0;       /* insertion */
    size_t next_short = 0; /* short branch */
    uint64_t shift = 0;
    uint32_t i = 0;
    while (i < code->count) {
        uint32_t insertion = next < count ? insertions[next].insn : (uint32_t)code->count;
        uint32_t branch = next_short < patch->short_count ? patch->shorts[next_short].insn
                                                          : (uint32_t)code->count;
        uint32_t event = insertion < branch ? insertion : branch;
        for (; i < event; i++) { /* between two events every instruction moves by the same
                                    distance */
            patch->new_offset[i] = (uint32_t)(code->insns[i].offset + shift);
        }
        if (i == code->count) {
            break;
        }
        uint64_t label = code->insns[i].offset + shift;
        if (i == insertion) {
            label += insertions[next].entry;
            shift += insertions[next++].bytes.size;
            shift += leaves_at(patch, code, i) ? LEAVE_BYTES - code->insns[i].size : 0;
        }
        patch->new_offset[i] = (uint32_t)label;
        if (i == branch) {
            struct ilpi_short_branch *grown = &patch->shorts[next_short++];
            shift += grown->wide ? ILPI_WIDER : 0;
            grown->end = (uint32_t)(code->insns[i].offset + code->insns[i].size + shift);
        }
        i++;
    }
    uint64_t total = code->bytes.size + shift;
    if (total > ILPI_MAX_CODE) { /* offsets may have lost bits: stop, none of them is used */
        return ilpi_fail_large_code(code, error);
    }
    patch->new_offset[code->count] = (uint32_t)total;
    return ILP_OK;
}

/* ---- the new code ---------------------------------------------------------------------------- */

struct emitter {
    const struct ilpi_code *code;
    const struct ilpi_patch *patch;
    uint8_t *out;
    size_t size;     /* of the room in `out` */
    size_t at;       /* bytes written */
    uint32_t copied; /* bytes of the old code written or replaced */
    bool off_plan;
};

/* Writes bytes; the only function that does. The room is exactly as planned: too many bytes are a
 * fault of the plan, which emit_code() reports. */
static void put(struct emitter *emitter, const void *bytes, size_t size)
{
    if (size > emitter->size - emitter->at) {
        emitter->off_plan = true;
    } else if (size > 0) {
        memcpy(emitter->out + emitter->at, bytes, size);
        emitter->at += size;
    }
}

/* Copies the old code that has not been written or replaced yet, up to `until`. */
static void copy_until(struct emitter *emitter, uint32_t until)
{
    put(emitter, emitter->code->bytes.data + emitter->copied, until - emitter->copied);
    emitter->copied = until;
}

/* The branch in its planned width; `branch` is NULL for one that was long before. */
static void emit_branch(struct emitter *emitter, const struct ilpi_insn *insn,
                        const struct ilpi_short_branch *branch)
{
    uint32_t target = ilpi_insn_target(emitter->code, insn);
    int64_t label = emitter->patch->new_offset[emitter->code->index_at[target]];
    bool is_short = branch && !branch->wide;
    uint8_t bytes[5];
    size_t size = is_short ? 2 : 5;
    int64_t distance = label - (int64_t)(emitter->at + size);
    bytes[0] = (uint8_t)ilpi_opcodes[insn->op].value;
    if (is_short) {
        bytes[1] = (uint8_t)distance;
    } else {
        bytes[0] = (uint8_t)ilpi_opcodes[ilpi_op_long_branch((enum ilpi_op)insn->op)].value;
        ilpi_store_u32(bytes + 1, (uint32_t)distance);
    }
    put(emitter, bytes, size);
    emitter->copied = insn->offset + insn->size;
    if ((is_short && (distance < INT8_MIN || distance > INT8_MAX)) ||
        (branch && branch->end != emitter->at)) {
        emitter->off_plan = true;
    }
}

/* A switch keeps its size, so only the arms are written again. They count from the end of the
 * instruction (III.3.66). */
static void emit_switch(struct emitter *emitter, const struct ilpi_insn *insn)
{
    uint32_t arms = ilpi_switch_count(emitter->code, insn);
    copy_until(emitter, insn->offset + 5); /* opcode and count */
    int64_t end = (int64_t)emitter->at + (int64_t)arms * 4;
    for (uint32_t i = 0; i < arms; i++) {
        uint32_t target = ilpi_switch_target(emitter->code, insn, i);
        int64_t label = emitter->patch->new_offset[emitter->code->index_at[target]];
        uint8_t bytes[4];
        ilpi_store_u32(bytes, (uint32_t)(label - end));
        put(emitter, bytes, sizeof bytes);
    }
    emitter->copied = insn->offset + insn->size;
}

/* In place of a ret. */
static void emit_leave(struct emitter *emitter, uint32_t i)
{
    const struct ilpi_insn *ret = &emitter->code->insns[i];
    uint32_t target = emitter->patch->new_offset[emitter->code->count] + emitter->patch->leave;
    uint8_t bytes[LEAVE_BYTES];
    bytes[0] = (uint8_t)ilpi_opcodes[ILPI_OP_LEAVE].value;
    ilpi_store_u32(bytes + 1, (uint32_t)(target - emitter->at - sizeof bytes));
    put(emitter, bytes, sizeof bytes);
    emitter->copied = ret->offset + ret->size;
}

/* Copies the old code in runs between the changes: insertions and branches, in the order of the
 * code. The insertion comes first if both are at one instruction. */
static void emit(struct emitter *emitter, const struct ilpi_insertion *insertions, size_t count)
{
    const struct ilpi_code *code = emitter->code;
    size_t next = 0;       /* insertion */
    size_t next_short = 0; /* short branch */
    for (size_t i = 0; i <= code->branches.count; i++) {
        uint32_t branch = i < code->branches.count ? code->branches.items[i] : UINT32_MAX;
        for (; next < count && insertions[next].insn <= branch; next++) {
            const struct ilpi_insertion *insertion = &insertions[next];
            copy_until(emitter, code->insns[insertion->insn].offset);
            if (emitter->at + insertion->entry != emitter->patch->new_offset[insertion->insn]) {
                emitter->off_plan = true;
            }
            put(emitter, insertion->bytes.data, insertion->bytes.size);
            if (leaves_at(emitter->patch, code, insertion->insn)) {
                emit_leave(emitter, insertion->insn);
            }
        }
        if (i == code->branches.count) {
            break;
        }
        const struct ilpi_insn *insn = &code->insns[branch];
        copy_until(emitter, insn->offset);
        switch (ilpi_opcodes[insn->op].operand) {
        case ILPI_OPERAND_TARGET1:
            emit_branch(emitter, insn, &emitter->patch->shorts[next_short++]);
            break;
        case ILPI_OPERAND_SWITCH: emit_switch(emitter, insn); break;
        default: emit_branch(emitter, insn, NULL); break;
        }
    }
    copy_until(emitter, (uint32_t)code->bytes.size);
}

/* A plan that does not match would corrupt code silently, so the end is compared as well as each
 * label. */
static ilp_status emit_code(struct ilpi_patch *patch, const struct ilpi_code *code,
                            const struct ilpi_insertion *insertions, size_t count,
                            struct ilp_error *error)
{
    size_t size = patch->new_offset[code->count];
    patch->code.alloc = patch->alloc;
    patch->code.size = 0;
    patch->code.status = ILP_OK;
    if (size == 0) {
        return ILP_OK;
    }
    struct emitter emitter = {.code = code, .patch = patch, .size = size};
    emitter.out = ilpi_buf_reserve(&patch->code, size);
    if (!emitter.out) {
        return ilpi_fail_memory(error, size);
    }
    emit(&emitter, insertions, count);
    if (emitter.off_plan || emitter.at != size) {
        return ilpi_fail(error, ILP_E_MISUSE, code->origin, 0,
                         "the code is not the one that was decoded");
    }
    return ILP_OK;
}

/* ---- the new clauses ------------------------------------------------------------------------- */

/* The new offset of a label, that is, of the insertion's entry at that instruction, if there is
 * one. */
static bool move(const struct ilpi_patch *patch, const struct ilpi_code *code, uint64_t old,
                 uint32_t *now)
{
    uint32_t index = old <= code->bytes.size ? code->index_at[old] : ILPI_NO_INSN;
    if (index == ILPI_NO_INSN) {
        return false;
    }
    *now = patch->new_offset[index];
    return true;
}

/* Both ends are moved, and the length is their difference: insertions inside of a block become part
 * of it. */
static bool move_block(const struct ilpi_patch *patch, const struct ilpi_code *code,
                       uint32_t *offset, uint32_t *length)
{
    uint32_t start = 0;
    uint32_t end = 0;
    bool both = move(patch, code, *offset, &start) &&
                move(patch, code, (uint64_t)*offset + *length, &end);
    *offset = start;
    *length = end - start; /* labels keep their order, since entry <= bytes.size */
    return both;
}

/* A filter's handler follows it directly, so the filter needs a start only. */
static ilp_status move_clauses(struct ilpi_patch *patch, const struct ilpi_code *code,
                               const struct ilp_body *body, struct ilp_error *error)
{
    ILPI_TRY(ilpi_grow(patch->alloc, &patch->clauses, &patch->clause_capacity, body->clause_count,
                       sizeof *patch->clauses, error));
    for (size_t i = 0; i < body->clause_count; i++) {
        struct ilp_eh_clause clause = body->clauses[i];
        bool moved = move_block(patch, code, &clause.try_offset, &clause.try_length) &&
                     move_block(patch, code, &clause.handler_offset, &clause.handler_length) &&
                     (clause.flags != ILPI_EH_FILTER ||
                      move(patch, code, clause.token_or_filter, &clause.token_or_filter));
        if (!moved) {
            return ilpi_fail(error, ILP_E_MISUSE, code->origin, 0,
                             "clause %zu is not of the code that was decoded", i);
        }
        patch->clauses[i] = clause;
    }
    return ILP_OK;
}

/* The steps of a patch:
 *
 *   find short branches -> lay out with all short -> widen what does not reach -> lay out again
 *
 * Two layouts are enough, since the second one only moves: widening has found all branches that
 * must grow (short_branch.c). */
ilp_status ilpi_patch_apply(struct ilpi_patch *patch, const struct ilpi_code *code,
                            const struct ilp_body *body, const struct ilpi_insertion *insertions,
                            size_t count, struct ilp_error *error)
{
    patch->unmoved = 0;
    ILPI_TRY(ilpi_insertions_check(code, insertions, count, error));
    ILPI_TRY(find_shorts(patch, code, error));
    ILPI_TRY(ilpi_grow(patch->alloc, &patch->new_offset, &patch->offset_capacity, code->count + 1,
                       sizeof *patch->new_offset, error));
    ILPI_TRY(ilpi_grow(patch->alloc, &patch->pending, &patch->pending_capacity, patch->short_count,
                       sizeof *patch->pending, error));

    ILPI_TRY(lay_out(patch, code, insertions, count, error));
    if (ilpi_widen_short_branches(patch->shorts, patch->short_count, patch->new_offset,
                                  patch->pending)) {
        ILPI_TRY(lay_out(patch, code, insertions, count, error));
    }
    ILPI_TRY(move_clauses(patch, code, body, error));
    return emit_code(patch, code, insertions, count, error);
}

/* No plan and no decoding: all offsets before the last byte stay. Branches to the ret need no
 * change, because the first inserted byte is where the ret was. */
ilp_status ilpi_patch_at_end(struct ilpi_patch *patch, const struct ilp_body *body,
                             struct ilp_bytes bytes, struct ilp_error *error)
{
    size_t ret = body->code.size - 1;
    size_t size = body->code.size + bytes.size;
    patch->unmoved = 0;
    patch->code.alloc = patch->alloc;
    patch->code.size = 0;
    patch->code.status = ILP_OK;
    uint8_t *out = ilpi_buf_reserve(&patch->code, size);
    if (!out) {
        return ilpi_fail_memory(error, size);
    }
    memcpy(out, body->code.data, ret);
    memcpy(out + ret, bytes.data, bytes.size);
    out[ret + bytes.size] = body->code.data[ret];
    patch->unmoved = (uint32_t)body->code.size;
    return ILP_OK;
}

size_t ilpi_patch_start(const struct ilpi_patch *patch, const struct ilpi_insertion *insertion)
{
    return patch->unmoved != 0 ? patch->unmoved - 1
                               : patch->new_offset[insertion->insn] - insertion->entry;
}

size_t ilpi_patch_end(const struct ilpi_patch *patch, const struct ilpi_code *code)
{
    return patch->unmoved != 0 ? patch->code.size : patch->new_offset[code->count];
}

size_t ilpi_patched_size(const struct ilpi_code *code, size_t inserted)
{
    return code->bytes.size + code->branches.count * ILPI_WIDER + inserted;
}

size_t ilpi_patch_memory(const struct ilpi_code *code, size_t inserted, size_t clauses)
{
    const struct ilpi_patch *patch = NULL; /* for sizes */
    return ilpi_patched_size(code, inserted) + clauses * sizeof *patch->clauses +
           (code->count + 1) * (sizeof *patch->new_offset + sizeof *patch->map) +
           code->branches.count * (sizeof *patch->shorts + sizeof *patch->pending);
}

/* New offset minus old offset never falls from one instruction to the next. */
bool ilpi_patch_moves(const struct ilpi_patch *patch, const struct ilpi_code *code)
{
    return patch->unmoved == 0 && code->count != 0 &&
           patch->new_offset[code->count - 1] != code->insns[code->count - 1].offset;
}

/* All old instructions keep their offsets, so they are read from the new code; only the end
 * moves. */
static ilp_status map_unmoved(struct ilpi_patch *patch, const struct ilp_il_map **map,
                              size_t *count, struct ilp_error *error)
{
    uint32_t ret = patch->unmoved - 1;
    struct ilpi_insn insn;
    size_t entries = 0;
    ILPI_TRY(ilpi_grow(patch->alloc, &patch->map, &patch->map_capacity, (size_t)ret + 2,
                       sizeof *patch->map, error));
    for (uint32_t at = 0; at < ret && ilpi_insn_read(ilpi_buf_bytes(&patch->code), at, &insn);
         at += insn.size) {
        patch->map[entries++] = (struct ilp_il_map){at, at};
    }
    patch->map[entries++] = (struct ilp_il_map){ret, ret};
    patch->map[entries++] = (struct ilp_il_map){patch->unmoved, (uint32_t)patch->code.size};
    *map = patch->map;
    *count = entries;
    return ILP_OK;
}

/* The old offset of instruction `i`, or of the end. */
static uint32_t old_offset(const struct ilpi_code *code, size_t i)
{
    return i < code->count ? code->insns[i].offset : (uint32_t)code->bytes.size;
}

ilp_status ilpi_patch_map(struct ilpi_patch *patch, const struct ilpi_code *code,
                          const struct ilp_il_map **map, size_t *count, struct ilp_error *error)
{
    if (patch->unmoved != 0) {
        return map_unmoved(patch, map, count, error);
    }
    ILPI_TRY(ilpi_grow(patch->alloc, &patch->map, &patch->map_capacity, code->count + 1,
                       sizeof *patch->map, error));
    for (size_t i = 0; i <= code->count; i++) {
        patch->map[i] = (struct ilp_il_map){old_offset(code, i), patch->new_offset[i]};
    }
    *map = patch->map;
    *count = code->count + 1;
    return ILP_OK;
}

/* Consecutive instructions mostly move by the same distance, so these are few entries: one after
 * each insertion and each widened branch. */
ilp_status ilpi_patch_shifts(struct ilpi_patch *patch, const struct ilpi_code *code,
                             const struct ilp_il_map **map, size_t *count, struct ilp_error *error)
{
    bool unmoved = patch->unmoved != 0;
    size_t last = unmoved ? 0 : code->count;
    uint32_t shift = 0;
    size_t entries = 0;
    ILPI_TRY(ilpi_grow(patch->alloc, &patch->map, &patch->map_capacity, last + 1,
                       sizeof *patch->map, error));
    for (size_t i = 1; i <= last; i++) {
        uint32_t old = old_offset(code, i);
        if (patch->new_offset[i] - old != shift) {
            shift = patch->new_offset[i] - old;
            patch->map[entries++] = (struct ilp_il_map){old, patch->new_offset[i]};
        }
    }
    if (unmoved) {
        patch->map[entries++] = (struct ilp_il_map){patch->unmoved, (uint32_t)patch->code.size};
    }
    *map = patch->map;
    *count = entries;
    return ILP_OK;
}

void ilpi_patch_free(struct ilpi_patch *patch)
{
    struct ilpi_alloc *alloc = patch->alloc;
    if (patch->code.alloc) {
        ilpi_buf_free(&patch->code);
    }
    ilpi_resize(alloc, patch->clauses, patch->clause_capacity * sizeof *patch->clauses, 0);
    ilpi_resize(alloc, patch->new_offset, patch->offset_capacity * sizeof *patch->new_offset, 0);
    ilpi_resize(alloc, patch->shorts, patch->short_capacity * sizeof *patch->shorts, 0);
    ilpi_resize(alloc, patch->map, patch->map_capacity * sizeof *patch->map, 0);
    ilpi_resize(alloc, patch->pending, patch->pending_capacity * sizeof *patch->pending, 0);
    *patch = (struct ilpi_patch){.alloc = alloc};
}
