/* Paths of files extracted from a single-file program: where they are, and their names in
 * messages. */
#ifndef EXTRACTED_H
#define EXTRACTED_H

#include <stdbool.h>

struct transaction;

/* A bundle whose files were extracted, to be patched and put back. All borrowed. */
struct extracted {
    const char *folder; /* where the files are */
    const char *shown;  /* their folder in messages and the report */
    const char *output; /* and that of the patched ones */
    bool alone;         /* -o -: nothing is written beside it */
    bool separate;      /* -o: the bundle itself is not replaced */
    bool in_place;
    struct transaction *beside; /* is committed together with the new bundle */
};

/* The path of a file, with `folder` instead of the one that it was extracted to; unchanged for
 * other files, or if `extracted` is NULL. Owned by the caller. */
char *extracted_path(const struct extracted *extracted, const char *folder, const char *file);

/* The path of a file in the runtime's view: as if it were in the folder of the `bundle`. Else as
 * above. */
char *extracted_beside(const struct extracted *extracted, const char *bundle, const char *file);

#endif
