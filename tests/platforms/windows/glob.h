/* glob() for the unit tests on Windows: `*` and one class of letters in the last part, as they use
 * it. */
#ifndef TEST_GLOB_H
#define TEST_GLOB_H

#include <stdlib.h>
#include <string.h>

#include "host/folder.h"
#include "host/memory.h"

#define GLOB_APPEND 1

typedef struct {
    size_t gl_pathc;
    char **gl_pathv;
} glob_t;

static inline int glob_matches(const char *pattern, const char *name)
{
    if (pattern[0] == '*') {
        return glob_matches(pattern + 1, name) || (*name && glob_matches(pattern, name + 1));
    }
    if (strncmp(pattern, "[A-Z]", 5) == 0) {
        return name[0] >= 'A' && name[0] <= 'Z' && glob_matches(pattern + 5, name + 1);
    }
    return pattern[0] == name[0] && (pattern[0] == '\0' || glob_matches(pattern + 1, name + 1));
}

static inline int glob_compare(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static inline int glob(const char *pattern, int flags, void *unused, glob_t *found)
{
    const char *slash = strrchr(pattern, '/'), *name;
    char *path = copy_part(pattern, (size_t)(slash - pattern));
    struct folder *folder = folder_open(path);
    (void)unused;
    if ((flags & GLOB_APPEND) == 0) {
        *found = (glob_t){0, NULL};
    }
    size_t first = found->gl_pathc;
    while (folder && (name = folder_next(folder)) != NULL) {
        if (glob_matches(slash + 1, name)) {
            found->gl_pathv = grow_items(found->gl_pathv, found->gl_pathc + 1, sizeof(char *));
            found->gl_pathv[found->gl_pathc++] = format_text("%s/%s", path, name);
        }
    }
    folder_close(folder);
    free(path);
    if (found->gl_pathc > first) {
        qsort(found->gl_pathv + first, found->gl_pathc - first, sizeof(char *), glob_compare);
    }
    return found->gl_pathc > first ? 0 : 1;
}

static inline void globfree(glob_t *found)
{
    for (size_t i = 0; i < found->gl_pathc; i++) {
        free(found->gl_pathv[i]);
    }
    free(found->gl_pathv);
    *found = (glob_t){0, NULL};
}

#endif
