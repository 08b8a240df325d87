/* Leaves, values that hold no others, as text, written at once if there is room for all of it.
 * Everything else is written by write.c: cut, hidden or escaped values, JSON, and other kinds. Both
 * give the same text. */
#ifndef ILPI_VALUES_LEAF_H
#define ILPI_VALUES_LEAF_H

#include "values/shape.h"

enum { LEAF_ROOM = 64 }; /* less than this is not enough */

/* Writes the value, whose name is not secret, to `to`: up to `room` one-byte characters, any of
 * which may be overwritten. Returns the number written; 0: it is left to write.c. */
size_t leaf_put(char *to, size_t room, const struct shape *shape, const uint8_t *value,
                const struct shaped_value *shaped, uint32_t longest);

#endif
