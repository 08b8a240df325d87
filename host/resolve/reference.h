/* A reference: the request, and its result. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "host/resolve/path_list.h"

enum place {
#define PLACE(name, word, strict) PLACE_##name,
#include "host/resolve/place.def"
#undef PLACE
    PLACE_COUNT
};

/* A file that was rejected. */
struct passed_over {
    char *path; /* owned */
    char *why;  /* owned */
};

struct reference {
    struct ilp_assembly_name name; /* the requested assembly; all owned */
    bool lax;                      /* any version will do in any place, as in Mono */
    struct ilp_image *image;       /* NULL: not found; its name is its path */
    bool indexed;                  /* it has an index (references.h) */
    enum place place;
    struct path_list looked; /* folders and files, in order */
    struct passed_over *passed;
    size_t passed_count;
    unsigned target; /* the last target that requested it */
    struct reference *next;
    struct reference *next_alike; /* of the same bucket, see references.c */
};

/* "beside". */
const char *place_word(enum place place);

/* NULL: no memory. */
struct reference *reference_new(const struct ilp_assembly_name *name);
void reference_free(struct reference *reference);

#endif
