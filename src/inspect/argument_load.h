/* Loads an argument: a parameter of the method, or the state machine's field that holds a parameter
 * of its kickoff method. */
#ifndef ILPI_ARGUMENT_LOAD_H
#define ILPI_ARGUMENT_LOAD_H

#include "inspect/method_job.h"
#include "inspect/put.h"

/* Bytes at most: ldarg.0, and ldfld or ldflda with its token. */
#define ILPI_MAX_LOAD 6u

/* Pushes the value. In MoveNext `this` is the state machine, an object or a managed pointer: ldfld
 * takes both (III.4.10). */
static inline uint8_t *ilpi_put_argument_value(uint8_t *to, const struct ilpi_argument *argument)
{
    if (argument->field == 0) {
        return ilpi_put_argument(to, argument->number);
    }
    to = ilpi_put(to, ILPI_OP_LDARG_0);
    return ilpi_put_token(to, ILPI_OP_LDFLD, argument->field);
}

/* Pushes a managed pointer to the value. */
static inline uint8_t *ilpi_put_argument_reference(uint8_t *to,
                                                   const struct ilpi_argument *argument)
{
    if (argument->field == 0) {
        return ilpi_put_argument_address(to, argument->number);
    }
    to = ilpi_put(to, ILPI_OP_LDARG_0);
    return ilpi_put_token(to, ILPI_OP_LDFLDA, argument->field);
}

#endif
