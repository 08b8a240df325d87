/* Files as memory. See file_map.h. */
#include "host/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <windows.h>

#include "base/wide_path.h"
#include "host/in_memory.h"

static size_t file_map_unit(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwAllocationGranularity;
}

/* Read, not mapped: a mapped file could not be replaced. */
const void *file_map_whole(int file, size_t size)
{
    char *bytes = VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    size_t read_size = 0;
    ssize_t got = 1;
    while (bytes && read_size < size && got > 0) {
        got = pread(file, bytes + read_size, size - read_size, (int64_t)read_size);
        read_size += got > 0 ? (size_t)got : 0;
    }
    if (!bytes || got < 0) {
        int error = bytes ? errno : ENOMEM;
        file_unmap(bytes, size);
        errno = error;
        return NULL;
    }
    return bytes;
}

/* The process keeps that memory. */
void file_map_release_pages(const void *memory, size_t size)
{
    (void)memory;
    (void)size;
}

/* Offsets of pages need not be multiples of the allocation granularity: the view begins at one
 * before. */
void *file_map_shared(int file, uint64_t offset, size_t size)
{
    size_t inside = (size_t)(offset % file_map_unit());
    offset -= inside;
    HANDLE mapping = CreateFileMappingW((HANDLE)_get_osfhandle(file), NULL, PAGE_READWRITE, 0, 0,
                                        NULL);
    char *memory = mapping ? MapViewOfFile(mapping, FILE_MAP_WRITE, (DWORD)(offset >> 32),
                                           (DWORD)offset, size + inside)
                           : NULL;
    if (!memory) {
        fail_by_last_error();
    }
    if (mapping) {
        CloseHandle(mapping);
    }
    return memory ? memory + inside : NULL;
}

void file_map_populate(void *memory, size_t size)
{
    (void)memory;
    (void)size;
}

/* The address range is free for a moment: no other thread may map into it. */
bool file_map_replace(void *memory, size_t size)
{
    return UnmapViewOfFile(memory) &&
           VirtualAlloc(memory, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) == memory;
}

void file_unmap(const void *memory, size_t size)
{
    MEMORY_BASIC_INFORMATION about;
    (void)size;
    if (!memory || VirtualQuery(memory, &about, sizeof about) == 0) {
        return;
    }
    if (about.Type == MEM_MAPPED) {
        UnmapViewOfFile(about.AllocationBase);
    } else {
        VirtualFree((void *)(uintptr_t)memory, 0, MEM_RELEASE);
    }
}

size_t file_map_page(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}

/* A temporary file, removed with its last handle; the system keeps it in memory if it can. */
int file_in_memory(const char *name)
{
    wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 96];
    static volatile LONG next;
    DWORD size = GetTempPathW(MAX_PATH + 1, folder);
    swprintf(path, sizeof path / sizeof *path, L"%ls%hs-%lu-%ld" IN_MEMORY,
             size != 0 ? folder : L"", name, (unsigned long)GetCurrentProcessId(),
             (long)InterlockedIncrement(&next));
    HANDLE file = CreateFileW(path, GENERIC_READ | GENERIC_WRITE | DELETE,
                              FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              CREATE_ALWAYS, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE,
                              NULL);
    if (file == INVALID_HANDLE_VALUE) {
        return fail_by_last_error();
    }
    return _open_osfhandle((intptr_t)file, O_RDWR | O_BINARY | O_NOINHERIT);
}

/* Windows does not truncate files with mapped parts. */
bool file_in_memory_keeps_size(int file)
{
    (void)file;
    return true;
}

bool file_in_memory_has_kept_size(int file)
{
    (void)file;
    return true;
}
