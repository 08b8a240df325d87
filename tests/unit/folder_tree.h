/* Files in a temporary folder, by their paths below it.
 *
 *   struct tree tree;
 *   tree_begin(&tree);
 *   tree_file(&tree, "app/App.deps.json", "{}");       folders on the way are made
 *   tree_path(&tree, "app")                            the whole path; lives until 16 more are made
 *   tree_end(&tree);                                   removes all of it */
#ifndef FOLDER_TREE_H
#define FOLDER_TREE_H

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/metadata_test.h"

struct tree {
    char *folder;
    char paths[16][512];
    unsigned next;
};

static inline void tree_begin(struct tree *tree)
{
    *tree = (struct tree){.folder = strdup("/tmp/ilpatch-tree-XXXXXX")};
    assert_non_null(mkdtemp(tree->folder));
}

static inline const char *tree_path(struct tree *tree, const char *path)
{
    char *whole = tree->paths[tree->next++ % COUNT(tree->paths)];
    snprintf(whole, sizeof tree->paths[0], "%s/%s", tree->folder, path);
    return whole;
}

static inline void tree_bytes(struct tree *tree, const char *path, const void *bytes, size_t size)
{
    char whole[512];
    strcpy(whole, tree_path(tree, path));
    for (char *at = whole + strlen(tree->folder) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        mkdir(whole, 0700);
        *at = '/';
    }
    FILE *file = fopen(whole, "wbe");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void tree_file(struct tree *tree, const char *path, const char *text)
{
    tree_bytes(tree, path, text, strlen(text));
}

static inline int tree_remove(const char *path, const struct stat *info, int kind,
                              struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static inline void tree_end(struct tree *tree)
{
    nftw(tree->folder, tree_remove, 16, FTW_DEPTH | FTW_PHYS);
    free(tree->folder);
}

#endif
