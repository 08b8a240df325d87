/* Searches for assemblies, one by one, for one program. */
#ifndef SEARCH_H
#define SEARCH_H

#include "host/resolve/reference.h"
#include "host/resolve/program.h"

struct search {
    const char *const *paths; /* borrowed: --reference-path */
    size_t path_count;
    struct image_cache *images;
    struct installed *installed;
    bool shares; /* the next two belong to another search */
    char *file;  /* owned: the file whose program it is */
    bool for_framework;
    char *looked_into; /* owned: the last folder of an assembly; NULL: none yet */
    bool configured;   /* its program has a .runtimeconfig.json */
    bool program_known;
    struct program program; /* opened when first needed */
};

/* False: no memory. */
bool search_open(struct search *search, const char *const *paths, size_t path_count);

/* In the same places, with the images of `other`, which is closed later. */
void search_share(struct search *search, const struct search *other);
void search_close(struct search *search);

/* Drops cached facts about programs and installations: they are searched again when needed. */
void search_forget(struct search *search);

/* Call before another program. */
void search_leave_program(struct search *search);

struct program *search_program(struct search *search);

/* Whether an assembly is built for .NET Framework: it refers to mscorlib and to no part of .NET,
 * and no .runtimeconfig.json of its folder makes it run on .NET. */
bool search_is_for_framework(struct search *search, const char *assembly_path);

/* Fills in reference->image and how it was found. */
void search_assembly(struct search *search, struct reference *reference);

/* An image (NULL is allowed) that will be read less from now on. */
void search_release_pages(struct search *search, const struct ilp_image *image);

/* Another file of the assembly of `image`; NULL: not found. */
struct ilp_image *search_module(struct search *search, const struct ilp_image *image,
                                const char *file);

#endif
