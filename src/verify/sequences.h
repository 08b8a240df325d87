/* Verifies inserted sequences (same_code.h), once for each different one, recognised by its key
 * (sequence_key.h).
 *
 * A verdict about a sequence before a ret holds for bodies without findings: it assumes a value of
 * the returned type. */
#ifndef ILPI_SEQUENCES_H
#define ILPI_SEQUENCES_H

#include "base/map.h"
#include "verify/sequence_key.h"

/* Zero-initialise, set alloc; ilpi_sequences_free() at the end. */
struct ilpi_sequences {
    struct ilpi_alloc *alloc;
    struct ilp_arena keys; /* of `known`; kept until ilpi_sequences_free() */
    struct ilpi_map map;   /* from hashes of keys to 1 + indexes */
    ILPI_LIST(struct ilpi_known_sequence) known;
    /* of the current sequence: */
    struct ilpi_buf key;
    struct ilpi_buf code;
    struct ilpi_buf body;
    ILPI_LIST(struct ilp_eh_clause) clauses;
};

/* A sequence that was verified without a finding. */
struct ilpi_known_sequence {
    struct ilp_bytes key; /* in `keys` */
    uint16_t max_stack;   /* that it was judged right with */
};

/* Verifies a body that consists of a sequence and an end; `at_ret`: it begins with the stack of a
 * ret, else with an empty one. */
struct ilpi_part_verifier {
    void *user;
    bool (*is_right)(void *user, ilp_token method, struct ilp_bytes body, bool at_ret);
};

/* Whether all sequences are right in their places, as well as MaxStack and the locals. Also false
 * for what is not supported: for example sequences before anything but the first instruction or a
 * ret. */
bool ilpi_sequences_are_right(struct ilpi_sequences *sequences,
                              const struct ilpi_changed_body *changed,
                              const struct ilpi_part_verifier *verifier);
void ilpi_sequences_free(struct ilpi_sequences *sequences);

#endif
