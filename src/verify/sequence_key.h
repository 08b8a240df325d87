/* What the verdict about an inserted sequence depends on, as bytes: its instructions, what they
 * find on the stack, and the locals, clauses, arguments and type parameters that they use. Numbers
 * and texts that are passed are no part of it. */
#ifndef ILPI_SEQUENCE_KEY_H
#define ILPI_SEQUENCE_KEY_H

#include "base/buf.h"
#include "metadata/image.h"
#include "verify/same_code.h"

/* A new body, of which `same` is proved. */
struct ilpi_changed_body {
    const struct ilp_image *image;
    ilp_token method;
    const struct ilp_body *old;
    const struct ilp_body *new;
    const struct ilpi_same_code *same;
};

/* What all sequences of a method have in common. */
struct ilpi_surroundings {
    const struct ilpi_changed_body *changed;
    struct ilp_bytes signature;
    struct ilp_bytes returned;     /* the type, in it */
    struct ilp_bytes added_locals; /* their types */
    uint32_t old_locals;           /* how many; both 0 where none was added */
    uint32_t new_locals;
    bool is_open; /* returned type or new locals may have type parameters in them */
};

/* Finds that for around->changed. False: the locals are not the old ones with others after them,
 * MaxStack may be too low for the old code, or it is not understood. */
bool ilpi_look_around(struct ilpi_surroundings *around);

struct ilpi_sequence {
    struct ilp_bytes code;
    bool at_ret; /* it begins with what ret finds on the stack, else with nothing */
    const struct ilp_eh_clause *clauses; /* in it, from its start */
    size_t clause_count;
};

/* Makes the key; false for what is not understood. */
bool ilpi_sequence_key(struct ilpi_buf *key, const struct ilpi_surroundings *around,
                       const struct ilpi_sequence *sequence);

#endif
