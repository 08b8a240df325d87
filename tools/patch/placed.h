/* Where a run has put inspectors already: each folder and its .deps.json files are looked at once,
 * and not again for each file in it. */
#ifndef PLACED_H
#define PLACED_H

#include "host/inspector_file.h"

/* Zero-initialise. */
struct placed_inspectors {
    struct placed_inspector *items;
    size_t count;
};

bool placed_has(const struct placed_inspectors *placed, const char *folder,
                const struct inspector_file *inspector);
void placed_add(struct placed_inspectors *placed, const char *folder,
                const struct inspector_file *inspector);

/* Some may have been taken away. */
void placed_forget(struct placed_inspectors *placed);

#endif
