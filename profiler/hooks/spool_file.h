/* The file of a spool, from within the processes that write it. */
#ifndef ILPI_SPOOL_FILE_H
#define ILPI_SPOOL_FILE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "trace/spool_write.h"

struct spool_head;

enum { SPARE_ROOMS = 64 };

struct spool_file {
    int file;     /* -1: none */
    bool is_pipe; /* or something else that is not a file */
    /* shared by all processes that write; NULL: chunks are written one after the other */
    struct spool_head *head;
    struct ilpi_spool_rooms rooms;
    uint8_t *_Atomic spare[SPARE_ROOMS]; /* of threads that have ended; NULL: none */
};

/* Who has made the file of that name. */
enum spool_origin {
    SPOOL_NAMED, /* somebody may have; if none has, it is made */
    SPOOL_MADE,  /* the command, by the user's name for it, which may be a device's */
    SPOOL_OWN    /* the command, and the name is its own: nothing else is opened */
};

/* Opens it; 0, or errno. EBADMSG: there is something else in it. It must stay where it is. */
int spool_file_open(struct spool_file *file, const char *path, enum spool_origin origin);

/* Without rooms (NULL) where chunks are written one after the other. */
const struct ilpi_spool_rooms *spool_file_rooms(const struct spool_file *file);
struct ilp_sink spool_file_sink(struct spool_file *file);

/* In a copy of the process: what it shares with the others is not touched any more. */
void spool_file_forget(struct spool_file *file);

/* Reports why it could not be opened. */
void spool_file_report(const char *path, int error);

/* When nothing is recorded in it any more. A thread's room may be left after that. */
void spool_file_close(struct spool_file *file);

#endif
