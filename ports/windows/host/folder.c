/* The names in a folder. See folder.h. */
#include "host/folder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>

#include "base/wide_path.h"

struct folder {
    HANDLE search;
    WIN32_FIND_DATAW found;
    bool first; /* `found` was not returned yet */
    char *name;
};

static wchar_t *pattern_of(const char *path)
{
    size_t size = strlen(path);
    char *pattern = malloc(size + 3);
    if (pattern) {
        memcpy(pattern, path, size);
        memcpy(pattern + size, "/*", 3);
    }
    wchar_t *wide = pattern ? wide_path(pattern) : NULL;
    free(pattern);
    return wide;
}

struct folder *folder_open(const char *path)
{
    struct folder *folder = calloc(1, sizeof *folder);
    wchar_t *pattern = folder ? pattern_of(path) : NULL;
    if (!pattern) {
        free(folder);
        return NULL;
    }
    folder->first = true;
    folder->search = FindFirstFileExW(pattern, FindExInfoBasic, &folder->found,
                                      FindExSearchNameMatch, NULL, 0);
    free(pattern);
    if (folder->search == INVALID_HANDLE_VALUE) {
        struct stat info;
        fail_by_last_error();
        if (stat(path, &info) == 0 && !S_ISDIR(info.st_mode)) {
            errno = ENOTDIR;
        }
        free(folder);
        return NULL;
    }
    return folder;
}

static bool next(struct folder *folder)
{
    bool first = folder->first;
    folder->first = false;
    return first || FindNextFileW(folder->search, &folder->found);
}

const char *folder_next(struct folder *folder)
{
    const wchar_t *name = folder->found.cFileName;
    bool found;
    do {
        found = next(folder);
    } while (found && (wcscmp(name, L".") == 0 || wcscmp(name, L"..") == 0));
    free(folder->name);
    folder->name = NULL;
    if (!found) {
        if (GetLastError() != ERROR_NO_MORE_FILES) {
            fail_by_last_error();
        } else {
            errno = 0;
        }
        return NULL;
    }
    folder->name = narrow_text(name, wcslen(name));
    return folder->name;
}

int folder_fd(struct folder *folder)
{
    (void)folder;
    return -1;
}

void folder_close(struct folder *folder)
{
    if (folder) {
        FindClose(folder->search);
        free(folder->name);
        free(folder);
    }
}
