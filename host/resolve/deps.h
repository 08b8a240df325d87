/* The content of a .deps.json: the assemblies of a program, of its packages, or of a framework. */
#ifndef DEPS_H
#define DEPS_H

#include "host/resolve/path_list.h"
#include "host/resolve/version.h"

/* One assembly; all strings are owned. */
struct asset {
    char *name;      /* the file name without extension: "Newtonsoft.Json" */
    char *file;      /* in its package: "lib/net6.0/Newtonsoft.Json.dll" */
    char *local;     /* relative to the .deps.json: "Newtonsoft.Json.dll" */
    char *package;   /* its folder in a package cache: "newtonsoft.json/13.0.3"; "" for none */
    bool of_runtime; /* it belongs to the runtime of a self-contained program */
    struct version4 assembly_version; /* 0.0.0.0 if not given */
    struct version4 file_version;
};

struct deps {
    struct asset *items;
    size_t count;
};

/* Adds the assemblies that `path` lists for this machine. *error as set by json_file_read(). */
void deps_read(struct deps *deps, const char *path, char **error);
void deps_free(struct deps *deps);

/* By assembly name, ignoring case; NULL: not listed. */
const struct asset *deps_find(const struct deps *deps, const char *name);

#endif
