/* What the system says of another process. Texts and names are what that process has made of them:
 * they may lie, and are no longer than the limits below. */
#ifndef OTHER_PROCESS_H
#define OTHER_PROCESS_H

#include "host/process.h"

/* From /proc/PID/status on Linux. */
struct process_state {
    char state; /* 'R', 'S', 'T' ...: proc(5) */
    user_id user;
    user_id group;
    process_id own_number; /* in its own PID namespace */
    unsigned namespaces;   /* it has so many numbers: more than ours has it in a container */
};

/* False: there is no such process, or not any more. */
bool process_state_read(process_id process, struct process_state *state);

/* Stopped by a signal or a debugger. */
bool process_is_stopped(const struct process_state *state);

/* The user of a process for people: a name where one is known, else a number. Owned by the
 * caller. */
char *process_user_name(process_id process, user_id user);

/* The next process of the machine after `last`, which is 0 at first; 0: there is none. */
struct processes;
struct processes *processes_open(void); /* NULL: errno says why */
process_id processes_next(struct processes *processes);
void processes_close(struct processes *processes);

/* Texts with a NUL after each: the environment with which a program was started, and its command
 * line. False: they are not shown to us. */
struct process_texts {
    char *bytes; /* owned; a NUL follows */
    size_t size;
};
enum { PROCESS_ENVIRONMENT_MOST = 2 << 20, PROCESS_COMMAND_LINE_MOST = 8 << 10 };

bool process_environment(process_id process, struct process_texts *texts);
bool process_arguments(process_id process, struct process_texts *texts);
void process_texts_free(struct process_texts *texts);

/* The one after `text`, or the first one after NULL; NULL: that was the last one. */
const char *process_texts_next(const struct process_texts *texts, const char *text);

/* The value of a variable, or NULL. Of several the first one counts, as for getenv(). */
const char *process_texts_variable(const struct process_texts *texts, const char *name);

/* The files that it has mapped: paths as it sees them. NULL: they cannot be read. */
struct process_maps;
struct process_maps *process_maps_open(process_id process);

/* The next path, each file once where its parts follow each other. One that has no name any more
 * ends in its old one: " (deleted)" is cut off. Borrowed until the next call. */
const char *process_maps_next(struct process_maps *maps);
void process_maps_close(struct process_maps *maps);

#endif
