/* Compilations of new bodies, to find those that failed: the runtime reports that one begins, but
 * its end only if it went well (.NET 8 to 10), and whoever has called the method gets an exception,
 * at each call. One that begins although it has begun before, and has never ended, has failed: the
 * runtime lets no two threads compile a function for the first time.
 *
 * Everything here is under the profiler's lock. */
#ifndef ILPI_COMPILATIONS_H
#define ILPI_COMPILATIONS_H

#include "base/list.h"
#include "base/map.h"
#include "profiler/clr/corprof.h"

/* A function that is compiled, and whether by ReJIT, which is another compilation. */
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
    bool is_open;           /* there has been one */
};

/* False: it has failed before. Without memory it is not known later on. */
bool compilation_begins(struct compilations *compilations, FunctionID function, bool rejit);

/* Whether it had begun. */
bool compilation_ends(struct compilations *compilations, FunctionID function, bool rejit);
bool compilation_has_ended(const struct compilations *compilations, FunctionID function,
                           bool rejit);

void compilations_close(struct compilations *compilations);

#endif
