/* Files that a process is to load, as it sees them. Where it has other files than we, in a
 * container, it gets copies in its folder for temporary files: only its user may open them, and
 * they are removed when they are loaded. */
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

/* The path by which the process opens what is at `path` for us. Owned by the caller; NULL: no copy
 * could be made, which has been reported. */
char *seen_file(struct seen_files *files, const char *path);

/* Whether it sees what we see: a file that it is to read, or the folder of one that it is to write.
 * If not, that has been reported. */
bool seen_file_is_there(const struct dotnet_process *process, const char *path);
bool seen_folder_is_there(const struct dotnet_process *process, const char *path);

#endif
