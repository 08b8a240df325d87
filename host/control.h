/* The control connection between `ilpatch attach` and the profiler that it loads into a process: a
 * Unix socket on which the command listens while the profiler starts.
 *
 *   profiler   connects
 *   command    struct control_hello, with the descriptors of the shared counts (shared_counters.h),
 *              of where values go, and of a ring for them (line_ring.h)
 *   command    CONTROL_START, when the inspectors are loaded
 *   profiler   CONTROL_STARTED, when methods that were compiled before have been requested again
 *
 * The end of the connection says the rest. A command that goes before CONTROL_START, in whatever
 * way, takes the profiler with it. Later it ends an attachment that follows, and leaves others as
 * they are. The profiler closes its side when it has written all, or with the process.
 *
 * Values go to a file that the command has opened, so the process needs no right to open it, and a
 * path means what it means to the command's user; or to a ring in memory, from which the command
 * reads them, and then a pipe wakes it, whose end says that no more come. */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "host/process.h"

enum { CONTROL_START = 'g', CONTROL_STARTED = 's' };

struct control_hello {
    int status;   /* descriptor of the file for the profiler's lines */
    int values;   /* descriptor of where values go; -1: the standard error of the process */
    int lines;    /* descriptor of a ring for them (line_ring.h); -1: there is none */
    bool follows; /* the attachment ends with the command */
};

/* ---- the command ---- */

struct control {
    char *folder;  /* only the process's user may look into it; owned */
    char *path;    /* of the socket; owned */
    user_id owner; /* of the process that is waited for */
    int in_folder; /* that folder, open: its name may be another one's by the time it is removed */
    int listening; /* -1: no process is waited for any more */
    int file;      /* the connection; -1: there is none */
};

/* Listens in a new folder in `folder`, for a process of `owner`. What commands that were killed
 * have left there is removed. False: errno says why. control_close() is due in any case. */
bool control_listen(struct control *control, const char *folder, user_id owner);

/* Waits for `process` to connect, and greets it; ends, too, when `other` can be read. */
void control_greet(struct control *control, process_id process, const struct control_hello *hello,
                   int other);

/* Says CONTROL_START, and waits until that is done. False: the profiler has gone. */
bool control_start(struct control *control);

void control_close(struct control *control);

/* ---- the profiler ---- */

/* Connects; the descriptors in *hello are the caller's. -1: errno says why. */
int control_connect(const char *path, struct control_hello *hello);

/* The next byte of a connection, or -1 at its end. */
int control_read(int file);
bool control_write(int file, char word);

#endif
