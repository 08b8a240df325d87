/* Information about processes. See process.h. */
#include "host/process.h"

#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <psapi.h>

#include "base/wide_path.h"
#include "host/in_memory.h"
#include "host/memory.h"
#include "host/other_process.h"
#include "host/path.h"
#include "host/start_parameters.h"

enum { ROOM = 32768 }; /* no path is longer */

void process_pause(unsigned milliseconds)
{
    Sleep(milliseconds);
}

process_id process_own(void)
{
    return (process_id)GetCurrentProcessId();
}

process_id process_own_thread(void)
{
    return (process_id)GetCurrentThreadId();
}

user_id process_user(void)
{
    return 0;
}

bool process_acts_for(user_id user)
{
    return user == process_user();
}

/* NULL: access denied. */
static HANDLE open_process(process_id process)
{
    return OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)process);
}

char *process_program(process_id process)
{
    HANDLE handle = open_process(process);
    wchar_t *wide = handle ? new_items(ROOM, sizeof *wide) : NULL;
    DWORD count = ROOM;
    char *program = wide && QueryFullProcessImageNameW(handle, 0, wide, &count)
                        ? narrow_path(wide, count)
                        : NULL;
    free(wide);
    if (handle) {
        CloseHandle(handle);
    }
    return program;
}

char *process_own_program(void)
{
    return process_program(process_own());
}

char *process_own_folder(void)
{
    char *program = process_own_program();
    char *folder = path_directory(program);
    free(program);
    return folder;
}

unsigned process_processors(void)
{
    DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return count != 0 ? (unsigned)count : 1;
}

/* It is a file in memory. */
char *process_shared_file(int file)
{
    wchar_t *wide = new_items(ROOM, sizeof *wide);
    DWORD count = wide ? GetFinalPathNameByHandleW((HANDLE)_get_osfhandle(file), wide, ROOM, 0) : 0;
    char *path = count != 0 ? narrow_path(wide, count) : NULL;
    free(wide);
    return path;
}

bool process_is_shared_file(const char *path)
{
    return ends_with(path, IN_MEMORY);
}

char *process_file_path(int file)
{
    return process_shared_file(file);
}

void process_command_line(char *text, size_t size)
{
    const wchar_t *line = GetCommandLineW();
    char *narrow = narrow_text(line, wcslen(line));
    snprintf(text, size, "%s", narrow ? narrow : "");
    free(narrow);
}

/* All processes have the same root. */
char *process_root(process_id process)
{
    (void)process;
    return copy_text("");
}

char *process_entry(process_id process, const char *name)
{
    (void)process;
    (void)name;
    return NULL;
}

char *process_working_folder(process_id process)
{
    struct start_parameters parameters;
    HANDLE handle = start_parameters_open(process, &parameters);
    wchar_t *wide = handle ? start_parameters_read(handle, parameters.folder.text,
                                                   parameters.folder.size)
                           : NULL;
    char *folder = wide ? narrow_path(wide, wcslen(wide)) : NULL;
    free(wide);
    if (handle) {
        CloseHandle(handle);
    }
    return folder;
}

bool process_has_library(process_id process, const char *name)
{
    struct process_maps *maps = process_maps_open(process);
    const char *path;
    bool found = false;
    while (maps && !found && (path = process_maps_next(maps)) != NULL) {
        found = strcmp(path_name(path), name) == 0;
    }
    process_maps_close(maps);
    return found;
}

/* In units of 10 ms, from Windows' 100 ns: so it has 42 bits, and fits with the process's number in
 * one word (line_ring.c). */
enum { UNIT = 100000 };

static bool read_start(process_id process, unsigned long long *time, bool *ended)
{
    FILETIME created, exited, kernel, user;
    DWORD code = 0;
    HANDLE handle = open_process(process);
    bool known = handle && GetProcessTimes(handle, &created, &exited, &kernel, &user) &&
                 GetExitCodeProcess(handle, &code);
    if (known) {
        *time = ((unsigned long long)created.dwHighDateTime << 32 | created.dwLowDateTime) / UNIT;
        *ended = code != STILL_ACTIVE;
    }
    if (handle) {
        CloseHandle(handle);
    }
    return known;
}

bool process_find(process_id process, user_id *owner, unsigned long long *started)
{
    bool ended;
    *owner = 0;
    return read_start(process, started, &ended);
}

bool process_runs(process_id process, unsigned long long started)
{
    unsigned long long time;
    bool ended;
    return read_start(process, &time, &ended) && time == started && !ended;
}
