/* Files as memory. Descriptors stay the caller's, and may be closed while the memory is in use. */
#ifndef FILE_MAP_H
#define FILE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole of a file of `size` bytes, to be read. A hole in it is memory of the process: where the
 * file system is full a page of a hole cannot be made, and reading it through the file would be a
 * SIGBUS. NULL: errno says why. */
const void *file_map_whole(int file, size_t size);

/* What was read of it is no memory of this process any more, until it is read again. Of a file that
 * is mapped several times each is counted. */
void file_map_rest(const void *memory, size_t size);

/* A part of a file that other processes share: what is written there is in the file at once.
 * `offset` is one of a page. NULL: errno says why. */
void *file_map_shared(int file, uint64_t offset, size_t size);

/* Makes all pages of it at once, and not one by one as they are met. */
void file_map_populate(void *memory, size_t size);

/* Memory of the process, zeroed, in the place of a mapped part. May run in a signal's handler. */
bool file_map_replace(void *memory, size_t size);

void file_unmap(const void *memory, size_t size);

/* Offsets of mapped parts are multiples of this. */
size_t file_map_page(void);

/* A file without a name, which is gone when all have closed it; its descriptor, or -1: errno says
 * why. `name` is for people who look at the process. */
int file_in_memory(const char *name);

/* From now on no process can make it shorter, so no page of it that is mapped can go: false with
 * errno set. And whether that was done to a file. */
bool file_in_memory_keeps_size(int file);
bool file_in_memory_has_kept_size(int file);

#endif
