/* The file of a spool, in the processes that write it. */
#ifndef ILPI_SPOOL_FILE_H
#define ILPI_SPOOL_FILE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "trace/spool_write.h"

struct spool_head;

enum { SPARE_ROOMS = 64 };

struct spool_file {
    int file;     /* -1: none */
    bool is_pipe; /* or another kind that is not a regular file */
    /* shared by all writing processes; NULL: chunks are appended one by one */
    struct spool_head *head;
    struct ilpi_spool_rooms rooms;
    uint8_t *_Atomic spare[SPARE_ROOMS]; /* of threads that have ended; NULL: none */
};

#define SPOOL_FILE_NONE \
    {                   \
        .file = -1      \
    }

/* Who created the file. */
enum spool_origin {
    SPOOL_NAMED, /* unknown; it is created if it does not exist */
    SPOOL_MADE,  /* the command, under the user's name, which may be a device */
    SPOOL_OWN    /* the command, under its own name: nothing else is opened */
};

/* Opens it; 0, or an errno. EBADMSG: it has other content. Do not move it. */
int spool_file_open(struct spool_file *file, const char *path, enum spool_origin origin);

/* NULL if chunks are appended one by one. */
const struct ilpi_spool_rooms *spool_file_rooms(const struct spool_file *file);
struct ilp_sink spool_file_sink(struct spool_file *file);

/* In a forked copy of the process: shared memory is not touched any more. */
void spool_file_forget(struct spool_file *file);

/* Reports why it could not be opened. */
void spool_file_report(const char *path, int error);

/* When nothing is recorded any more. A thread's room may be left after that. */
void spool_file_close(struct spool_file *file);

#endif
