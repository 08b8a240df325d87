/* Text as the runtime takes and gives it: UTF-16. */
#ifndef ILPI_WIDE_H
#define ILPI_WIDE_H

#include "profiler/clr/corprof.h"

/* UTF-8 as UTF-16; bytes that are not UTF-8 become U+FFFD. *count (may be NULL) counts units, the
 * NUL that is added behind them not included. Freed by the caller; NULL: no memory. */
WCHAR *wide_of(struct ilp_bytes utf8, ULONG *count);

/* The other way, NUL-terminated. */
char *narrow_of(const WCHAR *text);

/* The same for `units` units that may lie anywhere in memory, into `size` bytes: text that is too
 * long is cut behind a character. */
void narrow_into(char *to, size_t size, const uint8_t *utf16, size_t units);

#endif
