/* Copies files that are not patched from a folder that is patched with -o, so that the new folder
 * has a complete program. */
#ifndef COPY_REST_H
#define COPY_REST_H

#include "tools/patch/left_alone.h"

/* Makes the new folders, and copies the files that are left alone, except inspectors, which are
 * placed where they are called, and originals and records, which belong to replaced files; and
 * except the symbols of patched files, if `with_symbols` is false. An equal file is not copied
 * again; `jobs` files are copied at the same time. Errors are reported. */
enum exit_code copy_left(const struct request *what, const struct named_files *files,
                         const struct left_alone *left, bool with_symbols, unsigned jobs);

/* Copies a file that could not be patched. */
enum exit_code copy_failed(const struct named_file *file);

#endif
