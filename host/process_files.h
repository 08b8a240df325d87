/* Files as another process sees them, which may have another root and other mounts than we: a
 * container. What is there may be of whoever that process is of: no link leads out of its root, and
 * only regular files are read. */
#ifndef PROCESS_FILES_H
#define PROCESS_FILES_H

#include "host/process.h"

/* Opens what `path` is to the process, which may have another root and other mounts; links that
 * lead out of its root do not. A regular file for reading, or a folder, as a place only
 * (process_file_path() names it). -1: errno says why; EACCES: the process does not show us its
 * files. */
int process_open_file(process_id process, const char *path);
int process_open_folder(process_id process, const char *path);

/* A path that opens the file of its program, wherever that is. Owned by the caller. */
char *process_program_file(process_id process);

/* The bytes of one of its files, at most so many. False: errno says why. The bytes are owned by the
 * caller. */
bool process_read_file(process_id process, const char *path, size_t most, uint8_t **bytes,
                       size_t *size);

/* Whether a path means to it what it means to us: its root and its mounts are ours. */
bool process_has_our_files(process_id process);

/* Whether it sees at `path` the file that is there for us: itself, or one of the same bytes. */
bool process_sees_file(process_id process, const char *path);

/* Whether the folder that is there for us is the one that it sees. */
bool process_sees_folder(process_id process, const char *path);

/* How a folder is mounted. */
struct folder_traits {
    bool is_read_only;
    bool is_no_exec;
};
struct folder_traits folder_traits(int folder);

/* From now on what this process makes belongs to another user, for which it has to be root; and
 * back. In a user namespace files of root's would be nobody's. */
bool process_act_as(user_id user, user_id group);

/* A file of this user's becomes another one's, for which it has to be root, unless both are the
 * same. False: errno says why not. */
bool process_give_file(const char *path, user_id user);
void process_act_as_self(void);

#endif
