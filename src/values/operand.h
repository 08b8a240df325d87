/* What a call ended with, as conditions read it: members by the value's own type, numbers and texts
 * from its bytes. Nothing is allocated, and only struct object_types is called. */
#ifndef ILPI_OPERAND_H
#define ILPI_OPERAND_H

#include "condition/condition.h"
#include "values/shape.h"

/* For ilpi_condition_test() and ilpi_condition_test_argument(), which get `source`. Of a call that
 * returns there is no exception, and of arguments what source.arguments says. */
struct operand_call {
    struct ilpi_condition_source source;
    const struct object_types *types;
    struct ilpi_condition_value argument; /* if there is one: */
    bool has_argument;
    struct ilpi_condition_value exception; /* the same */
    bool has_exception;
    bool has_ended;
    uint64_t elapsed; /* ns, if it is known: */
    bool has_elapsed;
};

/* One that ends. When the value has not the size of its shape, it cannot be read. Borrows what
 * `value` leads to; it may be zero if the call ended with none. */
struct operand_call operand_call(enum call_end end, const struct shaped_value *value);

/* One that begins, of which this argument alone is there: it is each argument, and `this`. NULL: it
 * cannot be read. */
struct operand_call operand_argument(const struct shaped_value *value);

/* One that begins, of which outcomes alone are there. */
struct operand_call operand_entry(const struct ilpi_condition_result *arguments);

/* Whether it is an integer, a char or an enum, and then its bits, widened to 64 by its sign: what
 * ilpi_condition_interval_meets() takes. */
bool operand_integer(const struct shaped_value *value, bool *is_signed, uint64_t *bits);

/* Whether all values of a shape are, and what they are read as: read_signed() or
 * read_unsigned(). */
bool operand_is_integer(const struct shape *shape, bool *is_signed);

#endif
