/* The literal characters of a pattern that every text which it matches has to hold. */
#ifndef ILPI_PATTERN_LITERAL_H
#define ILPI_PATTERN_LITERAL_H

#include "base/pattern.h"

/* Takes the literals byte by byte; ILPI_LITERAL_GAP: in a text anything may be between the bytes
 * before and those after it. */
#define ILPI_LITERAL_GAP (-1)
typedef void (*ilpi_literal_fn)(void *user, int byte);

/* Passes the literals of a pattern, from left to right. The regular expression has to be valid.
 * False: it is not understood well enough, and what has been passed means nothing. */
bool ilpi_pattern_literals(const struct ilpi_pattern *pattern, ilpi_literal_fn put, void *user);

#endif
