/* Instructions to insert before others; patch.h inserts them. */
#ifndef ILPI_INSERTION_H
#define ILPI_INSERTION_H

#include "il/code.h"

/* One insertion before an instruction. Labels of the instruction (branches, switch arms, EH
 * boundaries) become labels of bytes[entry]: 0 is the first inserted instruction, bytes.size the
 * old instruction itself. Control that falls through to the instruction runs all of the bytes. The
 * bytes are whole instructions, with `entry` at the start of one, do not end in a prefix, and
 * branch only among themselves and to the old instruction. `insn` has no prefix. */
struct ilpi_insertion {
    uint32_t insn; /* index; rising, no two the same */
    uint32_t entry;
    struct ilp_bytes bytes; /* borrowed during the call */
};

/* ILP_E_MISUSE for insertions that break these rules, ILP_E_TOO_LARGE if they make the code too
 * large. */
ilp_status ilpi_insertions_check(const struct ilpi_code *code,
                                 const struct ilpi_insertion *insertions, size_t count,
                                 struct ilp_error *error);

/* ILP_E_TOO_LARGE: code with insertions would exceed ILPI_MAX_CODE. */
ilp_status ilpi_fail_large_code(const struct ilpi_code *code, struct ilp_error *error);

#endif
