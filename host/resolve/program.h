/* A program of .NET, as the JSON files beside it describe it: which frameworks it runs on, and
 * where its packages are. What the host would do with them is in docs/RESOLVE.md.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "host/resolve/deps.h"
#include "host/resolve/frameworks.h"
#include "host/resolve/installed.h"

struct program {
    struct installed *installed;  /* borrowed */
    char *directory;              /* owned */
    struct runtime_config config; /* all zero without a .runtimeconfig.json */
    bool configured;              /* there is one, so that the host's rules apply */
    struct frameworks frameworks; /* what the host would choose; else the newest there are */
    bool guessed;                 /* they are only the newest */
    struct path_list deps_files;
    struct deps deps; /* read when it is needed first, as is the rest */
    bool deps_known;
    char *deps_error;        /* owned; the first that cannot be read, and why; NULL: none */
    struct path_list caches; /* folders of packages */
};

/* The program that `file` belongs to: File.runtimeconfig.json and File.deps.json, else those of the
 * folder. */
void program_open(struct program *program, const char *file, struct installed *installed);
void program_close(struct program *program);

/* Which .deps.json cannot be read, and why, so that the host would not start the program; NULL:
 * none. Borrowed. */
const char *program_deps_error(struct program *program);

/* The file of an assembly that a package brings, owned by the caller; NULL: none. */
char *program_package_file(struct program *program, const char *name);

/* Whether .deps.json leads to a file in a folder below the program's: a package has it for this
 * kind of machine, and another one, or none, for all. */
bool program_has_variant(struct program *program, const char *name);

/* The folder of the framework whose copy of an assembly the host would prefer to the one in the
 * program's folder: where its versions are not lower. NULL: the program's own one. Borrowed. */
const char *program_preferred_framework(struct program *program, const char *name);

#endif
