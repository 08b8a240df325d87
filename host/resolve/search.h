/* The search for one assembly after the other, for one program. */
#ifndef SEARCH_H
#define SEARCH_H

#include "host/resolve/reference.h"
#include "host/resolve/program.h"

struct search {
    const char *const *paths; /* borrowed: --reference-path */
    size_t path_count;
    struct image_cache *images;
    struct installed *installed;
    bool shares; /* these two are another search's */
    char *file;  /* owned: the one whose program it is */
    bool for_framework;
    char *looked_into; /* owned: the folder of an assembly; NULL: none yet */
    bool configured;   /* its program has a .runtimeconfig.json */
    bool program_known;
    struct program program; /* opened when it is needed first */
};

/* False: no memory. */
bool search_open(struct search *search, const char *const *paths, size_t path_count);

/* In the same places, and among the images that `other` has opened; it is closed later. */
void search_share(struct search *search, const struct search *other);
void search_close(struct search *search);

/* Takes back what is known of programs and of what is installed: it is found again when it is
 * needed. */
void search_forget(struct search *search);

/* Another program comes. */
void search_leave_program(struct search *search);

struct program *search_program(struct search *search);

/* Whether an assembly is built for .NET Framework: it refers to mscorlib and to no part of .NET,
 * and no .runtimeconfig.json of its folder says that it runs on .NET. */
bool search_is_for_framework(struct search *search, const char *assembly_path);

/* Fills in reference->image and how it was found. */
void search_assembly(struct search *search, struct reference *reference);

/* An image that was found (NULL is allowed) will not be read as much as before. */
void search_rest(struct search *search, const struct ilp_image *image);

/* Another file of the assembly that `image` belongs to; NULL: not there. */
struct ilp_image *search_module(struct search *search, const struct ilp_image *image,
                                const char *file);

#endif
