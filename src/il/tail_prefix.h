/* The `tail.` prefix of a call (III.2.4). */
#ifndef ILPI_TAIL_PREFIX_H
#define ILPI_TAIL_PREFIX_H

#include "il/code.h"

/* Whether instruction `i` carries a `tail.` prefix, alone or with others (III.2.4). */
bool ilpi_is_tail_call(const struct ilpi_code *code, uint32_t i);

/* Removes `tail.` from the call `call` in `bytes`, which are the code's. Nops precede the prefixes
 * that remain, since a prefix must be followed by its instruction. Other code sees one two-byte
 * instruction, so that each old instruction still has an offset. */
void ilpi_strip_tail(struct ilpi_code *code, uint8_t *bytes, uint32_t call);

#endif
