/* Whether a process is one to which `ilpatch attach` can attach, as it is to. */
#ifndef ATTACHABLE_H
#define ATTACHABLE_H

#include "tools/launch/dotnet_process.h"

/* Files that the process reads and writes itself, so that it has to see them. Borrowed. */
struct own_paths {
    const char *const *reads;
    size_t read_count;
    const char *const *written;
    size_t written_count;
};

/* What is known of a process; EXIT_BAD_INPUT where something keeps the profiler from it, or it does
 * not see what it is to read or write, which has been reported. `inspector`: the stock inspector is
 * to be loaded, too. dotnet_process_close() is due in any case. */
enum exit_code attachable_open(struct dotnet_process *process, process_id number,
                               const struct own_paths *paths, bool inspector);

#endif
