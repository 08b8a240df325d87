/* What a process was started with, as it has it in its memory. */
#ifndef START_PARAMETERS_H
#define START_PARAMETERS_H

#include <windows.h>

#include "host/process.h"

/* As the system lays it out; pointers are the other process's. */
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
    struct start_text folder; /* that it works in now */
    HANDLE folder_handle;
    struct start_text libraries, image, command_line;
    WCHAR *environment; /* texts with a NUL after each, and one more */
};

/* Opens the process and reads them. NULL: it is not shown to us; errno says why. */
HANDLE start_parameters_open(process_id process, struct start_parameters *parameters);

/* One of its texts; NULL: it cannot be read. Owned by the caller, a NUL follows. */
WCHAR *start_parameters_read(HANDLE process, const WCHAR *text, size_t bytes);

#endif
