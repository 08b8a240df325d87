/* Methods that compilers have turned into state machines: the kickoff method, which is called, and
 * the type whose MoveNext has its statements. */
#ifndef ILPI_STATE_MACHINE_H
#define ILPI_STATE_MACHINE_H

#include "base/alloc.h"
#include "base/budget.h"
#include "metadata/image.h"
#include "sig/sig.h"

enum ilpi_state_machine_kind {
    ILPI_STATE_MACHINE_NONE,
    ILPI_STATE_MACHINE_ASYNC, /* passes its result to a builder */
    /* IEnumerable, IEnumerator, generic or not: MoveNext returns whether there is a value */
    ILPI_STATE_MACHINE_ITERATOR,
    /* IAsyncEnumerable<T>, IAsyncEnumerator<T>: MoveNext reports to a promise */
    ILPI_STATE_MACHINE_ASYNC_ITERATOR
};

/* The type of a state machine, and what reading its methods needs. */
struct ilpi_machine_type {
    const struct ilp_image *image;
    ilp_rid rid; /* TypeDef */
    struct ilp_arena *arena;
    struct ilpi_budget *budget;
};

/* Which methods belong together, by MethodDef row; in an arena. All NULL until they are searched
 * for. */
struct ilpi_state_machines {
    /* of MoveNext, and of any other method of an iterator's state machine; 0: none */
    ilp_rid *kickoff_of;
    /* of a kickoff method; 0: the attribute names no type of this module that has one */
    ilp_rid *move_next_of;
    uint8_t *kind_of; /* of a kickoff method: enum ilpi_state_machine_kind */
};

/* Finds all of them, by AsyncStateMachineAttribute, IteratorStateMachineAttribute and
 * AsyncIteratorStateMachineAttribute, in any scope. */
ilp_status ilpi_state_machines_find(struct ilp_image *image, struct ilp_arena *arena,
                                    struct ilpi_budget *budget,
                                    struct ilpi_state_machines *machines, struct ilp_error *error);

/* Whether a method has this name, or implements an interface method of this name under its full
 * name. */
bool ilpi_is_called(const struct ilp_image *image, ilp_rid method, const char *name);

/* The field of a state machine that a token refers to; 0: it belongs to another type. Fields of a
 * generic type are MemberRefs. */
ilp_status ilpi_state_machine_field(const struct ilpi_machine_type *machine, ilp_token token,
                                    ilp_rid *field, struct ilp_error *error);

/* A field's type, in `scratch`; NULL when its signature is not valid. */
ilp_status ilpi_field_type(const struct ilp_image *image, ilp_rid field, struct ilp_arena *scratch,
                           const struct ilp_type **type, struct ilp_error *error);

#endif
