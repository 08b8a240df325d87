/* What a program's or a framework's .runtimeconfig.json says of where its assemblies are. */
#ifndef RUNTIME_CONFIG_H
#define RUNTIME_CONFIG_H

#include "host/resolve/path_list.h"
#include "host/resolve/version.h"

/* What of a framework's version may be higher than the one that is asked for. */
enum roll_range { ROLL_NOTHING, ROLL_PATCH, ROLL_MINOR, ROLL_MAJOR };

/* A framework that is asked for. */
struct framework_request {
    char *name; /* owned; a plain name */
    struct version version;
    enum roll_range range;
    bool highest;  /* the highest version in the range, else the lowest */
    bool patches;  /* then its newest patch */
    bool releases; /* a preview only where no release will do */
};

struct runtime_config {
    char *path; /* owned */
    char *tfm;  /* owned; "" where it is not said */
    struct framework_request *frameworks;
    size_t framework_count;
    struct path_list probing; /* additionalProbingPaths, also those of .runtimeconfig.dev.json */
    bool no_hooks;            /* start-up hooks are switched off */
    char *error;              /* owned: why the file cannot be read, NULL: it can be */
    const char *wrong;        /* what the host refuses: `error`, or static storage; NULL: nothing */
};

/* No more frameworks than this depend on each other. */
#define MAX_FRAMEWORKS 32u

/* Reads App.runtimeconfig.json and the App.runtimeconfig.dev.json beside it. False where there is
 * no such file; one that cannot be read is `wrong`. A program that names no framework brings its
 * own: it is self-contained. */
bool runtime_config_read(struct runtime_config *config, const char *path);
void runtime_config_free(struct runtime_config *config);

/* Whether the program's runtime will be older than .NET `major`.`minor`: by the framework that it
 * wants, unless a later one may stand in for it, or what a self-contained program was built
 * for. *asked is its version then. Microsoft's frameworks are numbered as their runtimes are. */
bool runtime_config_is_before(const struct runtime_config *config, unsigned major, unsigned minor,
                              struct version *asked);

#endif
