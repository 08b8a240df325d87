/* The type arguments of a generic method's instantiation, as far as the runtime reports them. */
#ifndef ILPI_HOOKS_INSTANCE_H
#define ILPI_HOOKS_INSTANCE_H

#include "profiler/profiler.h"

#define INSTANCE_LIMIT 16u /* limit of type parameters; further ones are unknown */

struct hooks_instance {
    ClassID of_class[INSTANCE_LIMIT];
    ClassID of_method[INSTANCE_LIMIT];
    ULONG class_count;
    ULONG method_count;
};

void hooks_instance_of(struct profiler *profiler, FunctionID function,
                       struct hooks_instance *instance);

/* The type for `type` of a signature in *image: unchanged if it is not a type parameter, or an
 * unknown one. Else it is made in `room`, and *image is the one of its token. */
const struct ilp_type *hooks_instance_type(struct profiler *profiler,
                                           const struct hooks_instance *instance,
                                           const struct ilp_type *type, struct ilp_type *room,
                                           struct ilp_image **image);

#endif
