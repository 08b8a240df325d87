/* Pairs the methods of two assemblies with the same full text. */
#ifndef METHOD_PAIRS_H
#define METHOD_PAIRS_H

#include "ilpatch.h"

struct method_pair {
    ilp_rid old_rid; /* 0: only in the new one */
    ilp_rid new_rid; /* 0: only in the old one */
};

struct method_pairs {
    /* owned; in the order of the new file, with removed ones at their old positions */
    struct method_pair *pairs;
    size_t count;
};

/* Several methods with one text are paired in order. Ends the program if memory runs out. */
void method_pairs_make(struct method_pairs *pairs, const struct ilp_image *old_image,
                       const struct ilp_image *new_image);
void method_pairs_free(struct method_pairs *pairs);

#endif
