/* The bytes of a command line's path: a file, standard input, or a file in a single-file bundle. */
#ifndef FILE_VIEW_H
#define FILE_VIEW_H

#include "host/tool.h"

/* A whole file, read-only. */
struct file_view {
    struct ilp_bytes bytes;
    struct ilp_bytes mapped;    /* the file that contains them: itself, or a bundle */
    struct ilp_arena *unpacked; /* their memory, if they were compressed */
};

/* False with errno set when the file cannot be opened or is not a regular file. A path may continue
 * into a single-file bundle as if that were a folder; "-" is standard input. */
bool file_view_open(struct file_view *view, const char *path);

/* The bytes will not be read for a while: see file_map_release_pages(). */
void file_view_release_pages(const struct file_view *view);

/* The same for a part of whole pages, or up to the end. */
void file_view_release_part(const struct file_view *view, struct ilp_bytes part);

void file_view_close(struct file_view *view);

/* Whether the file of that path has become longer: it is being written. */
bool file_view_has_grown(const struct file_view *view, const char *path);

/* "out/App" for "out/App/Lib.dll", if out/App is a file; *inner is "Lib.dll" then, inside `path`.
 * NULL if no part of the path is a file. Owned by the caller. */
char *bundle_path_split(const char *path, const char **inner);

#endif
