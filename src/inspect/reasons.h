/* How many reasons there are in this version. ILP_REASON_ROOM is how many there may be in a later
 * one, for users of the library. */
#ifndef ILPI_REASONS_H
#define ILPI_REASONS_H

#include <ilpatch.h>

enum {
#define ILP_REASON(name, number, kind, code, text) ILPI_REASON_POSITION_##name,
#include "ilpatch/reasons.def"
    ILPI_REASON_POSITIONS
};
#define ILPI_REASON_COUNT ((enum ilp_reason)ILPI_REASON_POSITIONS)

#endif
