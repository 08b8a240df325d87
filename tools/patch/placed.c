/* Records placed inspectors. See placed.h. Without it, each file of a folder would compare the
 * inspector beside it again. Searched from the end: files of one folder follow each other. */
#include "tools/patch/placed.h"

#include <stdlib.h>
#include <string.h>

#include "tools/tool.h"

/* Includes the bytes, since the stock inspector has two editions. */
struct placed_inspector {
    char *folder;         /* owned */
    const uint8_t *bytes; /* borrowed from the inspector's file, for its address only */
};

bool placed_has(const struct placed_inspectors *placed, const char *folder,
                const struct inspector_file *inspector)
{
    bool found = false;
    for (size_t i = placed->count; i-- != 0 && !found;) { /* files of one folder are consecutive */
        found = placed->items[i].bytes == inspector->bytes.data &&
                strcmp(placed->items[i].folder, folder) == 0;
    }
    return found;
}

/* Bytes are compared by their address, as an inspector is read once for all files. */
void placed_add(struct placed_inspectors *placed, const char *folder,
                const struct inspector_file *inspector)
{
    if (!placed_has(placed, folder, inspector)) {
        size_t size = (placed->count + 1) * sizeof *placed->items;
        placed->items = need(realloc(placed->items, size));
        placed->items[placed->count++] = (struct placed_inspector){need(strdup(folder)),
                                                                   inspector->bytes.data};
    }
}

void placed_forget(struct placed_inspectors *placed)
{
    for (size_t i = 0; i < placed->count; i++) {
        free(placed->items[i].folder);
    }
    free(placed->items);
    *placed = (struct placed_inspectors){.items = NULL};
}
