/* Whether `ilpatch attach` can attach to a process for a request. */
#ifndef ATTACHABLE_H
#define ATTACHABLE_H

#include "tools/launch/dotnet_process.h"

/* Files that the process itself reads and writes, so it must see them. Borrowed. */
struct own_paths {
    const char *const *reads;
    size_t read_count;
    const char *const *written;
    size_t written_count;
};

/* Opens the process; EXIT_BAD_INPUT, after a report, if the profiler cannot get in, or the process
 * does not see a file. `inspector`: the stock inspector is loaded, too. dotnet_process_close() is
 * due in any case. */
enum exit_code attachable_open(struct dotnet_process *process, process_id number,
                               const struct own_paths *paths, bool inspector);

#endif
