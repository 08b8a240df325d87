/* What is below a folder that is patched with -o, and is not patched itself: it is in the new
 * folder as it is, so that this is a whole program. */
#ifndef COPY_REST_H
#define COPY_REST_H

#include "tools/patch/left_alone.h"

/* Makes the new folders, and copies into them what is left alone, but for inspectors, which are put
 * where they are called, and for originals and records, which belong to what is replaced; and but
 * for the symbols of what is patched, if `with_symbols` is false. What a copy replaces is left as
 * it is if it is the same, `jobs` files at the same time. What is wrong has been reported. */
enum exit_code copy_left(const struct request *what, const struct named_files *files,
                         const struct left_alone *left, bool with_symbols, unsigned jobs);

/* Copies a file that could not be patched. */
enum exit_code copy_failed(const struct named_file *file);

#endif
