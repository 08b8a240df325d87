/* Lists of paths, and the folders they come from. */
#ifndef PATH_LIST_H
#define PATH_LIST_H

#include "host/file_io.h"

/* A list of folders or files; all strings are owned. */
struct path_list {
    char **items;
    size_t count;
};

/* Adds nothing without memory (host/memory.h), nor a path of NULL, which is the same. */
void path_list_add(struct path_list *list, char *owned_path);
void path_list_free(struct path_list *list);

/* Adds an existing folder, unless the list has it under any path. */
void path_list_add_folder(struct path_list *list, char *owned_path);

/* Sorts by bytes. */
void path_list_sort(struct path_list *list);
bool path_list_has(const struct path_list *sorted, const char *path);

/* Adds each part of a list in the environment's form, "/a:/b" or, in NuGet's variables, "/a;/b";
 * NULL is empty. */
void path_list_split(struct path_list *list, const char *text);

/* Adds the folders of the programs of this name on PATH, with links resolved. */
void path_list_add_program(struct path_list *list, const char *program);

/* Whether there is a file or folder, also inside a single-file program. */
bool path_is_there(const char *path);

/* Adds the paths of a folder's entries whose names have this end, sorted by name; "" selects all.
 * Names that begin with a dot are skipped. A single-file program is a folder here. */
void path_list_entries(struct path_list *list, const char *directory, const char *ending);

/* Whether a name from a file may be used as one part of a path: it cannot lead elsewhere. */
bool is_plain_name(const char *name);

/* The same for a path below a folder: no part of it is "..", and it is not absolute. */
bool is_path_below(const char *path);

#endif
