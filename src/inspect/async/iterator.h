/* Iterators: the field that holds the value, and how MoveNext reports that there is one. */
#ifndef ILPI_ITERATOR_H
#define ILPI_ITERATOR_H

#include "il/code.h"
#include "inspect/async/state_machine.h"

struct ilpi_iterator {
    /* why the form of the state machine is unknown; NULL: it is known. Static storage */
    const char *unknown;
    ilp_token current;     /* the field that holds the value, by the token in the state machine's
                              code */
    struct ilp_bytes type; /* its type; borrowed from the image */
    /* of an async iterator: the field that receives whether there is a value, or the exception */
    ilp_rid promise;
};

/* Reads a state machine and its MoveNext. */
ilp_status ilpi_iterator_find(const struct ilpi_machine_type *machine, ilp_rid move_next,
                              bool async, struct ilpi_iterator *iterator, struct ilp_error *error);

/* Whether instruction `i` of an async iterator's MoveNext calls the promise's SetResult(bool). */
ilp_status ilpi_iterator_reports(const struct ilpi_machine_type *machine,
                                 const struct ilpi_code *code, uint32_t i,
                                 const struct ilpi_iterator *iterator, bool *reports,
                                 struct ilp_error *error);

#endif
