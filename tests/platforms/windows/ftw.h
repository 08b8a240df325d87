/* nftw() for the unit tests on Windows: what is below a folder, the deepest first. */
#ifndef TEST_FTW_H
#define TEST_FTW_H

#include <direct.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/folder.h"
#include "host/memory.h"

enum { FTW_PHYS = 1, FTW_DEPTH = 8 };

struct FTW {
    int base;
    int level;
};

static inline int nftw(const char *path,
                       int (*function)(const char *path, const struct stat *info, int kind,
                                       struct FTW *place),
                       int descriptors, int flags)
{
    struct folder *folder = folder_open(path);
    struct stat info = {0};
    struct FTW place = {0, 0};
    const char *name;
    (void)descriptors;
    while (folder && (name = folder_next(folder)) != NULL) {
        char *inner = format_text("%s/%s", path, name);
        nftw(inner, function, descriptors, flags);
        free(inner);
    }
    folder_close(folder);
    return function(path, &info, 0, &place);
}

/* remove() takes no folders here. */
#define remove(path) (unlink(path) == 0 ? 0 : rmdir(path))

static inline char *mkdtemp(char *path)
{
    char *end = path + strlen(path) - 6;
    static unsigned next;
    mkdir("/tmp", 0700);
    do {
        char letters[7];
        snprintf(letters, sizeof letters, "%06x", (next++ * 7919u + (unsigned)getpid()) & 0xFFFFFF);
        memcpy(end, letters, 6);
    } while (mkdir(path, 0700) != 0);
    return path;
}

#endif
