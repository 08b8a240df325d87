/* RTL_USER_PROCESS_PARAMETERS: the command line and environment of a process, read from its
 * memory. */
#ifndef START_PARAMETERS_H
#define START_PARAMETERS_H

#include <windows.h>

#include "host/process.h"

/* UNICODE_STRING and the parameters as Windows lays them out; pointers are in the other process. */
struct start_text {
    USHORT size; /* bytes */
    USHORT room;
    WCHAR *text;
};

struct start_parameters {
    ULONG head[4];
    HANDLE console;
    ULONG console_flags;
    HANDLE streams[3];
    struct start_text folder; /* current directory */
    HANDLE folder_handle;
    struct start_text libraries, image, command_line;
    WCHAR *environment; /* each text with a NUL, and a final NUL */
};

/* Opens the process and reads them. NULL: failed, with errno. */
HANDLE start_parameters_open(process_id process, struct start_parameters *parameters);

/* One of its texts; NULL: it cannot be read. Owned by the caller, a NUL follows. */
WCHAR *start_parameters_read(HANDLE process, const WCHAR *text, size_t bytes);

#endif
