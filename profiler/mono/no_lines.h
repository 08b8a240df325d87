/* Symbols in Mono's own format (.mdb) that say nothing. */
#ifndef ILPI_MONO_NO_LINES_H
#define ILPI_MONO_NO_LINES_H

#include "base/buf.h"

/* For an image with this MVID. Mono looks for no others then: those in the file are of the image
 * before it was patched, and Mono would print that they do not match. */
void no_lines_write(struct ilpi_buf *out, const uint8_t mvid[16]);

#endif
