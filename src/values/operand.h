/* A returned value as conditions read it: members by the value's shape, numbers and texts from its
 * bytes. Nothing is allocated, and nobody is called. */
#ifndef ILPI_OPERAND_H
#define ILPI_OPERAND_H

#include "condition/condition.h"
#include "values/shape.h"

/* For ilpi_condition_test(): the value at `value`, which has `size` bytes. When that is not the
 * size of such a value, it cannot be read. Borrows both. It has no arguments and no exception. */
struct ilpi_condition_source operand_source(const struct shape *shape, const void *value,
                                            size_t size);

/* Whether it is an integer, a char or an enum, and then its bits, widened to 64 by its sign: what
 * ilpi_condition_interval_meets() takes. */
bool operand_integer(const struct shape *shape, const void *value, size_t size, bool *is_signed,
                     uint64_t *bits);

#endif
