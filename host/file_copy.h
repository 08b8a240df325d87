/* Copies of files in another folder: complete or absent, with the times of their originals. */
#ifndef FILE_COPY_H
#define FILE_COPY_H

#include "host/file_io.h"

/* Whether two files have the same bytes: reads them piece by piece. */
bool file_holds_same(const char *path, const char *other);

enum copied { COPIED, COPIED_NOT_READ, COPIED_NOT_WRITTEN };

/* Copies the file `from` into place, with owner, permissions and times of the file at `path`; an
 * equal file is not touched. If it fails errno is set. */
enum copied file_copy(const char *path, const char *from, const char *place);

/* Copies the symbolic link at `path`, unless there is an equal one. False with errno set. */
bool link_copy(const char *path, const char *place);

#endif
