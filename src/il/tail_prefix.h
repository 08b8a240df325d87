/* The `tail.` prefix of a call (III.2.4). */
#ifndef ILPI_TAIL_PREFIX_H
#define ILPI_TAIL_PREFIX_H

#include "il/code.h"

/* Whether instruction `i` carries a `tail.` prefix, alone or with others (III.2.4). */
bool ilpi_is_tail_call(const struct ilpi_code *code, uint32_t i);

/* Takes `tail.` away from the call `call`, in `bytes`, which are the code's: nops in front of what
 * prefixes are left, for nothing may stand between those and the call. They are one instruction of
 * two bytes to everybody else, so that each old instruction still has one to be found at. */
void ilpi_strip_tail(struct ilpi_code *code, uint8_t *bytes, uint32_t call);

#endif
