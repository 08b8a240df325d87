/* A .NET program as described by the JSON files beside it: the frameworks it runs on, and where its
 * packages are. docs/RESOLVE.md has the host's rules. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "host/resolve/deps.h"
#include "host/resolve/frameworks.h"
#include "host/resolve/installed.h"

struct program {
    struct installed *installed;  /* borrowed */
    char *directory;              /* owned */
    struct runtime_config config; /* zeroed without a .runtimeconfig.json */
    bool configured;              /* there is one, so the host's rules apply */
    struct frameworks frameworks; /* the host's choice; else the newest installed ones */
    bool guessed;                 /* they are only the newest ones */
    struct path_list deps_files;
    struct deps deps; /* read when first needed, like the rest */
    bool deps_known;
    char *deps_error;        /* owned; the first file that cannot be read, and why; NULL: none */
    struct path_list caches; /* folders of packages */
};

/* The program of `file`: File.runtimeconfig.json and File.deps.json, else those of the folder. */
void program_open(struct program *program, const char *file, struct installed *installed);
void program_close(struct program *program);

/* Which .deps.json cannot be read, and why, so that the host would not start the program; NULL:
 * none. Borrowed. */
const char *program_deps_error(struct program *program);

/* A package's file with an assembly, owned by the caller; NULL: none. */
char *program_package_file(struct program *program, const char *name);

/* Whether .deps.json refers to a file in a subfolder of the program: a package has it for this kind
 * of machine, and another one, or none, for all. */
bool program_has_variant(struct program *program, const char *name);

/* The folder of the framework whose copy of an assembly the host would prefer to the program's own:
 * if its versions are not lower. NULL: the program's own. Borrowed. */
const char *program_preferred_framework(struct program *program, const char *name);

#endif
