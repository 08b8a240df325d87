/* The arguments of an async method or iterator as its MoveNext finds them: in fields of the state
 * machine. */
#ifndef ILPI_KEPT_ARGUMENTS_H
#define ILPI_KEPT_ARGUMENTS_H

#include "il/stack.h"
#include "inspect/async/state_machine.h"

struct ilpi_kept_arguments {
    /* The field that holds what was passed until the method ends, by the number that ldarg has in
     * the kickoff method; 0: none does. In the arena; NULL: the kickoff method or MoveNext is not
     * as compilers make them. */
    const ilp_rid *fields;
    uint32_t count;
};

/* `code` and `stack` are MoveNext's, and `calls` what calls do to the stack. */
ilp_status ilpi_kept_arguments_find(const struct ilpi_machine_type *machine,
                                    enum ilpi_state_machine_kind kind, ilp_rid kickoff,
                                    ilp_rid move_next, const struct ilpi_code *code,
                                    const struct ilpi_stack *stack, const struct ilpi_calls *calls,
                                    struct ilpi_kept_arguments *kept, struct ilp_error *error);

#endif
