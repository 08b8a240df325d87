/* Shared libraries that only some input needs: loaded when that comes along. A program that never
 * meets it starts faster, and runs where they are not installed.
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

struct ilpi_library_function {
    const char *name;
    void (*linked)(void); /* NULL: it is looked for in the library */
};

/* Fills `functions`, a struct of `count` pointers, in the order of `names`. ILP_E_NO_LIBRARY when
 * the library or one of the functions is not there, ILP_E_NO_MEMORY when it could not be loaded for
 * want of memory. The library stays loaded once it is: it may keep data for each thread. */
ilp_status ilpi_library_load(const char *soname, const struct ilpi_library_function *names,
                             size_t count, void *functions, size_t functions_size);

/* Why a library could not be loaded, in the words of the system. */
struct ilpi_library_error {
    char text[4608]; /* a path, and what is the matter with it */
};

/* Loads a library by its name or path, for as long as the process runs: NULL on failure. */
void *ilpi_library_open(const char *name, struct ilpi_library_error *error);

/* The address of one of its functions; NULL: it has none of that name that others can see. */
void *ilpi_library_find(void *library, const char *function);

/* Whether the address is in the program or one of its libraries: what was compiled at run time is
 * in none. */
bool ilpi_library_has(uintptr_t address);

/* The path of the first loaded library whose file has this name, as it was loaded; false: there is
 * none, or no room for it. */
bool ilpi_library_path(const char *file, char *path, size_t size);

#endif
