/* Files that take their places together with the one that they belong to: the PDB of an assembly,
 * those of a bundle. All are complete under other names before the first takes its place, and what
 * was done is undone when a later step fails. */
#ifndef REPLACEMENT_H
#define REPLACEMENT_H

#include "host/file_io.h"

struct replacement {
    char *path; /* all owned */
    char *like; /* whose owner and permissions it takes */
    char *kept; /* what the file in its place is kept as; NULL: it is not */
    bool stale; /* `kept` exists, of an earlier build, and is replaced */
    bool moves; /* nothing takes its place: it only gets the name `kept` */
    uint8_t *bytes;
    size_t size;
    struct output output;
    bool begun; /* `output` is complete */
    bool done;
};

/* All zero: none. */
struct replacements {
    struct replacement *items;
    size_t count;
};

/* Everything is copied; `kept` may be NULL. Of two for one path the later counts. What is returned
 * is valid until the next call; NULL: no memory, and the file is not among them. */
struct replacement *replacements_add(struct replacements *all, const char *path, const char *kept,
                                     const char *like, struct ilp_bytes bytes);

/* False with *path and *error set, and nothing changed. What was committed can be undone until
 * replacements_free(). */
bool replacements_begin(struct replacements *all, const char **path, int *error);
bool replacements_commit(struct replacements *all, const char **path, int *error);
void replacements_undo(struct replacements *all);

void replacements_free(struct replacements *all);

#endif
