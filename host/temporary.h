/* Temporary files and folders. Those of a killed run are recognised and removed by the next one;
 * those of a program that a signal ends are removed in its handler. */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

/* Removes incomplete files and folders, for a program that a signal ends: safe in handlers. The
 * second one removes only folders, for a program that ends by itself. The program decides when to
 * call them. */
void unfinished_remove(void);
void unfinished_folders_remove(void);

/* ---- in the system's temporary folder ---- */

/* A new empty file in TMPDIR or /tmp, for started programs: name and six more characters. Owned, a
 * full path; NULL: the reason was reported. The second function removes it, and so does an
 * interrupt until the third one is called. */
char *temporary_make(const char *name);
void temporary_remove(char *path);
void temporary_keep(char *path);

/* A folder in the same place, with a file in it that is locked while the run lives, readable by
 * this user only. An unlocked one was left by a killed run: this user's next run removes it. */
struct temporary_folder {
    char *path; /* owned */
    int lock;
};

/* False: the reason was reported. It is removed with its contents by the second function (a no-op
 * without a path), by a signal, and when the program ends. */
bool temporary_folder_make(struct temporary_folder *folder);

/* The same in another folder, and without a report: see errno. */
bool temporary_folder_make_in(struct temporary_folder *folder, const char *parent);
void temporary_folder_remove(struct temporary_folder *folder);

/* ---- beside other files ---- */

/* A name in the folder of `place`, incomplete: .ilpatch.XXXXXX. Owned; NULL: no memory. */
char *temporary_beside(const char *place);

/* Whether a name has that form, or is the journal's, which has the same prefix. */
bool temporary_is_name(const char *name);
bool temporary_is_own_name(const char *name);

/* Completes the name, and makes the file, locked while it is open: an unlocked one was left by a
 * killed run. `mode` as in open(). -1 with errno set. */
int temporary_open(char *name, mode_t mode);

/* Completes the name as a link to the file at `path`. False with errno set: not every file system
 * supports that. */
bool temporary_link(const char *path, char *name);

/* Removes the temporary files of ended runs in a folder. */
void temporaries_sweep(const char *folder);

#endif
