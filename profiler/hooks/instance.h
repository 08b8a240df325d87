/* What the type parameters of a generic method stand for in one of its instantiations, as far as
 * the runtime tells. */
#ifndef ILPI_HOOKS_INSTANCE_H
#define ILPI_HOOKS_INSTANCE_H

#include "profiler/profiler.h"

#define INSTANCE_LIMIT 16u /* type parameters; more are not known */

struct hooks_instance {
    ClassID of_class[INSTANCE_LIMIT];
    ClassID of_method[INSTANCE_LIMIT];
    ULONG class_count;
    ULONG method_count;
};

void hooks_instance_of(struct profiler *profiler, FunctionID function,
                       struct hooks_instance *instance);

/* The type to be taken for `type`, which stands in a signature of *image: what is no type parameter
 * is what it is, and so is one that nothing is known of. Else it is made in `room`, and *image is
 * the one that its token is of. */
const struct ilp_type *hooks_instance_type(struct profiler *profiler,
                                           const struct hooks_instance *instance,
                                           const struct ilp_type *type, struct ilp_type *room,
                                           struct ilp_image **image);

#endif
