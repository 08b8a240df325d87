/* Folders of installed frameworks, and what an application's JSON files say about them. */
#ifndef FRAMEWORKS_H
#define FRAMEWORKS_H

#include "file_io.h"

/* A list of folders or files; all strings are owned. */
struct path_list {
    char **items;
    size_t count;
};

void path_list_add(struct path_list *list, char *owned_path);
void path_list_free(struct path_list *list);

/* Adds the folders of the shared frameworks for an application in `directory`: those that a
 * *.runtimeconfig.json there names, else the newest of each. Roots are DOTNET_ROOT, the dotnet on PATH,
 * /etc/dotnet/install_location and the usual places. */
void frameworks_add_dotnet(struct path_list *list, const char *directory);

/* Adds Mono's class library folders. */
void frameworks_add_mono(struct path_list *list);

/* Adds the files in the NuGet cache that *.deps.json in `directory` name. */
void frameworks_add_packages(struct path_list *list, const char *directory);

#endif
