/* The assemblies around one: those in its folder, and those in the folders of --reference-path. */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include "host/file_io.h"
#include "host/file_view.h"

struct neighbour_folder;

struct neighbour {
    char *path;                            /* as a person would name it; owned */
    struct file_view view;                 /* whoever has read it lets it rest */
    struct ilp_image *image;               /* as it is when it is first seen */
    const struct neighbour_folder *folder; /* one for all that are in it */
    bool may_forward;                      /* to what names_that_lead_to() has not found yet */
    bool changed;                          /* set by who changes it; false at first */
    struct neighbour *next;
};

struct neighbours;

/* `paths` are the --reference-path options (borrowed). */
struct neighbours *neighbours_open(const char *const *paths, size_t path_count);
void neighbours_close(struct neighbours *neighbours);

/* Looks around a file: into folders that were not looked into before. What is returned is the list
 * of all that were ever seen. */
struct neighbour *neighbours_look(struct neighbours *neighbours, const char *file);
struct neighbour *neighbours_first(const struct neighbours *neighbours);

/* What is around the file that neighbours_look() was called for last. */
bool neighbour_is_near(const struct neighbour *neighbour);
bool neighbours_are_precompiled(const struct neighbours *neighbours);               /* any */
bool neighbours_record(const struct neighbours *neighbours, struct ilp_bytes mvid); /* any */

/* That file itself, if it is an assembly; else NULL. */
struct neighbour *neighbours_self(const struct neighbours *neighbours, const char *file);

/* Gives its pages back. */
void neighbour_rest(struct neighbour *neighbour);

#endif
