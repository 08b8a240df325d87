/* Information about other processes. See other_process.h. */
#include "host/other_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <psapi.h>

#include "base/command_line.h"
#include "base/wide_path.h"
#include "host/memory.h"
#include "host/path.h"
#include "host/start_parameters.h"

enum { ROOM = 32768 }; /* no path is longer */

/* ---- its state ---- */

/* Users have no numbers here: users whose processes we may open count as this one, and all others
 * are one. */
enum { OTHER_USER = 1 };

static bool is_ours(process_id process)
{
    HANDLE handle = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ | PROCESS_DUP_HANDLE,
                                FALSE, (DWORD)process);
    if (handle) {
        CloseHandle(handle);
    }
    return handle != NULL;
}

bool process_state_read(process_id process, struct process_state *state)
{
    DWORD code = STILL_ACTIVE;
    HANDLE handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)process);
    bool is_there = handle || GetLastError() == ERROR_ACCESS_DENIED;
    bool runs = is_there && (!handle || !GetExitCodeProcess(handle, &code) || code == STILL_ACTIVE);
    *state = (struct process_state){.state = runs ? 'S' : '\0',
                                    .user = runs && is_ours(process) ? process_user() : OTHER_USER,
                                    .own_number = process,
                                    .namespaces = 1};
    if (handle) {
        CloseHandle(handle);
    }
    return runs;
}

bool process_is_stopped(const struct process_state *state)
{
    (void)state;
    return false;
}

static char *name_of(PSID user)
{
    WCHAR name[256], domain[256];
    DWORD name_room = 256, domain_room = 256;
    SID_NAME_USE kind;
    return LookupAccountSidW(NULL, user, name, &name_room, domain, &domain_room, &kind)
               ? narrow_text(name, name_room)
               : NULL;
}

char *process_user_name(process_id process, user_id user)
{
    union {
        TOKEN_USER user;
        BYTE room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } about;
    HANDLE handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)process);
    HANDLE token = NULL;
    DWORD size;
    bool known = handle && OpenProcessToken(handle, TOKEN_QUERY, &token) &&
                 GetTokenInformation(token, TokenUser, &about, sizeof about, &size);
    char *name = known ? name_of(about.user.User.Sid) : NULL;
    (void)user;
    if (token) {
        CloseHandle(token);
    }
    if (handle) {
        CloseHandle(handle);
    }
    return name ? name : copy_text("?");
}

/* ---- all of them ---- */

struct processes {
    DWORD count, next;
    DWORD numbers[16384];
};

struct processes *processes_open(void)
{
    struct processes *processes = new_items(1, sizeof *processes);
    DWORD size = 0;
    if (processes && !EnumProcesses(processes->numbers, sizeof processes->numbers, &size)) {
        fail_by_last_error();
        free(processes);
        return NULL;
    }
    if (processes) {
        processes->count = size / sizeof processes->numbers[0];
        processes->next = 0;
    }
    return processes;
}

process_id processes_next(struct processes *processes)
{
    process_id found = 0; /* the idle process's number */
    while (found == 0 && processes->next < processes->count) {
        found = (process_id)processes->numbers[processes->next++];
    }
    return found;
}

void processes_close(struct processes *processes)
{
    free(processes);
}

/* ---- texts ---- */

/* Appends one, with its NUL, if there is room. */
static void put(FILE *texts, const WCHAR *text, bool is_path, size_t most)
{
    char *narrow = (size_t)ftell(texts) < most ? narrow_text(text, wcslen(text)) : NULL;
    if (narrow && is_path) {
        path_unify(narrow);
    }
    if (narrow) {
        fwrite(narrow, 1, strlen(narrow) + 1, texts);
    }
    free(narrow);
}

/* Up to the end of the committed memory. */
static WCHAR *read_environment(HANDLE process, const WCHAR *environment)
{
    MEMORY_BASIC_INFORMATION about;
    if (!environment ||
        VirtualQueryEx(process, environment, &about, sizeof about) != sizeof about) {
        return NULL;
    }
    size_t size =
        (size_t)((const char *)about.BaseAddress + about.RegionSize - (const char *)environment);
    size = size < PROCESS_ENVIRONMENT_MOST ? size : PROCESS_ENVIRONMENT_MOST;
    return start_parameters_read(process, environment, size);
}

