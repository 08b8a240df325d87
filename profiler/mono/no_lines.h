/* Symbols in Mono's own format (.mdb) without any content. */
#ifndef ILPI_MONO_NO_LINES_H
#define ILPI_MONO_NO_LINES_H

#include "base/buf.h"

/* For an image with this MVID. Mono then searches for no others: those in the file belong to the
 * unpatched image, and Mono would print a mismatch. */
void no_lines_write(struct ilpi_buf *out, const uint8_t mvid[16]);

#endif
