/* Finds Mono's functions by name, in the program and the libraries it is linked with. See
 * functions.h. */
#include "profiler/mono/functions.h"

#include "base/library.h"

static const struct ilpi_library_function names[] = {
#define MONO(result, name, parameters) {"mono_" #name, NULL},
#include "profiler/mono/functions.def"
};

/* Without a name: in the program and the libraries it is linked with. */
bool mono_functions_find(struct mono_functions *functions)
{
    return ilpi_library_load(NULL, names, sizeof names / sizeof *names, functions,
                             sizeof *functions) == ILP_OK;
}
