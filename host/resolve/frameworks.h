/* The versions of shared frameworks that the .NET host would choose for a program: roll-forward,
 * and agreement between several frameworks that request one. */
#ifndef FRAMEWORKS_H
#define FRAMEWORKS_H

#include "host/resolve/runtime_config.h"

struct framework {
    struct framework_request request; /* agreed by all requesters; its name is owned */
    struct version version;           /* the chosen one */
    char *directory;                  /* owned; NULL: not searched yet, or not found */
};

/* In the order of first mention: a framework precedes those it builds on. */
struct frameworks {
    struct framework items[MAX_FRAMEWORKS];
    size_t count;
    char *wrong; /* owned; what is not available, NULL: everything was found */
};

/* Finds all frameworks of a program below `root` ("/usr/share/dotnet"). False where the host would
 * give up: `wrong` has the reason. */
bool frameworks_resolve(struct frameworks *frameworks, const struct runtime_config *config,
                        const char *root);

/* The newest of the well-known frameworks below `root`, releases before previews, for programs that
 * name none. False: there are none. */
bool frameworks_newest(struct frameworks *frameworks, const char *root);

void frameworks_free(struct frameworks *frameworks);

/* "10.0.12" and "10.0.0-preview.1"; owned by the caller. */
char *version_text(const struct version *version);

#endif
