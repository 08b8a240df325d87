/* Where an output that a user names may go: not over a file that ilpatch keeps, or that a program
 * needs. */
#ifndef OUTPUT_PLACE_H
#define OUTPUT_PLACE_H

#include "host/tool.h"

/* The path of a file with -o: its name in a folder, or `output` itself. Owned by the caller; NULL:
 * no memory. */
char *output_place_of(const char *output, const char *file);

/* What a file of this name is ("an original that is kept") that no output may replace; NULL: it
 * may. `is_assembly`: the output is a patched file, which may replace its kind. */
const char *output_place_kind(const char *path, bool is_assembly);

/* The same for outputs with names of their own: only existing originals and records are
 * protected. */
const char *output_place_kept(const char *path);

/* For outputs written after long work: reports beforehand if `path` (may be NULL) is protected, or
 * not replaceable. */
enum exit_code output_check(const char *path);

/* The same for outputs that are appended to: pipes and devices are allowed. */
enum exit_code output_check_stream(const char *path);

#endif
