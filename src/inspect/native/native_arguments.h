/* The arguments of a call, passed to a native function at entry. */
#ifndef ILPI_NATIVE_ARGUMENTS_H
#define ILPI_NATIVE_ARGUMENTS_H

#include "inspect/argument_load.h"

/* Maximum bytes of one argument: sizeof, ldc.i8, ldtoken, and ldc.i8, conv.i, calli. */
#define ILPI_MAX_NATIVE_ARGUMENT (ILPI_MAX_LOAD + 6u + 9u + 5u + 15u)

/* The argument or its address, its size, the id, the type, the function. */
#define ILPI_NATIVE_ARGUMENT_HEIGHT 5u

/* As ilpi_arguments_build(). */
ilp_status ilpi_native_arguments_build(struct ilpi_method_job *job, struct ilp_error *error);

#endif
