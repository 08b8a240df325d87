/* Facts about processes: this one and others. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Texts are NULL after a lack of memory. */

typedef int32_t process_id;
typedef uint32_t user_id;

/* Waits; a signal ends it early. */
void process_pause(unsigned milliseconds);

process_id process_own(void);

/* The system's number of the calling thread. */
process_id process_own_thread(void);

/* The user on whose behalf we act. */
user_id process_user(void);

/* Whether we may act for a user: it is ours, or we are root. */
bool process_acts_for(user_id user);

/* The program file of a process; if its name is unknown, a path that opens it. Owned by the
 * caller. */
char *process_program(process_id process);
char *process_own_program(void);

/* The number of processors available to it; at least 1. */
unsigned process_processors(void);

/* The folder of our own program, even if its file was removed. Owned by the caller. */
char *process_own_folder(void);

/* A path by which this process can open one of its descriptors. Owned by the caller. */
char *process_file_path(int file);

/* A path by which other processes of this user can open it, as long as it is open here. Owned by
 * the caller. The second function tests for this form. */
char *process_shared_file(int file);
bool process_is_shared_file(const char *path);

/* The path of a process's entry: "maps", "root". Owned by the caller. */
char *process_entry(process_id process, const char *name);

/* The prefix that the system puts before paths of a process with another root, if its mounts are
 * visible to us: "" for none. NULL: not accessible. Owned by the caller. */
char *process_root(process_id process);

/* Its current folder, in its own view; NULL if not accessible. Owned by the caller. */
char *process_working_folder(process_id process);

/* Our command line, words separated by blanks, truncated to fit. */
void process_command_line(char *text, size_t size);

/* The owner of a process, and its start time in the system's own units; false: there is none. */
bool process_find(process_id process, user_id *owner, unsigned long long *started);

/* Whether that process still runs: it has not ended, and its number was not reused. */
bool process_runs(process_id process, unsigned long long started);

/* Whether it has mapped a file of this name. */
bool process_has_library(process_id process, const char *name);

#endif
