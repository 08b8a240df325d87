/* The assemblies around one: those in its folder, and those in the folders of --reference-path. */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include "host/file_io.h"
#include "host/file_view.h"

struct neighbour {
    char *path;              /* as a person would name it; owned */
    char *folder;            /* the real one; owned */
    struct file_view view;   /* of a folder's files little is read: who has read one lets it rest */
    struct ilp_image *image; /* as it is when it is first seen */
    bool near;               /* around the file that neighbours_look() was called for last */
    unsigned rests;          /* how often it was said that it rests, up to MAX_RESTS */
    bool may_forward;        /* to what names_that_lead_to() has not found yet */
    bool changed;            /* set by who changes it; false at first */
    struct neighbour *next;
};

struct neighbours;

/* `paths` are the --reference-path options (borrowed). */
struct neighbours *neighbours_open(const char *const *paths, size_t path_count);
void neighbours_close(struct neighbours *neighbours);

/* Looks around a file: into folders that were not looked into before, and sets `near`. What is
 * returned is the list of all that were ever seen. */
struct neighbour *neighbours_look(struct neighbours *neighbours, const char *file);
struct neighbour *neighbours_first(const struct neighbours *neighbours);

/* Gives its pages back, which a single file does not need again. With many files each reads them,
 * so this is done the first times only. */
void neighbour_rest(struct neighbour *neighbour);

/* Whether this is the file. */
bool neighbour_is(const struct neighbour *neighbour, const char *file);

#endif
