/* Temporary files and folders: those of a run that was killed are recognised and removed by the
 * next one, and those of a program that a signal ends by its handler. */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

/* Removes the files and folders that are not complete, for a program that a signal ends: safe in a
 * handler. The second one removes the folders alone, for one that ends by itself. When they are
 * called is the program's to say. */
void unfinished_remove(void);
void unfinished_folders_remove(void);

/* ---- among the system's temporary ones ---- */

/* An empty file of our own in TMPDIR or /tmp, for programs that are started: name and six more
 * characters. Owned, a full path; NULL: the reason was reported. It is taken away by the second
 * function, and by an interrupt until the third one says that it is to stay. */
char *temporary_make(const char *name);
void temporary_remove(char *path);
void temporary_keep(char *path);

/* A folder in the same place, empty but for a file that is locked as long as the run lives, which
 * only this user can read. One that no run has locked was left by a run that was killed: the next
 * one of this user removes it. */
struct temporary_folder {
    char *path; /* owned */
    int lock;
};

/* False: it was reported why not. It is removed with all that is in it by the second function
 * (without a path nothing is done), by a signal, and when the program ends. */
bool temporary_folder_make(struct temporary_folder *folder);

/* The same in another folder, and without a report: errno says why not. */
bool temporary_folder_make_in(struct temporary_folder *folder, const char *parent);
void temporary_folder_remove(struct temporary_folder *folder);

/* ---- beside others ---- */

/* A name in the folder of `place`, not complete: .ilpatch.XXXXXX. Owned; NULL: no memory. */
char *temporary_beside(const char *place);

/* Whether a name is of that form, or is another one that begins so: a journal's. */
bool temporary_is_name(const char *name);
bool temporary_is_own_name(const char *name);

/* Completes the name, and makes the file, locked as long as it is open: one that no run has locked
 * was left by a run that was killed. `mode` as with open(). -1 with errno set. */
int temporary_open(char *name, mode_t mode);

/* Completes the name as that of the file at `path`, too. False with errno set: not every file
 * system can do this. */
bool temporary_link(const char *path, char *name);

/* Removes the temporary files in a folder that are of runs which have ended. */
void temporaries_sweep(const char *folder);

#endif
