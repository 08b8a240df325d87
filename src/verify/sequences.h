/* What is inserted into methods (same_code.h), verified once for each different sequence, which is
 * known again by its key (sequence_key.h).
 *
 * That a sequence is right before a ret holds for bodies without findings: it takes the value for
 * one of the returned type. */
#ifndef ILPI_SEQUENCES_H
#define ILPI_SEQUENCES_H

#include "base/map.h"
#include "verify/sequence_key.h"

/* Zero-initialise, set alloc; ilpi_sequences_free() at the end. */
struct ilpi_sequences {
    struct ilpi_alloc *alloc;
    struct ilp_arena keys;
    struct ilpi_map map; /* from hashes of keys to 1 + indexes */
    ILPI_LIST(struct ilpi_known_sequence) known;
    /* of the sequence in work: */
    struct ilpi_buf key;
    struct ilpi_buf code;
    struct ilpi_buf body;
    ILPI_LIST(struct ilp_eh_clause) clauses;
};

struct ilpi_known_sequence {
    struct ilp_bytes key;
    uint16_t max_stack; /* with which it is right */
};

/* Verifies a body that is a sequence and an end; `at_ret`: it begins with what ret finds on the
 * stack, else with nothing. */
struct ilpi_part_verifier {
    void *user;
    bool (*is_right)(void *user, ilp_token method, struct ilp_bytes body, bool at_ret);
};

/* Whether all sequences are right where they are, and MaxStack and the locals, too. False as well
 * for what is not understood: sequences before anything else than the first instruction or a ret,
 * say. */
bool ilpi_sequences_are_right(struct ilpi_sequences *sequences,
                              const struct ilpi_changed_body *changed,
                              const struct ilpi_part_verifier *verifier);
void ilpi_sequences_free(struct ilpi_sequences *sequences);

#endif
