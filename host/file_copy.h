/* Copies of files for another folder: complete or not there, and as old as what they are copies
 * of. */
#ifndef FILE_COPY_H
#define FILE_COPY_H

#include "host/file_io.h"

/* Puts `bytes` in place, with owner, permissions and times of the file at `path`; where they are
 * there already nothing is touched. False with errno set. */
bool file_copy(const char *path, struct ilp_bytes bytes, const char *place);

/* Makes a link with the text of the one at `path`, unless there is one. False with errno set. */
bool link_copy(const char *path, const char *place);

#endif
