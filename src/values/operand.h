/* How a call ended, as conditions read it: members by the value's own type, numbers and texts from
 * its bytes. Nothing is allocated, and only struct object_types is called. */
#ifndef ILPI_OPERAND_H
#define ILPI_OPERAND_H

#include "condition/condition.h"
#include "values/shape.h"

/* For ilpi_condition_test() and ilpi_condition_test_argument(), which get `source`. A call that
 * returned has no exception, and of its arguments only the outcomes in source.arguments. */
struct operand_call {
    struct ilpi_condition_source source;
    const struct object_types *types;
    struct ilpi_condition_value argument; /* if it exists: */
    bool has_argument;
    struct ilpi_condition_value exception; /* the same */
    bool has_exception;
    bool has_ended;
    uint64_t elapsed; /* ns, if it is known: */
    bool has_elapsed;
};

/* A call that ended. A value whose size differs from its shape's cannot be read. Borrows what
 * `value` refers to; it may be zero if the call ended without one. */
struct operand_call operand_call(enum call_end end, const struct shaped_value *value);

/* A call that begins, with only this argument: it is used as each argument, and as `this`. NULL:
 * it cannot be read. */
struct operand_call operand_argument(const struct shaped_value *value);

/* A call that begins, with only outcomes. */
struct operand_call operand_entry(const struct ilpi_condition_result *arguments);

/* Whether it is an integer, a char or an enum, and then its bits, extended to 64 according to its
 * sign: for ilpi_condition_interval_meets(). */
bool operand_integer(const struct shaped_value *value, bool *is_signed, uint64_t *bits);

/* Whether all values of a shape are, and how they are read: read_signed() or read_unsigned(). */
bool operand_is_integer(const struct shape *shape, bool *is_signed);

#endif
