/* Originals of replaced files: kept as FILE.orig, never overwritten, the input of the next run. */
#ifndef ORIGINALS_H
#define ORIGINALS_H

#include "file_io.h"

enum original {
    ORIGINAL_NONE,  /* there is no FILE.orig: FILE is the input */
    ORIGINAL_INPUT, /* FILE was made from FILE.orig, which is the input then */
    ORIGINAL_OTHER  /* FILE.orig is there, but FILE was not made from it: rebuilt since? */
};

/* What the two files are to each other; `kept` is FILE.orig. */
enum original original_of(const char *file, const char *kept);

/* Whether an AssemblyRef of the image has this name. */
bool image_refers_to(const struct ilp_image *image, const char *assembly);

/* True when `directory` holds an assembly that was written by ilpatch, with or without an original, and refers to
 * this inspector. */
bool patched_use(const char *directory, const char *assembly);

#endif
