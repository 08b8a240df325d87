/* Lists of paths, and the folders they are gathered from. */
#ifndef PATH_LIST_H
#define PATH_LIST_H

#include "host/file_io.h"

/* A list of folders or files; all strings are owned. */
struct path_list {
    char **items;
    size_t count;
};

/* Nothing is added for want of memory (host/memory.h), nor of a path of NULL, which is that as
 * well. */
void path_list_add(struct path_list *list, char *owned_path);
void path_list_free(struct path_list *list);

/* Adds a folder that is there and, by whatever path, not in the list. */
void path_list_add_folder(struct path_list *list, char *owned_path);

/* In the order of their bytes. */
void path_list_sort(struct path_list *list);
bool path_list_has(const struct path_list *sorted, const char *path);

/* Adds each part of a list as the environment has them, "/a:/b" or, in NuGet's variables, "/a;/b";
 * NULL is none. */
void path_list_split(struct path_list *list, const char *text);

/* Adds the folders of the programs of this name on PATH, where links lead. */
void path_list_add_program(struct path_list *list, const char *program);

/* Whether there is a file or folder, be it in a single-file program. */
bool path_is_there(const char *path);

/* Adds the paths of a folder's entries whose names end so, in the order of their names; "" is all.
 * Those that begin with a dot are left out. A single-file program is a folder here. */
void path_list_entries(struct path_list *list, const char *directory, const char *ending);

/* Whether a name from a file may become one part of a path: it leads nowhere else. */
bool is_plain_name(const char *name);

/* The same for a path below a folder: no part of it is "..", and it does not begin at the root. */
bool is_path_below(const char *path);

#endif
