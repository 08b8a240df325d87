/* New bodies of methods, verified before the runtime gets them (src/verify/body_check.h):
 * in a process that was running already all of them; in one that is started, where verifying takes
 * as long as rewriting does (docs/PROFILER.md), those of static constructors, which have failed for
 * ever when they fail.
 *
 * Everything here is under the profiler's lock. */
#ifndef ILPI_VERIFICATION_H
#define ILPI_VERIFICATION_H

#include "verify/body_check.h"

struct module;

/* What there is for each image that methods of a module are inspected with: it, and the rows that
 * its emitter adds. */
struct verification {
    struct ilpi_overlay overlay;
    struct ilp_resolver resolver;  /* inspectors, then as the module's */
    struct ilpi_body_check *check; /* NULL: none was needed yet */
    bool of_all;                   /* not of static constructors alone */
    struct module *module;         /* borrowed */
};

/* From now on tokens of the module's emitter have rows here; of the image nothing may be added
 * before. NULL: no memory. */
struct verification *verification_open(struct module *module, const struct ilp_image *image,
                                       bool of_all);

/* NULL is allowed. */
void verification_close(struct verification *verification);

/* Takes back the new body of a method, with the reason, if it has a finding that the old one has
 * not; that of a static constructor if anything is wrong or unknown. */
ilp_status verification_pass(struct verification *verification, ilp_token method,
                             struct ilp_bytes old, struct ilp_method_result *result,
                             struct ilp_error *error);

#endif
