/* Names from metadata, printed for people: they may be any bytes, and must not steer a terminal.
 */
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

/* Prints text as UTF-8, with control characters, those that turn text around, and what is no UTF-8
 * as \x1B. `lines` lets line feeds through. */
void text_out(FILE *out, const char *text, bool lines);
void text_out_bytes(FILE *out, struct ilp_bytes text, bool lines);

/* What is written goes to the file, whose ferror() holds a failure, too. */
struct ilp_sink text_out_sink(FILE *out);

#endif
