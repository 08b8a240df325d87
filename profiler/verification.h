/* Verifies new bodies before the runtime gets them (src/verify/body_check.h). A static constructor
 * that fails stays failed: for those no finding and nothing unknown is accepted.
 *
 * Everything here is under the profiler's lock. */
#ifndef ILPI_VERIFICATION_H
#define ILPI_VERIFICATION_H

#include "verify/body_check.h"

struct module;

/* One for each image with which methods of a module are inspected, including the rows that its
 * emitter adds. */
struct verification {
    struct ilpi_overlay overlay;
    struct ilp_resolver resolver;  /* inspectors first, then like the module's */
    struct ilpi_body_check *check; /* NULL: not needed yet */
    struct module *module;         /* borrowed */
};

/* From now on rows of the module's emitter are added here; nothing may have been added to the image
 * before. NULL: no memory. */
struct verification *verification_open(struct module *module, const struct ilp_image *image);

/* NULL is allowed. */
void verification_close(struct verification *verification);

/* Rejects the new body of a method, which `rewriter` has just made, with a reason, if it has a
 * finding that the old one does not; for a static constructor, if it has any finding or anything
 * unknown. */
ilp_status verification_pass(struct verification *verification, ilp_token method,
                             struct ilp_bytes old, const struct ilp_rewriter *rewriter,
                             struct ilp_method_result *result, struct ilp_error *error);

#endif
