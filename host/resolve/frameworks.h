/* Shared frameworks in the versions that the host of .NET would choose for a program: roll-forward
 * and, where several frameworks ask for one, what all of them can agree on.
 */
#ifndef FRAMEWORKS_H
#define FRAMEWORKS_H

#include "host/resolve/runtime_config.h"

struct framework {
    struct framework_request request; /* what all who ask for it agree on; its name is owned */
    struct version version;           /* the one that was found */
    char *directory;                  /* owned; NULL: not looked for yet, or not found */
};

/* In the order of their first mention: a framework stands before those it builds on. */
struct frameworks {
    struct framework items[MAX_FRAMEWORKS];
    size_t count;
    char *wrong; /* owned; what could not be had, NULL: all is well */
};

/* Finds all frameworks of a program below `root` ("/usr/share/dotnet"). False where the host would
 * give up: then `wrong` says why. */
bool frameworks_resolve(struct frameworks *frameworks, const struct runtime_config *config,
                        const char *root);

/* The newest of the well-known frameworks below `root`, releases before previews, for who says
 * nothing of frameworks. False: there is none. */
bool frameworks_newest(struct frameworks *frameworks, const char *root);

void frameworks_free(struct frameworks *frameworks);

/* "10.0.12" and "10.0.0-preview.1"; owned by the caller. */
char *version_text(const struct version *version);

#endif
