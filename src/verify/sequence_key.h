/* The inputs of the verdict about an inserted sequence, as bytes: its instructions, the stack
 * before them, and the locals, clauses, arguments and type parameters that they use. Passed numbers
 * and texts are not part of it. */
#ifndef ILPI_SEQUENCE_KEY_H
#define ILPI_SEQUENCE_KEY_H

#include "base/buf.h"
#include "metadata/image.h"
#include "verify/same_code.h"

/* A new body for which `same` is proved. */
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
    struct ilp_bytes returned;     /* the type in the signature */
    struct ilp_bytes added_locals; /* the types of added locals */
    uint32_t old_locals;           /* and the number of old ones; both 0 if none was added */
    uint32_t new_locals;
    bool is_open; /* the returned type or new locals may contain type parameters */
};

/* Fills that in for around->changed. False: the locals are not the old ones followed by others,
 * MaxStack may be too low for the old code, or something is not supported. */
bool ilpi_look_around(struct ilpi_surroundings *around);

/* Inserted code, cut out of the body that it was inserted into. */
struct ilpi_sequence {
    struct ilp_bytes code;
    bool at_ret; /* it begins with the stack of a ret, else with an empty one */
    const struct ilp_eh_clause *clauses; /* in it, relative to its start */
    size_t clause_count;
};

/* Makes the key; false if something is not supported. */
bool ilpi_sequence_key(struct ilpi_buf *key, const struct ilpi_surroundings *around,
                       const struct ilpi_sequence *sequence);

#endif
