/* Text for and from the runtime: UTF-16. */
#ifndef ILPI_WIDE_H
#define ILPI_WIDE_H

#include "profiler/clr/corprof.h"

/* UTF-8 as UTF-16; bytes that are not UTF-8 become U+FFFD. *count (may be NULL) gets the number of
 * units, without the added NUL. Freed by the caller; NULL: no memory. */
WCHAR *wide_of(struct ilp_bytes utf8, ULONG *count);

/* The inverse, NUL-terminated. */
char *narrow_of(const WCHAR *text);

/* The same for `units` units at any address, into `size` bytes: a longer text is truncated after a
 * character. */
void narrow_into(char *to, size_t size, const uint8_t *utf16, size_t units);

#endif
