/* Files for a process to load, in its own view. If it has other files than we, in a container, it
 * gets copies in its folder for temporary files: only its user may open them, and they are removed
 * after loading. */
#ifndef SEEN_FILES_H
#define SEEN_FILES_H

#include "host/temporary.h"
#include "tools/launch/dotnet_process.h"

struct seen_files {
    const struct dotnet_process *process; /* borrowed */
    struct temporary_folder copies;       /* without a path until there is one */
    bool verbose;                         /* copies are reported */
};

void seen_files_begin(struct seen_files *files, const struct dotnet_process *process, bool verbose);
void seen_files_end(struct seen_files *files);

/* The path by which the process opens the file that we have at `path`. Owned by the caller; NULL:
 * no copy could be made, which has been reported. */
char *seen_file(struct seen_files *files, const char *path);

/* Whether it sees the same file: one to read, or the folder of one to write. If not, this is
 * reported. */
bool seen_file_is_there(const struct dotnet_process *process, const char *path);
bool seen_folder_is_there(const struct dotnet_process *process, const char *path);

#endif
