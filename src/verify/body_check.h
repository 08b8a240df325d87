/* Checks new bodies of methods, one at a time, against the body that the method has: what is wrong
 * with the new one, and not with the old. For methods that are rewritten in a running process.
 * Facts about types and members are kept for the next method. */
#ifndef ILPI_BODY_CHECK_H
#define ILPI_BODY_CHECK_H

#include "il/insertion.h"
#include "metadata/overlay.h"

struct ilpi_body_check;

/* For an image and the rows that are added to it: the overlay is borrowed. `resolver` may be
 * NULL. */
ilp_status ilpi_body_check_open(struct ilpi_body_check **out, struct ilpi_overlay *overlay,
                                const struct ilp_resolver *resolver, struct ilp_error *error);
void ilpi_body_check_close(struct ilpi_body_check *check);

/* A method's body before and after a change. */
struct ilpi_body_pair {
    ilp_token method;
    struct ilp_bytes old;
    struct ilp_bytes new;
    bool surely; /* accept no finding and nothing unknown, whatever the old body has */
    /* the insertions into the old body, which allow a check in a fifth of the time; NULL: unknown.
     * They are not trusted */
    const struct ilpi_insertion *insertions;
    size_t insertion_count;
};

/* *is_right: the new body may replace the old one; if not, `finding` is the first reason.
 * Unverifiable code is accepted, since rules can request it, and so is a type that is not found,
 * which is no evidence against the body. */
ilp_status ilpi_body_check(struct ilpi_body_check *check, const struct ilpi_body_pair *pair,
                           bool *is_right, struct ilp_verify_finding *finding,
                           struct ilp_error *error);

/* How many bodies needed a full verification. */
uint64_t ilpi_body_check_whole(const struct ilpi_body_check *check);

#endif
