/* Files as memory. Descriptors stay the caller's, and may be closed while the memory is in use. */
#ifndef FILE_MAP_H
#define FILE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole file of `size` bytes, for reading. Its holes are memory of the process: on a full file
 * system a page of a hole cannot be allocated, and reading it through the file would be a SIGBUS.
 * NULL: see errno. */
const void *file_map_whole(int file, size_t size);

/* Releases the pages that were read, until they are read again. A file that is mapped several times
 * counts once per mapping. */
void file_map_release_pages(const void *memory, size_t size);

/* A part of a file that is shared with other processes: writes are in the file at once. `offset` is
 * a multiple of a page. NULL: see errno. */
void *file_map_shared(int file, uint64_t offset, size_t size);

/* Allocates all its pages at once instead of at first use. */
void file_map_populate(void *memory, size_t size);

/* Replaces a mapped part by zeroed memory of the process. Safe in signal handlers. */
bool file_map_replace(void *memory, size_t size);

void file_unmap(const void *memory, size_t size);

/* Offsets of mapped parts are multiples of this. */
size_t file_map_page(void);

/* A file without a name, which disappears when all have closed it; its descriptor, or -1: see
 * errno. `name` is shown by process tools. */
int file_in_memory(const char *name);

/* Seals the file against shrinking, so that its mapped pages cannot disappear: false with errno
 * set. The second function tests for the seal. */
bool file_in_memory_keeps_size(int file);
bool file_in_memory_has_kept_size(int file);

#endif
