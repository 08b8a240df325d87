/* Where a process has its diagnostics server, which is the system's. */
#ifndef DIAGNOSTICS_FIND_H
#define DIAGNOSTICS_FIND_H

#include "tools/launch/diagnostics.h"

/* The folder of its socket, for a process that has `set` for TMPDIR, or NULL: a descriptor, and its
 * name to the process, owned. -1: errno says why it cannot be reached; 0: it does not have to
 * be. */
int diagnostics_open_folder(process_id process, const char *set, char **name);

/* Looks for the socket there. `own_number` is the number that the process has itself. False: it is
 * not there. */
bool diagnostics_find(struct diagnostics *server, process_id process, user_id owner,
                      process_id own_number, int folder, const char *folder_name);

#endif