static void put_environment(FILE *texts, const WCHAR *environment)
{
    for (const WCHAR *at = environment; at && *at; at += wcslen(at) + 1) {
        put(texts, at, false, PROCESS_ENVIRONMENT_MOST);
    }
}

static void put_arguments(FILE *texts, const WCHAR *line)
{
    size_t count = 0;
    WCHAR **arguments = line ? split_command_line(line, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        put(texts, arguments[i], i == 0, PROCESS_COMMAND_LINE_MOST);
    }
    free(arguments);
}

static bool read_texts(process_id process, bool environment, struct process_texts *texts)
{
    struct start_parameters parameters;
    HANDLE handle = start_parameters_open(process, &parameters);
    *texts = (struct process_texts){.bytes = NULL};
    if (!handle) {
        return false;
    }
    const struct start_text *line = &parameters.command_line;
    WCHAR *wide = environment ? read_environment(handle, parameters.environment)
                              : start_parameters_read(handle, line->text, line->size);
    FILE *out = wide ? open_memstream(&texts->bytes, &texts->size) : NULL;
    if (out) {
        (environment ? put_environment : put_arguments)(out, wide);
        fclose(out);
    }
    free(wide);
    CloseHandle(handle);
    return out != NULL;
}

bool process_environment(process_id process, struct process_texts *texts)
{
    return read_texts(process, true, texts);
}

bool process_arguments(process_id process, struct process_texts *texts)
{
    return read_texts(process, false, texts);
}

/* The names of variables are not case-sensitive. */
const char *process_texts_variable(const struct process_texts *texts, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = NULL; (at = process_texts_next(texts, at)) != NULL;) {
        if (strnicmp(at, name, size) == 0 && at[size] == '=') {
            return at + size + 1;
        }
    }
    return NULL;
}

/* ---- maps ---- */

struct process_maps {
    HANDLE process;
    const char *at; /* the next address to look at */
    char *latest;
    WCHAR wide[ROOM];
};

struct process_maps *process_maps_open(process_id process)
{
    struct process_maps *maps = new_items(1, sizeof *maps);
    if (maps) {
        maps->at = NULL;
        maps->latest = NULL;
        maps->process = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE,
                                    (DWORD)process);
    }
    if (maps && !maps->process) {
        free(maps);
        maps = NULL;
    }
    return maps;
}

/* "\Device\HarddiskVolume2\App\App.dll" as a path with a drive. Wine 8.0 has
 * "\??\C:\App\App.dll". */
static char *with_drive(const WCHAR *path, size_t size)
{
    static const WCHAR named[] = L"\\??\\";
    enum { NAMED = sizeof named / sizeof *named - 1 };
    if (size > NAMED && wcsncmp(path, named, NAMED) == 0) {
        return narrow_path(path + NAMED, size - NAMED);
    }
    for (WCHAR letter = L'A'; letter <= L'Z'; letter++) {
        WCHAR device[MAX_PATH];
        const WCHAR drive[] = {letter, L':', L'\0'};
        size_t count = QueryDosDeviceW(drive, device, MAX_PATH) != 0 ? wcslen(device) : 0;
        if (count != 0 && count < size && wcsnicmp(path, device, count) == 0 &&
            path[count] == L'\\') {
            char *rest = narrow_path(path + count, size - count);
            char *whole = rest ? format_text("%c:%s", (char)letter, rest) : NULL;
            free(rest);
            return whole;
        }
    }
    return narrow_path(path, size);
}

const char *process_maps_next(struct process_maps *maps)
{
    MEMORY_BASIC_INFORMATION about;
    while (VirtualQueryEx(maps->process, maps->at, &about, sizeof about) == sizeof about) {
        const void *region = maps->at;
        maps->at = (const char *)about.BaseAddress + about.RegionSize;
        DWORD size = about.Type == MEM_MAPPED || about.Type == MEM_IMAGE
                         ? GetMappedFileNameW(maps->process, (void *)(uintptr_t)region, maps->wide,
                                              ROOM)
                         : 0;
        char *path = size != 0 ? with_drive(maps->wide, size) : NULL;
        bool is_new = path && (!maps->latest || strcmp(path, maps->latest) != 0);
        if (is_new) {
            free(maps->latest);
            maps->latest = path;
            return path;
        }
        free(path);
    }
    return NULL;
}

void process_maps_close(struct process_maps *maps)
{
    if (maps) {
        CloseHandle(maps->process);
        free(maps->latest);
        free(maps);
    }
}
