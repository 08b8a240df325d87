/* Where a run has already placed inspectors: each folder and its .deps.json files are processed
 * once, not for each file in it. */
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

/* Forgets all: some may have been removed. */
void placed_forget(struct placed_inspectors *placed);

#endif
