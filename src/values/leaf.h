/* Leaves: values that hold no others, as text, put at once where there is room for all of it. What
 * is cut, hidden, escaped or in JSON is write.c's, and any other kind of value; both give the same
 * text. */
#ifndef ILPI_VALUES_LEAF_H
#define ILPI_VALUES_LEAF_H

#include "values/shape.h"

enum { LEAF_ROOM = 64 }; /* less than this is no room */

/* The value, whose name is no secret, at `to`, where `room` characters of a byte each may be
 * written, and any of them may be changed. Gives how many were; 0: it is not put here. */
size_t leaf_put(char *to, size_t room, const struct shape *shape, const uint8_t *value,
                const struct shaped_value *shaped, uint32_t longest);

#endif
