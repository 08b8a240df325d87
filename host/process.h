/* Processes, as the system knows them: this one and others. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Texts are NULL when memory has run out. */

typedef int32_t process_id;
typedef uint32_t user_id;

/* Waits, or less where a signal comes. */
void process_pause(unsigned milliseconds);

process_id process_own(void);

/* The system's number of the calling thread. */
process_id process_own_thread(void);

/* The user that we act for. */
user_id process_user(void);

/* Whether we may do what a user may: it is ours, or we are root. */
bool process_acts_for(user_id user);

/* The file that a process runs; a path that leads to it where its name is not known. Owned by the
 * caller. */
char *process_program(process_id process);
char *process_own_program(void);

/* How many processors there are for it; at least 1. */
unsigned process_processors(void);

/* The folder of our own program, also when the file is not there any more. Owned by the caller. */
char *process_own_folder(void);

/* Another file of ours by its descriptor, as a path that this process can open. Owned by the
 * caller. */
char *process_file_path(int file);

/* The same as a path that other processes of this user can open, as long as it is open here. Owned
 * by the caller. And whether a path is of that form. */
char *process_shared_file(int file);
bool process_is_shared_file(const char *path);

/* The path of what the system has of a process under a name: "maps", "root". Owned by the
 * caller. */
char *process_entry(process_id process, const char *name);

/* What the system puts before paths of a process that has changed its root, if its mounts are
 * shown from further up: "" where nothing is. NULL: that is not shown. Owned by the caller. */
char *process_root(process_id process);

/* The folder that it works in, as it names that; NULL where it is not shown. Owned by the
 * caller. */
char *process_working_folder(process_id process);

/* Our command line with blanks between its words, as much of it as fits. */
void process_command_line(char *text, size_t size);

/* Whose a process is, and when it was started, in the system's own units; false: there is none. */
bool process_find(process_id process, user_id *owner, unsigned long long *started);

/* Whether that process still runs: it has not ended, and its number is not another one's. */
bool process_runs(process_id process, unsigned long long started);

/* Whether it has mapped a file of this name. */
bool process_has_library(process_id process, const char *name);

#endif
