/* The control connections between commands and the profiler in a running process: from the first
 * `ilpatch attach` until the process ends, the profiler listens on a Unix socket beside that of the
 * runtime's diagnostics server, which only the process's user may use.
 *
 *   command    connects; struct control_hello, with the descriptors of the shared counts
 *              (shared_counters.h), of where values go, and of a ring for them (line_ring.h)
 *   profiler   struct control_reply: it is greeted, it joins an existing watch, or why not
 *   command    CONTROL_START, when the inspectors are loaded
 *   profiler   CONTROL_STARTED, when methods compiled earlier have been requested again
 *
 * The end of the connection is a message, too. If a command ends before CONTROL_START, nothing
 * remains. Later it ends a watch that follows it, unless others have joined; other watches are
 * ended by CONTROL_DETACH, whose reply has the watch's status file. The profiler closes its side
 * when everything is written, after CONTROL_ENDED, or with the process, without that.
 *
 * Values go to a file that the command has opened, so that the process needs no access to it, and
 * the path is resolved for the command's user; or to a ring in memory, from which the command reads
 * them, woken by a pipe, whose end means that no more will come. */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/deadline.h"
#include "host/process.h"

enum { CONTROL_START = 'g', CONTROL_STARTED = 's', CONTROL_ENDED = 'e' };

/* The request of a command. */
enum control_wish {
    CONTROL_ATTACH, /* show values: those that others have chosen, if its own options allow that */
    CONTROL_CHANGE, /* change the methods that are watched, for all attached commands */
    CONTROL_DETACH, /* end all watching */
    CONTROL_QUERY   /* return the state of a method: `options` are the query, `text` of the reply is
                     the result (method_query.h). Changes nothing */
};

struct control_hello {
    enum control_wish wish;
    int status;    /* descriptor of the status file; -1: none */
    int values;    /* of the output for values; -1: the process's standard error */
    int lines;     /* of a ring for them (line_ring.h); -1: none */
    bool follows;  /* the watch ends with the command */
    char *options; /* as in ILPATCH_OPTIONS; owned by a receiver */
    char *report;  /* the report's file, or ""; the same */
};

enum control_answer {
    CONTROL_GREETED,  /* what was sent is used; or a request without a start is done */
    CONTROL_JOINED,   /* values of an existing watch are sent here, too */
    CONTROL_REFUSED,  /* `text` has the reason */
    CONTROL_UNUSABLE, /* the profiler has written the reason to its status file */
    CONTROL_GONE      /* no reply */
};

struct control_reply {
    enum control_answer answer;
    int lines;  /* the ring that is used instead of the command's own; -1: its own */
    int status; /* the status file that is used, likewise */
    /* a message, except for CONTROL_QUERY; owned by a receiver: NULL: none */
    char *text;
};

enum { CONTROL_TEXT = 1 << 16 }; /* maximum bytes of all texts */

/* ---- the command ---- */

/* The path of the socket for the process whose diagnostics socket is at this path. Owned by the
 * caller; NULL: it is not such a path. */
char *control_path(const char *diagnostics);

/* Connects to the profiler in `process` of user `owner`. -1: it does not listen (ENOENT,
 * ECONNREFUSED), or another errno. */
int control_connect(const char *path, process_id process, user_id owner);

/* Sends the hello, and waits for the reply, whose descriptors and text are then the caller's. */
struct control_reply control_request(int file, const struct control_hello *hello);

/* Sends CONTROL_START, and waits until that is done. False: the profiler is gone. */
bool control_start(int file);

/* Removes sockets of killed processes in the folder of such a socket. */
void control_sweep(const char *path, user_id owner);

/* ---- the profiler ---- */

/* Starts to listen; -1: see errno. */
int control_listen(const char *path);

/* The next connection, of a permitted command; -1: none. */
int control_accept(int listening);

/* Receives its request; false: it is not such a command, and *hello is not set. */
bool control_receive(int file, struct control_hello *hello);
void control_hello_close(struct control_hello *hello);

bool control_answer(int file, const struct control_reply *reply);

/* The next byte of a connection, or -1: at its end, or at the deadline. */
int control_read(int file, struct deadline until);
bool control_write(int file, char word);

#endif
