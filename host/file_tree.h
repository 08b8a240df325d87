/* Everything below a folder, by path. */
#ifndef FILE_TREE_H
#define FILE_TREE_H

#include "host/resolve/path_list.h"

/* Full paths, each list sorted. */
struct file_tree {
    struct path_list folders; /* the root first */
    struct path_list files;   /* including links to files */
    struct path_list links;   /* to folders, which are not followed, or to nothing */
};

/* Zero-initialise; free in any case. False: a folder could not be read, which was reported; the
 * others are complete. */
bool file_tree_read(struct file_tree *tree, const char *root);
void file_tree_free(struct file_tree *tree);

/* Makes a folder and its missing parents. False with errno set. */
bool folders_make(const char *path);

#endif
