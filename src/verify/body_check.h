/* New bodies of methods, one at a time, each beside the body that the method has: what is wrong
 * with the new one, and not with the old. For methods that are rewritten in a running process. What
 * was found out about types and members stays for the next method. */
#ifndef ILPI_BODY_CHECK_H
#define ILPI_BODY_CHECK_H

#include "il/insertion.h"
#include "metadata/overlay.h"

struct ilpi_body_check;

/* Of an image and the rows that are added to it meanwhile: the overlay is borrowed. `resolver` may
 * be NULL. */
ilp_status ilpi_body_check_open(struct ilpi_body_check **out, struct ilpi_overlay *overlay,
                                const struct ilp_resolver *resolver, struct ilp_error *error);
void ilpi_body_check_close(struct ilpi_body_check *check);

struct ilpi_body_pair {
    ilp_token method;
    struct ilp_bytes old;
    struct ilp_bytes new;
    bool surely; /* nothing may be wrong or unknown, whatever the old one is */
    /* what was inserted into the old one, for a way that takes a fifth of the time; NULL: that is
     * not known. It is not believed */
    const struct ilpi_insertion *insertions;
    size_t insertion_count;
};

/* *is_right: the new body may take the old one's place; if not, `finding` is the first reason.
 * What is not verifiable is right, as rules can ask for it, and so is a type that is not found,
 * which says nothing against the body. */
ilp_status ilpi_body_check(struct ilpi_body_check *check, const struct ilpi_body_pair *pair,
                           bool *is_right, struct ilp_verify_finding *finding,
                           struct ilp_error *error);

/* How many bodies needed all of their code verified. */
uint64_t ilpi_body_check_whole(const struct ilpi_body_check *check);

#endif
