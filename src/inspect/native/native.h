/* Native functions as inspectors: what they may be given; native_call.h has the call. */
#ifndef ILPI_NATIVE_H
#define ILPI_NATIVE_H

#include "inspect/native/native_call.h"

/* Which types may hold object references, for native functions that must not see any. */
#define ILPI_REMEMBERED_REFERENCES 509u
struct ilpi_remembered_references {
    const uint8_t *type; /* NULL: free */
    enum ilp_truth holds;
    ilp_token unresolved; /* ILP_UNKNOWN: for want of this one's definition; 0: none is missing */
};

/* Makes a binding ready for a native function: what was added to the module before is found;
 * whether the function can be called from there is found out. */
ilp_status ilpi_native_open(struct ilpi_module_context *module,
                            struct ilpi_inspector_binding *binding, struct ilp_error *error);

/* As ilpi_overload_choose(). Needs no box, so that it takes any value, but perhaps none that holds
 * references. */
ilp_status ilpi_native_choose(struct ilpi_method_job *job, struct ilp_error *error);

#endif
