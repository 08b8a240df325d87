/* The literal characters that every text matched by a pattern must contain. */
#ifndef ILPI_PATTERN_LITERAL_H
#define ILPI_PATTERN_LITERAL_H

#include "base/pattern.h"

/* Receives the literals byte by byte. ILPI_LITERAL_GAP: a matched text may have any bytes between
 * those before and those after it. */
#define ILPI_LITERAL_GAP (-1)
typedef void (*ilpi_literal_fn)(void *user, int byte);

/* Passes the literals of a pattern, from left to right. A regular expression must be valid. False:
 * its syntax is not fully known here; ignore what was passed. */
bool ilpi_pattern_literals(const struct ilpi_pattern *pattern, ilpi_literal_fn put, void *user);

#endif
