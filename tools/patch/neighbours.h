/* The assemblies near a file: those in its folder, and those in the folders of --reference-path. */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include "host/file_io.h"
#include "host/file_view.h"

struct neighbour_folder;

/* An assembly near some file. Owned by the neighbours, and at its address until these are
 * closed. */
struct neighbour {
    char *path;                            /* for messages; owned */
    struct file_view view;                 /* released after each use */
    struct ilp_image *image;               /* as it was when first seen */
    const struct neighbour_folder *folder; /* shared by all files in it */
    bool may_forward;                      /* to names that find_referencing_names() has not found
                                              yet */
    bool changed;                          /* set by whoever changes it; initially false */
    struct neighbour *next;
};

struct neighbours;

/* `paths` are the --reference-path options (borrowed). */
struct neighbours *neighbours_open(const char *const *paths, size_t path_count);
void neighbours_close(struct neighbours *neighbours);

/* Reads the folders around a file that were not read before. Returns the list of all neighbours
 * ever seen. */
struct neighbour *neighbours_look(struct neighbours *neighbours, const char *file);
struct neighbour *neighbours_first(const struct neighbours *neighbours);

/* Whether it is near the last file passed to neighbours_look(). */
bool neighbour_is_near(const struct neighbour *neighbour);
/* whether any is */
bool neighbours_are_precompiled(const struct neighbours *neighbours);
/* whether any does */
bool neighbours_record(const struct neighbours *neighbours, struct ilp_bytes mvid);

/* That file itself, if it is an assembly; else NULL. */
struct neighbour *neighbours_self(const struct neighbours *neighbours, const char *file);

/* Releases its memory pages. */
void neighbour_release_pages(struct neighbour *neighbour);

#endif
