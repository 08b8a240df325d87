/* Locates a process's diagnostics server, depending on the system. */
#ifndef DIAGNOSTICS_FIND_H
#define DIAGNOSTICS_FIND_H

#include "tools/launch/diagnostics.h"

/* The folder of its socket, for a process with TMPDIR `set`, or NULL: a descriptor, and its name in
 * the process's view, owned. -1: errno says why it is not accessible; 0: it is not needed. */
int diagnostics_open_folder(process_id process, const char *set, char **name);

/* Searches it for the socket. `own_number` is the process's number in its own namespace. False: not
 * found. */
bool diagnostics_find(struct diagnostics *server, process_id process, user_id owner,
                      process_id own_number, int folder, const char *folder_name);

#endif
