/* The progress of work on many files, on standard error: on a terminal one line that is
 * overwritten, otherwise, if requested, a line each second. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum progress_form { PROGRESS_NONE, PROGRESS_TERMINAL, PROGRESS_LINES };

struct progress {
    enum progress_form form;
    size_t files; /* in total, and their size */
    uint64_t bytes;
    size_t files_done;
    uint64_t bytes_done;
    uint64_t begun; /* times in nanoseconds */
    uint64_t printed;
};

void progress_begin(struct progress *progress, enum progress_form form, size_t files,
                    uint64_t bytes);

/* The next file, with its size in bytes. */
void progress_next(struct progress *progress, const char *file, uint64_t bytes);

void progress_end(struct progress *progress);

#endif
