/* Detects failed compilations of new bodies: the runtime reports the start of each, but the end
 * only after success (.NET 8 to 10), and callers of the method get an exception at each call. A
 * compilation that starts again without having ended has failed: the runtime never lets two threads
 * compile a function for the first time.
 *
 * Everything here is under the profiler's lock. */
#ifndef ILPI_COMPILATIONS_H
#define ILPI_COMPILATIONS_H

#include "base/list.h"
#include "base/map.h"
#include "profiler/clr/corprof.h"

/* A function being compiled, and whether by ReJIT, which is a separate compilation. */
struct compilation {
    FunctionID function;
    bool rejit;
    bool has_ended;
};

/* Of a module. Zero-initialised it is empty. */
struct compilations {
    struct ilpi_alloc alloc;
    ILPI_LIST(struct compilation) items;
    struct ilpi_map places; /* 1 + index, by the function */
    bool is_open;           /* there was at least one */
};

/* False: it has failed before. Without memory a later failure is not detected. */
bool compilation_begins(struct compilations *compilations, FunctionID function, bool rejit);

/* Whether its start was recorded. */
bool compilation_ends(struct compilations *compilations, FunctionID function, bool rejit);
bool compilation_has_ended(const struct compilations *compilations, FunctionID function,
                           bool rejit);

void compilations_close(struct compilations *compilations);

#endif
