/* The fields of a state machine that hold arguments. */
#ifndef ILPI_ARGUMENT_FIELDS_H
#define ILPI_ARGUMENT_FIELDS_H

#include "inspect/async/state_machine.h"

/* Which field of a state machine holds which argument; both directions. */
struct ilpi_argument_fields {
    const struct ilpi_machine_type *machine;
    ilp_rid first;        /* of the state machine, which has */
    uint32_t field_count; /* so many */
    uint32_t *holds;      /* per field: the argument's number + 1; 0: none */
    ilp_rid *fields;      /* per argument; 0: unknown */
    uint32_t count;
};

/* The field of a token, as an index of `holds`; field_count: it is not one of the state machine. */
ilp_status ilpi_argument_field(const struct ilpi_argument_fields *fields, ilp_token token,
                               uint32_t *index, struct ilp_error *error);

/* An iterator's kickoff method has stored arguments in the IEnumerable. Finds the fields in which
 * the enumerator, which may be another object, has them when its MoveNext begins. */
ilp_status ilpi_argument_fields_follow(struct ilpi_argument_fields *fields, ilp_rid move_next,
                                       struct ilp_error *error);

#endif
