/* Prints names from metadata: they may contain any bytes, and must not control a terminal. */
#ifndef TEXT_OUT_H
#define TEXT_OUT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ilpatch.h"

static inline struct ilp_bytes bytes_of(const char *text)
{
    return (struct ilp_bytes){(const uint8_t *)text, strlen(text)};
}

/* Prints text as UTF-8, with control characters, bidirectional controls, and bytes that are not
 * UTF-8 as \x1B. `lines`: line feeds are printed as they are. */
void text_out(FILE *out, const char *text, bool lines);
void text_out_bytes(FILE *out, struct ilp_bytes text, bool lines);

/* Writes go to the file, whose ferror() also reports failures. */
struct ilp_sink text_out_sink(FILE *out);

#endif
