/* A returned value as conditions read it: members by the value's own type, numbers and texts from
 * its bytes. Nothing is allocated, and only struct object_types is called. */
#ifndef ILPI_OPERAND_H
#define ILPI_OPERAND_H

#include "condition/condition.h"
#include "values/shape.h"

/* For ilpi_condition_test(), which gets `source`. */
struct operand_call {
    struct ilpi_condition_source source;
    const struct object_types *types;
};

/* When the value has not the size of its shape, it cannot be read. Borrows what `value` leads to.
 * There are no arguments and no exception. */
struct operand_call operand_call(const struct shaped_value *value);

/* Whether it is an integer, a char or an enum, and then its bits, widened to 64 by its sign: what
 * ilpi_condition_interval_meets() takes. */
bool operand_integer(const struct shaped_value *value, bool *is_signed, uint64_t *bits);

#endif
