/* What the system shows of another process. That process controls texts and names: they may be
 * false; they are no longer than the limits below. */
#ifndef OTHER_PROCESS_H
#define OTHER_PROCESS_H

#include "host/process.h"

/* From /proc/PID/status on Linux. */
struct process_state {
    char state; /* 'R', 'S', 'T' ...: proc(5) */
    user_id user;
    user_id group;
    process_id own_number; /* in its own PID namespace */
    unsigned namespaces;   /* number of PID namespaces: more than ours in a container */
};

/* False: there is no such process (any more). */
bool process_state_read(process_id process, struct process_state *state);

/* Stopped by a signal or a debugger. */
bool process_is_stopped(const struct process_state *state);

/* A process's user for messages: the name if it is known, else the number. Owned by the caller. */
char *process_user_name(process_id process, user_id user);

/* The next process of the machine after `last`, initially 0; 0: there are no more. */
struct processes;
struct processes *processes_open(void); /* NULL: see errno */
process_id processes_next(struct processes *processes);
void processes_close(struct processes *processes);

/* Texts, each with a NUL: the environment with which a program was started, and its command line.
 * False: not accessible. */
struct process_texts {
    char *bytes; /* owned; a NUL follows */
    size_t size;
};
enum { PROCESS_ENVIRONMENT_MOST = 2 << 20, PROCESS_COMMAND_LINE_MOST = 8 << 10 };

bool process_environment(process_id process, struct process_texts *texts);
bool process_arguments(process_id process, struct process_texts *texts);
void process_texts_free(struct process_texts *texts);

/* The text after `text`, or the first one for NULL; NULL: there are no more. */
const char *process_texts_next(const struct process_texts *texts, const char *text);

/* The value of a variable, or NULL. Of several the first one counts, as in getenv(). */
const char *process_texts_variable(const struct process_texts *texts, const char *name);

/* Its mapped files: paths in its own view. NULL: not accessible. */
struct process_maps;
struct process_maps *process_maps_open(process_id process);

/* The next path; consecutive parts of a file give one path. The " (deleted)" of a file without a
 * name is removed. Borrowed until the next call. */
const char *process_maps_next(struct process_maps *maps);
void process_maps_close(struct process_maps *maps);

#endif
