/* Files in the view of another process, which may have another root and other mounts than we: a
 * container. Its owner may control them: no link leads out of its root, and only regular files are
 * read. */
#ifndef PROCESS_FILES_H
#define PROCESS_FILES_H

#include "host/process.h"

/* Opens `path` in the process's view, which may have another root and other mounts; links cannot
 * leave its root. A regular file for reading, or a folder as an O_PATH descriptor
 * (process_file_path() names it). -1: see errno; EACCES: its files are not accessible to us. */
int process_open_file(process_id process, const char *path);
int process_open_folder(process_id process, const char *path);

/* A path that opens its program's file, wherever that is. Owned by the caller. */
char *process_program_file(process_id process);

/* Reads one of its files, up to a limit. False: see errno. The bytes are owned by the caller. */
bool process_read_file(process_id process, const char *path, size_t most, uint8_t **bytes,
                       size_t *size);

/* Whether paths are the same for it as for us: the same root and mounts. */
bool process_has_our_files(process_id process);

/* Whether it sees our file at `path`: the same file, or one with the same bytes. */
bool process_sees_file(process_id process, const char *path);

/* Whether it sees our folder at that path. */
bool process_sees_folder(process_id process, const char *path);

/* How a folder is mounted. */
struct folder_traits {
    bool is_read_only;
    bool is_no_exec;
};
struct folder_traits folder_traits(int folder);

/* Makes this process act as another user, for which it must be root; and undoes that. In a user
 * namespace files of root would belong to the user `nobody`. */
bool process_act_as(user_id user, user_id group);

/* Changes the owner of one of this user's files, for which it must be root, unless both are the
 * same. False: see errno. */
bool process_give_file(const char *path, user_id user);
void process_act_as_self(void);

#endif
