/* Checks that insertions are as insertion.h requires, since patch.c relies on it.
 *
 * The bytes come from the caller's sequence, mostly the same ones before each ret, so a sequence
 * that equals the last one by address is not decoded a second time. */
#include "il/insertion.h"

#include "base/cursor.h"

ilp_status ilpi_fail_large_code(const struct ilpi_code *code, struct ilp_error *error)
{
    return ilpi_fail(error, ILP_E_TOO_LARGE, code->origin, 0,
                     "the patched code would pass %lu bytes", (unsigned long)ILPI_MAX_CODE);
}

/* Whether one of the inserted instructions begins at `offset`, with no prefix before it. */
static bool begins_at(struct ilp_bytes bytes, int64_t offset)
{
    bool prefix = false;
    uint32_t at = 0;
    while (at < bytes.size && at < offset) {
        struct ilpi_insn insn;
        if (!ilpi_insn_read(bytes, at, &insn)) {
            return false;
        }
        prefix = ilpi_opcodes[insn.op].flow == ILPI_FLOW_META;
        at += insn.size;
    }
    return at == offset && at < bytes.size && !prefix;
}

/* Branches stay among the inserted instructions, or go to the old one right after them: they need
 * no relocation. */
static bool stays_inside(struct ilp_bytes bytes, const struct ilpi_insn *insn)
{
    const struct ilpi_opcode *opcode = &ilpi_opcodes[insn->op];
    if (opcode->flow != ILPI_FLOW_BRANCH && opcode->flow != ILPI_FLOW_COND_BRANCH) {
        return true;
    }
    if (opcode->operand != ILPI_OPERAND_TARGET1 && opcode->operand != ILPI_OPERAND_TARGET4) {
        return false;
    }
    bool is_short = opcode->operand == ILPI_OPERAND_TARGET1;
    int64_t target = ilpi_insn_lead(bytes, insn, insn->size - (is_short ? 1u : 4u), is_short);
    return target == (int64_t)bytes.size || begins_at(bytes, target);
}

/* The bytes are whole instructions that stay inside; `entry` is the start of one, or the end. */
static bool is_whole(const struct ilpi_insertion *insertion)
{
    struct ilp_bytes bytes = insertion->bytes;
    bool prefix = false;
    for (uint32_t at = 0; at < bytes.size;) {
        struct ilpi_insn insn;
        if (!ilpi_insn_read(bytes, at, &insn) || !stays_inside(bytes, &insn)) {
            return false;
        }
        prefix = ilpi_opcodes[insn.op].flow == ILPI_FLOW_META;
        at += insn.size;
    }
    return !prefix && (insertion->entry == bytes.size || begins_at(bytes, insertion->entry));
}

/* The sum is compared with what is left of ILPI_MAX_CODE, so no later offset can wrap. */
ilp_status ilpi_insertions_check(const struct ilpi_code *code,
                                 const struct ilpi_insertion *insertions, size_t count,
                                 struct ilp_error *error)
{
    size_t room = ILPI_MAX_CODE - code->bytes.size;
    for (size_t i = 0; i < count; i++) {
        if (insertions[i].bytes.size > room) {
            return ilpi_fail_large_code(code, error);
        }
        room -= insertions[i].bytes.size;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t insn = insertions[i].insn;
        bool as_before = i > 0 && insertions[i].bytes.data == insertions[i - 1].bytes.data &&
                         insertions[i].bytes.size == insertions[i - 1].bytes.size &&
                         insertions[i].entry == insertions[i - 1].entry;
        if (insn >= code->count || (i > 0 && insn <= insertions[i - 1].insn) ||
            (code->insns[insn].marks & ILPI_INSN_AFTER_PREFIX) != 0 ||
            (!as_before && !is_whole(&insertions[i]))) {
            return ilpi_fail(error, ILP_E_MISUSE, code->origin, 0,
                             "insertion %zu is not one that ilpi_patch_apply() takes", i);
        }
    }
    return ILP_OK;
}
