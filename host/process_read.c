/* What is read of another process in the same way on all systems: its files (process_files.h) and
 * texts (other_process.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/memory.h"
#include "host/other_process.h"
#include "host/process_files.h"

/* *size may be less than the file had: it may become shorter while it is read. */
bool process_read_file(process_id process, const char *path, size_t most, uint8_t **bytes,
                       size_t *size)
{
    struct stat info;
    int file = process_open_file(process, path);
    bool fits = file >= 0 && fstat(file, &info) == 0 && (uint64_t)info.st_size <= most;
    int error = file < 0 ? errno : EFBIG;
    *bytes = fits ? new_items((size_t)info.st_size, 1) : NULL;
    *size = 0;
    ssize_t got = 1;
    while (*bytes && got > 0 && *size < (size_t)info.st_size) {
        got = read(file, *bytes + *size, (size_t)info.st_size - *size);
        *size += got > 0 ? (size_t)got : 0;
    }
    if (file >= 0) {
        close(file);
    }
    errno = error;
    return *bytes != NULL;
}

void process_texts_free(struct process_texts *texts)
{
    free(texts->bytes);
    *texts = (struct process_texts){.bytes = NULL};
}

const char *process_texts_next(const struct process_texts *texts, const char *text)
{
    const char *next = text ? text + strlen(text) + 1 : texts->bytes;
    return next && next < texts->bytes + texts->size ? next : NULL;
}
