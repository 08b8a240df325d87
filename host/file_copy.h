/* Copies of files for another folder: complete or not there, and as old as what they are copies
 * of. */
#ifndef FILE_COPY_H
#define FILE_COPY_H

#include "host/file_io.h"

/* Whether what is at two paths is the same: they are read, a piece of each at a time. */
bool file_holds_same(const char *path, const char *other);

enum copied { COPIED, COPIED_NOT_READ, COPIED_NOT_WRITTEN };

/* Puts what is in the file `from` in place, with owner, permissions and times of the file at
 * `path`; where it is there already nothing is touched. If it fails errno is set. */
enum copied file_copy(const char *path, const char *from, const char *place);

/* Makes a link with the text of the one at `path`, unless there is one. False with errno set. */
bool link_copy(const char *path, const char *place);

#endif
