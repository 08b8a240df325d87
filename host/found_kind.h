/* What files are, without reading more of them than that takes. */
#ifndef FOUND_KIND_H
#define FOUND_KIND_H

#include "ilpatch.h"

struct found_kind {
    enum ilp_file_kind kind;
    bool dos; /* it begins as programs for DOS and Windows do, whatever it is */
};

/* Of the file at a path, also of one in a bundle. False with errno set. */
bool find_kind(const char *path, struct found_kind *found);

#endif
