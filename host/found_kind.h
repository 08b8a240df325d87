/* The kind of a file, by as few bytes as that takes. */
#ifndef FOUND_KIND_H
#define FOUND_KIND_H

#include "ilpatch.h"

struct found_kind {
    enum ilp_file_kind kind;
    bool dos; /* it begins like programs for DOS and Windows, whatever it is */
};

/* For the file at a path, also inside a bundle. False with errno set. */
bool find_kind(const char *path, struct found_kind *found);

#endif
