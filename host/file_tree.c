/* Lists a folder recursively, breadth first. See file_tree.h. Links to folders are listed and not
 * followed, so a circle of links does not matter; links to files are files. The list of folders is
 * also the queue of those that are still to be read. */
#include "host/file_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/folder.h"
#include "host/path.h"

static bool fail(const char *path)
{
    report_message("%s: cannot read: %s", path, strerror(errno));
    return false;
}

/* Pipes, sockets and devices are skipped, and so is what no longer exists. False: the kind cannot
 * be determined, which is reported. */
static bool add(struct file_tree *tree, char *path)
{
    struct stat info;
    bool seen = path && lstat(path, &info) == 0;
    bool link = seen && S_ISLNK(info.st_mode);
    bool there = seen && (!link || stat(path, &info) == 0);
    bool known = there || !path || errno == ENOENT || (link && errno == ELOOP) || fail(path);
    bool folder = there && S_ISDIR(info.st_mode);
    if (there && S_ISREG(info.st_mode)) {
        path_list_add(&tree->files, path);
    } else if (link && known && (folder || !there)) {
        path_list_add(&tree->links, path);
    } else if (folder && !link) {
        path_list_add(&tree->folders, path);
    } else {
        free(path);
    }
    return known;
}

static bool read_folder(struct file_tree *tree, const char *path)
{
    struct folder *folder = folder_open(path);
    const char *name = NULL;
    bool known = true;
    while (folder && (name = folder_next(folder)) != NULL) {
        known = add(tree, path_join(path, name)) && known;
    }
    bool read = (folder && errno == 0) || fail(path);
    folder_close(folder);
    return read && known;
}

/* Sorted at the end: the order of a folder's entries depends on the file system. */
bool file_tree_read(struct file_tree *tree, const char *root)
{
    bool read = true;
    path_list_add(&tree->folders, copy_text(root));
    for (size_t i = 0; i < tree->folders.count; i++) {
        read = read_folder(tree, tree->folders.items[i]) && read;
    }
    path_list_sort(&tree->folders);
    path_list_sort(&tree->files);
    path_list_sort(&tree->links);
    return read;
}

void file_tree_free(struct file_tree *tree)
{
    path_list_free(&tree->folders);
    path_list_free(&tree->files);
    path_list_free(&tree->links);
}

/* Recursion ends at the first folder that is there, or at a path that is its own folder ("/",
 * "."). */
bool folders_make(const char *path)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && path_is_directory(path))) {
        return true;
    }
    char *above = errno == ENOENT ? path_directory(path) : NULL;
    bool made = above && strcmp(above, path) != 0 && folders_make(above) && mkdir(path, 0777) == 0;
    free(above);
    return made;
}
