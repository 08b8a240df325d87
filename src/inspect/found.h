/* What is found in an image as a whole when a method first needs it. Rewriters of one image in
 * several threads can share it: the first that needs something finds it, the others wait. */
#ifndef ILPI_FOUND_H
#define ILPI_FOUND_H

#include "base/budget.h"
#include "base/thread.h"
#include "inspect/async/state_machine.h"
#include "inspect/tail/graph.h"

/* What is found out about a module once, for all its rewriters: threads have one each, and share
 * this. */
struct ilpi_found {
    struct ilp_image *image; /* borrowed */
    struct ilpi_mutex mutex; /* guards all members below */
    struct ilpi_alloc alloc;
    struct ilp_arena arena;
    struct ilpi_budget budget; /* its own, so that results do not depend on earlier methods */
    struct ilpi_state_machines machines;
    struct ilpi_tail_graph tails; /* image NULL until then */
};

/* `found` must not move. After a failure there is nothing to close. */
ilp_status ilpi_found_open(struct ilpi_found *found, struct ilp_image *image,
                           const struct ilp_allocator *allocator, struct ilp_error *error);
void ilpi_found_close(struct ilpi_found *found);

/* Valid until ilpi_found_close(). NULL after a failure; the next call searches again. */
ilp_status ilpi_found_state_machines(struct ilpi_found *found,
                                     const struct ilpi_state_machines **machines,
                                     struct ilp_error *error);
ilp_status ilpi_found_tails(struct ilpi_found *found, const struct ilpi_tail_graph **tails,
                            struct ilp_error *error);

#endif
