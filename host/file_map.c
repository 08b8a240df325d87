/* Maps files. See file_map.h.
 *
 * Private maps are for reading files, shared ones for memory that several processes use. A hole of
 * a sparse file is mapped as anonymous memory: reading one through a file map costs the file system
 * pages for zeroes. */
#include "host/file_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* Maps the data of the file over memory that replaces its holes. */
static void *map_with_holes(int file, size_t size)
{
    off_t from, to = 0;
    const off_t page = (off_t)file_map_page();
    uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                          0);
    while (bytes != MAP_FAILED && (size_t)to < size && (from = lseek(file, to, SEEK_DATA)) >= 0 &&
           (size_t)from < size) {
        to = lseek(file, from, SEEK_HOLE);
        from -= from % page;
        size_t length = ((size_t)to < size ? (size_t)to : size) - (size_t)from;
        if (mmap(bytes + from, length, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, from) ==
            MAP_FAILED) {
            munmap(bytes, size);
            return MAP_FAILED;
        }
    }
    return bytes;
}

/* A file without holes is one map; SEEK_HOLE at the end of the file is the hole that every file
 * has. */
const void *file_map_whole(int file, size_t size)
{
    off_t hole = lseek(file, 0, SEEK_HOLE);
    bool whole = hole < 0 || (size_t)hole >= size; /* or this file system reports no holes */
    void *bytes = whole ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0)
                        : map_with_holes(file, size);
    return bytes == MAP_FAILED ? NULL : bytes;
}

/* A private map that was not written reads the file again. */
void file_map_release_pages(const void *memory, size_t size)
{
    madvise((void *)(uintptr_t)memory, size, MADV_DONTNEED);
}

void *file_map_shared(int file, uint64_t offset, size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Pages are there before a signal handler or a hook touches them. An older kernel ignores it, and
 * they come when touched. */
void file_map_populate(void *memory, size_t size)
{
    madvise(memory, size, MADV_POPULATE_WRITE);
}

/* At the same address, so that threads which use it go on, without the file. */
bool file_map_replace(void *memory, size_t size)
{
    return mmap(memory, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) != MAP_FAILED;
}

void file_unmap(const void *memory, size_t size)
{
    munmap((void *)(uintptr_t)memory, size);
}

size_t file_map_page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

int file_in_memory(const char *name)
{
    return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

/* F_SEAL_SHRINK: with a shorter file, an access of the other side to its map would end in
 * SIGBUS. */
bool file_in_memory_keeps_size(int file)
{
    return fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) == 0;
}

bool file_in_memory_has_kept_size(int file)
{
    int seals = fcntl(file, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}
