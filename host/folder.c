/* Lists a folder. See folder.h. errno is 0 at the end and the reason after a failure, since
 * readdir() says both by NULL. */
#include "host/folder.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

struct folder *folder_open(const char *path)
{
    return (struct folder *)opendir(path);
}

const char *folder_next(struct folder *folder)
{
    const struct dirent *entry;
    do {
        errno = 0;
        entry = readdir((DIR *)folder);
    } while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry ? entry->d_name : NULL;
}

int folder_fd(struct folder *folder)
{
    return dirfd((DIR *)folder);
}

void folder_close(struct folder *folder)
{
    if (folder) {
        closedir((DIR *)folder);
    }
}
