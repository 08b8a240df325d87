/* Removes the `tail.` prefix of a call. See tail_prefix.h.
 *
 *   before   constrained.  tail.  callvirt         prefixes in any order
 *   after    nop nop  constrained.  callvirt       the same length, so no offset after it moves
 *
 * The nops come first, because a prefix must directly precede its instruction or another prefix
 * (III.2). */
#include "il/tail_prefix.h"

#include <string.h>

bool ilpi_is_tail_call(const struct ilpi_code *code, uint32_t i)
{
    while (i != 0 && (code->insns[i].marks & ILPI_INSN_AFTER_PREFIX) != 0) {
        if (code->insns[--i].op == ILPI_OP_TAIL) {
            return true;
        }
    }
    return false;
}

/* Labels of the call are those of the first prefix (no target is between them), and now of the
 * first nop. */
void ilpi_strip_tail(struct ilpi_code *code, uint8_t *bytes, uint32_t call)
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
    for (uint32_t i = first; i <= front; i++) { /* labels of the call are labels of `first` */
        insns[i].marks &= (uint8_t)~ILPI_INSN_AFTER_PREFIX;
    }
}
