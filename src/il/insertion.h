/* Instructions to be put in front of others; patch.h puts them there. */
#ifndef ILPI_INSERTION_H
#define ILPI_INSERTION_H

#include "il/code.h"

/* One insertion in front of an instruction. Labels that led to the instruction (branches, switch
 * arms, EH boundaries) lead to bytes[entry] afterwards: 0 is the first inserted instruction, and
 * bytes.size the old instruction itself. What falls through to the instruction runs through all of
 * the bytes. The bytes hold whole instructions, with `entry` at the start of one, do not end in a
 * prefix, and branch only among themselves and to the old instruction. No prefix
 * stands before `insn`. */
struct ilpi_insertion {
    uint32_t insn; /* index; rising from one insertion to the next, no two the same */
    uint32_t entry;
    struct ilp_bytes bytes; /* borrowed during the call */
};

/* ILP_E_MISUSE for insertions other than described, ILP_E_TOO_LARGE if they make the code too
 * large. */
ilp_status ilpi_insertions_check(const struct ilpi_code *code,
                                 const struct ilpi_insertion *insertions, size_t count,
                                 struct ilp_error *error);

/* ILP_E_TOO_LARGE: code with insertions would pass ILPI_MAX_CODE. */
ilp_status ilpi_fail_large_code(const struct ilpi_code *code, struct ilp_error *error);

#endif
