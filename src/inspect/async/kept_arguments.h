/* The fields of the state machine in which MoveNext finds the arguments of an async method or
 * iterator. */
#ifndef ILPI_KEPT_ARGUMENTS_H
#define ILPI_KEPT_ARGUMENTS_H

#include "il/stack.h"
#include "inspect/async/state_machine.h"

struct ilpi_kept_arguments {
    /* The field that holds an argument until the method ends, by the number of ldarg in the kickoff
     * method; 0: none does. In the arena; NULL: the kickoff method or MoveNext does not have a
     * compiler's form. */
    const ilp_rid *fields;
    uint32_t count;
};

/* `code` and `stack` are MoveNext's, and `calls` gives the stack effect of calls. */
ilp_status ilpi_kept_arguments_find(const struct ilpi_machine_type *machine,
                                    enum ilpi_state_machine_kind kind, ilp_rid kickoff,
                                    ilp_rid move_next, const struct ilpi_code *code,
                                    const struct ilpi_stack *stack, const struct ilpi_calls *calls,
                                    struct ilpi_kept_arguments *kept, struct ilp_error *error);

#endif
