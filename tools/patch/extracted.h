/* The paths of files that were extracted from a single-file program: where they are, and what
 * messages call them. */
#ifndef EXTRACTED_H
#define EXTRACTED_H

#include <stdbool.h>

struct transaction;

/* A bundle whose files were extracted, to be patched and put back. All borrowed. */
struct extracted {
    const char *folder; /* where the files are */
    const char *shown;  /* messages and the report have the files in it, */
    const char *output; /* and their new forms in that one */
    bool alone;         /* -o -: nothing is put beside it */
    bool separate;      /* -o: it is not the bundle itself that is replaced */
    bool in_place;
    struct transaction *beside; /* what takes its place together with the new bundle */
};

/* The path of a file, with `folder` instead of the one that it was extracted to; as it is, if it is
 * no such file or `extracted` is NULL. Owned by the caller. */
char *extracted_path(const struct extracted *extracted, const char *folder, const char *file);

/* The path of a file as the runtime sees it: where it were if the folder of the `bundle` held it.
 * Else as above. */
char *extracted_beside(const struct extracted *extracted, const char *bundle, const char *file);

#endif
