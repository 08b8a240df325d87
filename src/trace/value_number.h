/* Numbers in the text of a value, in the notations of data/inspector/README.md. */
#ifndef ILPI_VALUE_NUMBER_H
#define ILPI_VALUE_NUMBER_H

#include "base/bytes.h"

enum ilpi_notation {
    NOTATION_NONE,
    NOTATION_DECIMAL, /* -5, 1.10, 1E+17 */
    NOTATION_HEX,     /* 0x1f: IntPtr, UIntPtr */
    NOTATION_CLOCK    /* -1.02:03:04.0050000: TimeSpan, TimeOnly; in seconds */
};

/* Larger numbers are not numbers here, so that no sum is infinite. */
#define ILPI_MOST_NUMBER 1e280

/* The notation of the whole text; *number is set unless it has none. The nearest double: exact for
 * integers up to 2^53. */
enum ilpi_notation ilpi_read_value_number(struct ilp_bytes text, double *number);

#endif
