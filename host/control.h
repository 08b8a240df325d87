/* The control connections between commands and the profiler in a process that runs: from the first
 * `ilpatch attach` until the process ends, the profiler listens on a Unix socket beside that of the
 * runtime's diagnostics server, which only the process's user may use.
 *
 *   command    connects; struct control_hello, with the descriptors of the shared counts
 *              (shared_counters.h), of where values go, and of a ring for them (line_ring.h)
 *   profiler   struct control_reply: it is greeted, it joins a watch that is there, or why not
 *   command    CONTROL_START, when the inspectors are loaded
 *   profiler   CONTROL_STARTED, when methods that were compiled before have been requested again
 *
 * The end of the connection says the rest. A command that goes before CONTROL_START, in whatever
 * way, leaves nothing behind. Later it ends a watch that follows it, unless others have joined; a
 * watch that does not is ended by CONTROL_DETACH, whose reply has its file for the profiler's
 * lines. The profiler closes its side when it has written all, or with the process.
 *
 * Values go to a file that the command has opened, so the process needs no right to open it, and a
 * path means what it means to the command's user; or to a ring in memory, from which the command
 * reads them, and then a pipe wakes it, whose end says that no more come. */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/deadline.h"
#include "host/process.h"

enum { CONTROL_START = 'g', CONTROL_STARTED = 's' };

/* What a command wants. */
enum control_wish {
    CONTROL_ATTACH, /* to see values: those that others have chosen, if its options leave them be */
    CONTROL_CHANGE, /* that other methods are watched from now on, by all that are attached */
    CONTROL_DETACH, /* that nothing is watched any more */
    CONTROL_QUERY /* what is known of a method: `options` are the query, `text` of the reply says it
                       (method_query.h). Nothing is changed */
};

struct control_hello {
    enum control_wish wish;
    int status;    /* descriptor of the file for the profiler's lines; -1: there is none, */
    int values;    /* of where values go; -1: the standard error of the process */
    int lines;     /* of a ring for them (line_ring.h); -1: there is none */
    bool follows;  /* the watch ends with the command */
    char *options; /* as ILPATCH_OPTIONS has them; of who receives it, owned */
    char *report;  /* a file, or ""; the same */
};

enum control_answer {
    CONTROL_GREETED,  /* what was sent is used; or it is done, for wishes that are not waited for */
    CONTROL_JOINED,   /* values that are watched already come, too */
    CONTROL_REFUSED,  /* `text` says why */
    CONTROL_UNUSABLE, /* the profiler has said why in the file for its lines */
    CONTROL_GONE      /* no answer came */
};

struct control_reply {
    enum control_answer answer;
    int lines;  /* the ring that is used instead of the command's own; -1: it is that one */
    int status; /* the file for the profiler's lines that is used, likewise */
    /* for people, but for CONTROL_QUERY; of who receives it, owned: NULL: there is none */
    char *text;
};

enum { CONTROL_TEXT = 1 << 16 }; /* bytes of all texts at most */

/* ---- the command ---- */

/* The path of the socket for the process whose diagnostics socket is at this path. Owned by the
 * caller; NULL: that is none. */
char *control_path(const char *diagnostics);

/* Connects to the profiler in `process`, which is its owner's. -1: none listens there (ENOENT,
 * ECONNREFUSED), or errno says what else is wrong. */
int control_connect(const char *path, process_id process, user_id owner);

/* Sends the hello, and waits for the reply, whose descriptors and text are the caller's. */
struct control_reply control_ask(int file, const struct control_hello *hello);

/* Says CONTROL_START, and waits until that is done. False: the profiler has gone. */
bool control_start(int file);

/* Removes what processes that were killed have left in the folder of such a socket. */
void control_sweep(const char *path, user_id owner);

/* ---- the profiler ---- */

/* Listens; -1: errno says why. */
int control_listen(const char *path);

/* The next connection, of a command that may say what is done; -1: there is none. */
int control_accept(int listening);

/* What it wants; false: it is no such command, and nothing of *hello is set. */
bool control_receive(int file, struct control_hello *hello);
void control_hello_close(struct control_hello *hello);

bool control_answer(int file, const struct control_reply *reply);

/* The next byte of a connection, or -1: at its end, or none comes in time. */
int control_read(int file, struct deadline until);
bool control_write(int file, char word);

#endif
