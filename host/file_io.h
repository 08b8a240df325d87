/* Files: mapped for reading, replaced atomically for writing. Everything that the command writes
 * goes through struct output, so no file is ever half-written or lost. Paths may be NULL, after a
 * lack of memory: such a file cannot be opened (ENOMEM). */
#ifndef FILE_IO_H
#define FILE_IO_H

#include <stdio.h>

#include "host/tool.h"

/* A descriptor for reading a regular file; -1 with errno set. */
int file_open_to_read(const char *path);

/* A whole regular file, read-only; empty if the file is. False with errno set. Closing an empty one
 * is a no-op. */
bool file_map_open(struct ilp_bytes *bytes, const char *path);
void file_map_close(struct ilp_bytes *bytes);

/* Whether the file exists with exactly these bytes. */
bool file_holds(const char *path, struct ilp_bytes bytes);

/* Reads up to `size` bytes from the start of a file and returns their number; 0: it is empty, or
 * not readable. */
size_t file_read_start(const char *path, void *bytes, size_t size);

/* Whether the descriptor is open, and not for reading alone. */
bool file_can_be_written(int fd);

/* Writes all of `bytes`; false with errno set. */
bool write_all(int fd, struct ilp_bytes bytes);

/* Flushes a stream; 0, or errno if not all of its output was written. */
int stream_error(FILE *stream);

/* A file that gets its name only when it is complete. Until then it is a temporary one in the same
 * folder. */
struct output {
    char *path;      /* owned */
    char *temporary; /* owned; beside `path` */
    int fd;
    int error; /* errno of the first failure, or 0 */
    /* set it if the file replaces one that could not be made again: see output_commit() */
    bool durable;
    bool synced; /* nothing was written since the last sync */
};

/* Begins a file with the owner and permissions of `like` (NULL: 0666 less the umask). Only a
 * regular file is replaced. An interrupt from the keyboard removes the temporary file. */
bool output_begin(struct output *output, const char *path, const char *like);

/* The same, with these permissions less the umask if `like` does not exist. */
bool output_begin_as(struct output *output, const char *path, const char *like,
                     unsigned permissions);

struct ilp_sink output_sink(struct output *output);
bool output_bytes(struct output *output, struct ilp_bytes bytes);

/* Puts the file in place. With output->durable its bytes are on the disk before the old file is
 * gone, so that not even a power failure loses both. False with output->error set; then nothing has
 * changed. */
bool output_commit(struct output *output);
void output_abandon(struct output *output);

/* Writes a whole file like this. */
bool file_write(const char *path, struct ilp_bytes bytes, const char *like, int *error);

/* Waits until everything is on the disk: the file's bytes, the names in a folder. False with errno
 * set. */
bool output_sync(struct output *output);
bool folder_sync(const char *path);

/* A second, temporary name of a file in the folder of `place`: a link if the file system supports
 * it, else a copy, on the disk if `lasting`. Owned, for temporary_remove() or temporary_keep();
 * NULL with *error set. */
char *temporary_second_name(const char *path, const char *place, bool lasting, int *error);

#endif
