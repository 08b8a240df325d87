/* Native functions as inspectors: which values they may get; native_call.h has the call. */
#ifndef ILPI_NATIVE_H
#define ILPI_NATIVE_H

#include "inspect/native/native_call.h"

/* Which types may hold object references, for native functions that must not get any. */
#define ILPI_REMEMBERED_REFERENCES 509u
struct ilpi_remembered_references {
    const uint8_t *type; /* NULL: free */
    enum ilp_tristate holds;
    ilp_token unresolved; /* ILP_UNKNOWN: the type whose definition was not found; 0: none */
};

/* Prepares a binding for a native function: finds the method that an earlier patch added, and
 * checks whether the function can be called from the module. */
ilp_status ilpi_native_open(struct ilpi_module_context *module,
                            struct ilpi_inspector_binding *binding, struct ilp_error *error);

/* As ilpi_overload_choose(). It needs no box, so it takes any value, except, for some functions,
 * one that holds references. */
ilp_status ilpi_native_choose(struct ilpi_method_job *job, struct ilp_error *error);

#endif
