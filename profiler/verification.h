/* New bodies of methods, verified before the runtime gets them (src/verify/body_check.h). A static
 * constructor that fails has failed for ever: of those nothing may be wrong or unknown.
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
    struct module *module;         /* borrowed */
};

/* From now on tokens of the module's emitter have rows here; of the image nothing may be added
 * before. NULL: no memory. */
struct verification *verification_open(struct module *module, const struct ilp_image *image);

/* NULL is allowed. */
void verification_close(struct verification *verification);

/* Takes back the new body of a method, which `rewriter` has just made, with the reason, if it has a
 * finding that the old one has not; that of a static constructor if anything is wrong or
 * unknown. */
ilp_status verification_pass(struct verification *verification, ilp_token method,
                             struct ilp_bytes old, const struct ilp_rewriter *rewriter,
                             struct ilp_method_result *result, struct ilp_error *error);

#endif
