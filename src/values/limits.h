/* How much of a value is shown: limits.def. */
#ifndef ILPI_VALUES_LIMITS_H
#define ILPI_VALUES_LIMITS_H

#include <stdint.h>

struct value_limits {
#define LIMIT(NAME, member, least, usual, most) uint32_t member;
#include "values/limits.def"
};

/* The defaults, and the maximum of each. */
enum {
#define LIMIT(NAME, member, least, usual, most) VALUE_##NAME = (usual), VALUE_MOST_##NAME = (most),
#include "values/limits.def"
};

static const struct value_limits value_limits_usual = {
#define LIMIT(NAME, member, least, usual, most) .member = (usual),
#include "values/limits.def"
};

#endif
