/* Finds the ret instructions of a method and says what happens to each:
 *
 *   reachable                        inspected: what to insert goes before it
 *   behind a call to the inspector   inspected already
 *   behind `tail. call`              stays: nothing may stand between (III.2.4). Where branches lead to it as
 *                                    well, they get a ret of their own behind it, which inspects. With
 *                                    tail-calls="strip" the prefix goes, and the ret is like any other
 *   unreachable                      stays: no stack depth is known there
 */
#include "inspect/graft.h"
#include "inspect/rewrite.h"

/* Whether instruction `i` carries a `tail.` prefix, alone or with others (III.2.4). */
static bool is_tail_call(const struct ilpi_code *code, uint32_t i)
{
    while (i != 0 && (code->insns[i].marks & ILPI_INSN_AFTER_PREFIX) != 0) {
        if (code->insns[--i].op == ILPI_OP_TAIL) {
            return true;
        }
    }
    return false;
}

/* Whether a method is MyInspector of an inspector in use that was embedded. */
static bool is_grafted_call(const struct ilp_rewriter *rewriter, ilp_rid method)
{
    for (size_t i = 0; i < rewriter->target_count; i++) {
        ilp_rid type = rewriter->targets[i].grafted;
        if (type != 0 && (method == ilpi_grafted_method(rewriter->image, type, false) ||
                          method == ilpi_grafted_method(rewriter->image, type, true))) {
            return true;
        }
    }
    return false;
}

static bool is_inspector_call(const struct ilp_rewriter *rewriter, uint32_t i)
{
    const struct ilpi_insn *insn = &rewriter->code.insns[i];
    if (insn->op != ILPI_OP_CALL) {
        return false;
    }
    ilp_token token = ilpi_insn_token(&rewriter->code, insn);
    ilp_rid rid = ILP_TOKEN_RID(token);
    if (ILP_TOKEN_TABLE(token) == ILP_MethodDef) {
        return is_grafted_call(rewriter, rid);
    }
    return rewriter->inspector_calls && ILP_TOKEN_TABLE(token) == ILP_MemberRef &&
           rid <= rewriter->image->tables[ILP_MemberRef].count &&
           (rewriter->inspector_calls[rid / 8] >> rid % 8 & 1) != 0;
}

static ilp_status add_site(struct ilp_rewriter *rewriter, uint32_t insn, bool keep_ret,
                           struct ilp_error *error)
{
    void *insertions = rewriter->insertions;
    ILPI_TRY(ilpi_grow(&rewriter->heap, &insertions, &rewriter->insertion_capacity,
                       rewriter->insertion_count + 1, sizeof *rewriter->insertions, error));
    rewriter->insertions = insertions;
    rewriter->insertions[rewriter->insertion_count++] =
        (struct ilpi_insertion){.insn = insn, .entry = keep_ret};
    return ILP_OK;
}

/* Takes `tail.` away from the call `call`: nops in front of what prefixes are left, for nothing may stand between
 * those and the call. They are one instruction of two bytes to everybody else, so that each old instruction still
 * has one to be found at. */
static void strip_tails(struct ilpi_code *code, uint8_t *bytes, uint32_t call)
{
    struct ilpi_insn *insns = code->insns;
    uint32_t first = call;
    while ((insns[first].marks & ILPI_INSN_AFTER_PREFIX) != 0) {
        first--;
    }
    uint32_t front = first;
    for (uint32_t i = first; i < call; i++) {
        if (insns[i].op != ILPI_OP_TAIL) {
            continue;
        }
        uint32_t offset = insns[front].offset;
        uint32_t size = insns[i].size;
        memmove(bytes + offset + size, bytes + offset, insns[i].offset - offset);
        memset(bytes + offset, (int)ilpi_opcodes[ILPI_OP_NOP].value, size);
        for (uint32_t j = i; j > front; j--) {
            insns[j].offset = insns[j - 1].offset + size;
            insns[j].size = insns[j - 1].size;
            insns[j].op = insns[j - 1].op;
        }
        insns[front].size = size;
        insns[front++].op = ILPI_OP_NOP;
    }
    for (uint32_t i = first; i <= front; i++) { /* what leads to the call leads to `first` */
        insns[i].marks &= (uint8_t)~ILPI_INSN_AFTER_PREFIX;
    }
}

/* The code's bytes, to be changed: a copy that is made at the first need. */
static ilp_status own_bytes(struct ilp_rewriter *rewriter, uint8_t **bytes, struct ilp_error *error)
{
    struct ilpi_code *code = &rewriter->code;
    if (!*bytes) {
        *bytes = ilpi_arena_copy(&rewriter->scratch, code->bytes.data, code->bytes.size);
        if (!*bytes) {
            return ilpi_fail_memory(error, code->bytes.size);
        }
        code->bytes.data = *bytes;
    }
    return ILP_OK;
}

ilp_status ilpi_sites_find(struct ilp_rewriter *rewriter, struct ilp_method_result *result,
                           struct ilp_error *error)
{
    struct ilpi_code *code = &rewriter->code;
    bool strip = rewriter->treatment.tail_calls == ILP_TAIL_CALLS_STRIP;
    uint8_t *bytes = NULL;
    rewriter->insertion_count = 0;
    for (size_t exit = 0; exit < code->exit_count; exit++) {
        uint32_t i = code->exits[exit];
        const struct ilpi_insn *insn = &code->insns[i];
        result->jumps += insn->op == ILPI_OP_JMP;
        if (insn->op != ILPI_OP_RET) {
            continue;
        }
        result->rets++;
        if ((insn->marks & ILPI_INSN_SEEN) == 0) {
            result->unreachable++;
        } else if ((insn->marks & ILPI_INSN_AFTER_PREFIX) != 0) {
            return ilpi_fail(error, ILP_E_BAD_BODY, code->origin + insn->offset, 0,
                             "IL_%04x: ret has a prefix (III.2)", insn->offset);
        } else if (i != 0 && is_inspector_call(rewriter, i - 1)) {
            result->already++;
        } else if (i != 0 && is_tail_call(code, i - 1) && strip) {
            ILPI_TRY(own_bytes(rewriter, &bytes, error));
            strip_tails(code, bytes, i - 1);
            result->stripped++;
            result->inspected++;
            ILPI_TRY(add_site(rewriter, i, false, error));
        } else if (i != 0 && is_tail_call(code, i - 1)) {
            result->tail_calls++;
            /* Where an EH block ends, code may not be put behind a kept ret: it would be in the block. */
            if ((insn->marks & (ILPI_INSN_TARGET | ILPI_INSN_BOUNDARY)) == ILPI_INSN_TARGET) {
                result->inspected++;
                ILPI_TRY(add_site(rewriter, i, true, error));
            }
        } else {
            result->inspected++;
            ILPI_TRY(add_site(rewriter, i, false, error));
        }
    }
    return ILP_OK;
}
