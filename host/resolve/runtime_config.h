/* The content of a program's or framework's .runtimeconfig.json about where its assemblies are. */
#ifndef RUNTIME_CONFIG_H
#define RUNTIME_CONFIG_H

#include "host/resolve/path_list.h"
#include "host/resolve/version.h"

/* The part of a framework's version that may be higher than requested. */
enum roll_range { ROLL_NOTHING, ROLL_PATCH, ROLL_MINOR, ROLL_MAJOR };

/* A requested framework. */
struct framework_request {
    char *name; /* owned; a plain name */
    struct version version;
    enum roll_range range;
    bool highest;  /* the highest version in the range, else the lowest */
    bool patches;  /* then its newest patch */
    bool releases; /* a preview only if no release will do */
};

struct runtime_config {
    char *path; /* owned */
    char *tfm;  /* owned; "" if not given */
    struct framework_request *frameworks;
    size_t framework_count;
    struct path_list probing; /* additionalProbingPaths, including those of
                                 .runtimeconfig.dev.json */
    bool no_hooks;            /* start-up hooks are disabled */
    char *error;              /* owned: why the file cannot be read, NULL: it can */
    const char *wrong;        /* what the host refuses: `error`, or static storage; NULL: nothing */
};

/* The limit of frameworks that depend on each other. */
#define MAX_FRAMEWORKS 32u

/* Reads App.runtimeconfig.json and the App.runtimeconfig.dev.json beside it. False if there is no
 * such file; an unreadable one is `wrong`. A program that names no framework has its own: it is
 * self-contained. */
bool runtime_config_read(struct runtime_config *config, const char *path);
void runtime_config_free(struct runtime_config *config);

/* Whether the program will run on a runtime older than .NET `major`.`minor`: by its framework,
 * unless a later one may substitute it, or by what a self-contained program was built for. *version
 * is then its version. Microsoft's frameworks have the version numbers of their runtimes. */
bool runtime_config_is_before(const struct runtime_config *config, unsigned major, unsigned minor,
                              struct version *version);

#endif
