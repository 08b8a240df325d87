/* Where what a user names as an output may go: not into the place of a file that ilpatch keeps, or
 * that a program needs. */
#ifndef OUTPUT_PLACE_H
#define OUTPUT_PLACE_H

#include "host/tool.h"

/* Where a file goes by -o: under its name in a folder, or `output` itself. Owned by the caller;
 * NULL: no memory. */
char *output_place_of(const char *output, const char *file);

/* What a file of this name is ("an original that is kept") that no output takes the place of; NULL:
 * it may. `is_assembly`: the output is a patched file, which replaces others of its kind. */
const char *output_place_kind(const char *path, bool is_assembly);

/* The same of what comes under a name of its own: only originals and records that are there. */
const char *output_place_kept(const char *path);

/* For what is written after long work: reports beforehand that `path` (may be NULL) is no place for
 * an output, or is not replaceable. */
enum exit_code output_check(const char *path);

/* The same of what is appended to: a pipe or a device will do. */
enum exit_code output_check_stream(const char *path);

#endif
