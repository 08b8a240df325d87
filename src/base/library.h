/* Shared libraries that only some input needs: loaded when such input appears. A program without
 * such input starts faster, and runs where they are not installed.
 *
 * A user of one lists its functions once and gets a struct of typed pointers:
 *
 *   #define ZLIB_FUNCTIONS(F) F(inflate) F(inflateEnd)
 *   struct zlib { ZLIB_FUNCTIONS(ILPI_LIBRARY_POINTER) };
 *   static const struct ilpi_library_function names[] = {ZLIB_FUNCTIONS(ILPI_LIBRARY_NAME)};
 *   loaded = ilpi_library_load(SONAME, names, sizeof names / sizeof *names,
 *                              &zlib, sizeof zlib);
 *
 * With LIBRARIES_LINKED (make PORT=FOLDER) they are linked statically, and the names carry their
 * addresses. */
#ifndef ILPI_LIBRARY_H
#define ILPI_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ilpatch.h"

#define ILPI_LIBRARY_POINTER(name) __typeof__(&(name)) name;
#ifdef LIBRARIES_LINKED
#define ILPI_LIBRARY_NAME(name) {#name, (void (*)(void))(name)},
#else
#define ILPI_LIBRARY_NAME(name) {#name, NULL},
#endif

/* A function of an optional library: linked in where the program was built so, else found by
 * name. */
struct ilpi_library_function {
    const char *name;
    void (*linked)(void); /* NULL: search the library */
};

/* Fills `functions`, a struct of `count` pointers, in the order of `names`. ILP_E_NO_LIBRARY: the
 * library or one of the functions is missing. ILP_E_NO_MEMORY: it could not be loaded for lack of
 * memory. The library is never unloaded, since it may keep data for each thread. */
ilp_status ilpi_library_load(const char *soname, const struct ilpi_library_function *names,
                             size_t count, void *functions, size_t functions_size);

/* Why a library could not be loaded, in the system's words. */
struct ilpi_library_error {
    char text[4608]; /* a path and the reason */
};

/* Loads a library by its name or path, for as long as the process runs: NULL on failure. */
void *ilpi_library_open(const char *name, struct ilpi_library_error *error);

/* The address of one of its functions; NULL: it exports none of that name. */
void *ilpi_library_find(void *library, const char *function);

/* Whether the address is in the program or one of its libraries. Code compiled at run time is in
 * none of them. */
bool ilpi_library_has(uintptr_t address);

/* The path of the first loaded library with this file name, as it was loaded; false: there is none,
 * or the path does not fit. */
bool ilpi_library_path(const char *file, char *path, size_t size);

#endif
