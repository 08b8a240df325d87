/* Files: mapped for reading, replaced atomically for writing. Everything the command writes goes
 * through struct output, so no file is ever half-written and none is lost. */
#ifndef FILE_IO_H
#define FILE_IO_H

#include <signal.h>
#include <sys/types.h>

#include "host/tool.h"

/* Paths may be NULL, for want of memory: such a file cannot be opened (ENOMEM), is not there, and
 * what is made of its path is NULL as well. */

/* A whole regular file, read-only; empty if the file is. False with errno set. Closing what is
 * empty does nothing. */
bool file_map_open(struct ilp_bytes *bytes, const char *path);
void file_map_close(struct ilp_bytes *bytes);

/* Writes all of `bytes`; false with errno set. */
bool write_all(int fd, struct ilp_bytes bytes);

/* A file that appears under its name only when it is complete. Until then it is .ilpatch.XXXXXX in
 * the same folder, and locked: one that nobody has locked was left by a run that was killed. */
struct output {
    char *path;      /* owned */
    char *temporary; /* owned; beside `path` */
    int fd;
    int error; /* errno of the first failure, or 0 */
    /* set it where the file replaces one that could not be made again: see output_commit() */
    bool durable;
};

/* Removes the files and folders that are not complete, for a program that a signal ends: safe in a
 * handler. The second one removes the folders alone, for one that ends by itself. When they are
 * called is the program's to say. */
void unfinished_remove(void);
void unfinished_folders_remove(void);

/* An empty file of our own among the system's temporary ones, TMPDIR or /tmp, for programs that are
 * started: name and six more characters. Owned, a full path; NULL: the reason was reported. It is
 * taken away by the second function, and by an interrupt until the third one says that it is to
 * stay. */
char *temporary_make(const char *name);
void temporary_remove(char *path);
void temporary_keep(char *path);

/* An empty folder in the same place, which only this user can read. Owned; NULL: it was reported
 * why not. It is removed with all that is in it by the second function, which frees its path, by a
 * signal, and when the program ends. */
char *temporary_folder_make(void);
void temporary_folder_remove(char *path);

/* Begins a file that takes the owner and permissions of `like` (NULL: 0666 less the umask). Only a
 * regular file is replaced. An interrupt from the keyboard takes the temporary file away again. */
bool output_begin(struct output *output, const char *path, const char *like);

/* The same, with these permissions less the umask where there is no `like`. */
bool output_begin_as(struct output *output, const char *path, const char *like,
                     unsigned permissions);

struct ilp_sink output_sink(struct output *output);
bool output_bytes(struct output *output, struct ilp_bytes bytes);

/* Puts the file in place. With output->durable its bytes are on the disk before the old ones are
 * gone, so that not even a power cut leaves neither. False with output->error set; then nothing has
 * changed. */
bool output_commit(struct output *output);
void output_abandon(struct output *output);

/* Writes a whole file in this way. */
bool file_write(const char *path, struct ilp_bytes bytes, const char *like, int *error);

/* What was written is on the disk: the file's bytes, the names in a folder. False with errno set. */
bool output_sync(struct output *output);
bool folder_sync(const char *path);

/* A second, temporary name of a file in the folder of `place`: a link where the file system has
 * them, else a copy, on the disk if `lasting`. Owned, for temporary_remove() or temporary_keep();
 * NULL with *error set. */
char *temporary_second_name(const char *path, const char *place, bool lasting, int *error);

/* Removes the temporary files in a folder that a run left behind which is not there any more. */
void temporaries_sweep(const char *folder);

/* No signal ends the program between these two. */
struct held_signals {
    sigset_t mask;
};
struct held_signals signals_hold(void);
void signals_release(const struct held_signals *held);

/* Gives a file a second name, which must be free: a link where the file system has them, else a
 * copy. */
bool file_keep_as(const char *path, const char *second, int *error);

/* Whether a file of this name could be written now, or replaced by output_begin() and its kin,
 * which leaves devices and pipes alone: false with errno set. It is not touched. */
bool path_is_writable(const char *path);
bool path_is_replaceable(const char *path);

/* For what is written after long work: reports beforehand that `path` (may be NULL) is not
 * replaceable. */
enum exit_code output_check(const char *path);

bool file_exists(const char *path);

/* Removes a file by its name; false with errno set. */
bool file_remove(const char *path);

/* Not the opposite: of a file that cannot be looked at neither is known. */
bool file_is_absent(const char *path);

/* False with errno as it was. */
bool path_is_readable(const char *path);
bool path_is_directory(const char *path);
bool file_is_same(const char *path, const char *other);

/* Whether what is written to both paths is written to one place, also where there is nothing
 * yet. */
bool file_is_same_place(const char *path, const char *other);

/* The file that a symbolic link leads to; any other path as it is. Owned by the caller. */
char *path_through_link(const char *path);

/* "dir" of a path ("." when there is none), and dir/name; owned by the caller, NULL: no memory. */
char *path_directory(const char *path);
char *path_join(const char *directory, const char *name);
const char *path_name(const char *path);

/* A path that means the same in another folder: links are followed if it is there. Owned by the
 * caller. */
char *path_full(const char *path);
bool ends_with(const char *text, const char *end);

#endif
