/* Reads them through the process environment block. See start_parameters.h. */
#include "host/start_parameters.h"

#include <errno.h>
#include <stdlib.h>
#include <winternl.h>

#include "base/wide_path.h"
#include "host/memory.h"

typedef NTSTATUS WINAPI query_process(HANDLE process, PROCESSINFOCLASS class, void *about,
                                      ULONG size, ULONG *used);

static bool read_memory(HANDLE process, const void *address, void *to, size_t size)
{
    SIZE_T got = 0;
    return address && ReadProcessMemory(process, address, to, size, &got) && got == size;
}

static query_process *find_query(void)
{
    FARPROC found = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "NtQueryInformationProcess");
    query_process *query;
    memcpy(&query, &found, sizeof query);
    return query;
}

static bool read_parameters(HANDLE process, struct start_parameters *parameters)
{
    PROCESS_BASIC_INFORMATION about;
    PEB block;
    query_process *query = find_query();
    return query && query(process, ProcessBasicInformation, &about, sizeof about, NULL) >= 0 &&
           read_memory(process, about.PebBaseAddress, &block, sizeof block) &&
           read_memory(process, block.ProcessParameters, parameters, sizeof *parameters);
}

HANDLE start_parameters_open(process_id process, struct start_parameters *parameters)
{
    HANDLE handle = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, (DWORD)process);
    if (!handle) {
        fail_by_last_error();
        return NULL;
    }
    if (!read_parameters(handle, parameters)) {
        CloseHandle(handle);
        errno = EACCES;
        return NULL;
    }
    return handle;
}

WCHAR *start_parameters_read(HANDLE process, const WCHAR *text, size_t bytes)
{
    size_t count = bytes / sizeof *text;
    WCHAR *copy = new_items(count + 1, sizeof *copy);
    if (copy && bytes != 0 && !read_memory(process, text, copy, count * sizeof *copy)) {
        free(copy);
        copy = NULL;
    }
    if (copy) {
        copy[count] = L'\0';
    }
    return copy;
}
