/* The file of a spool for a command that records: a temporary one, or one that is kept. */
#ifndef RECORDED_H
#define RECORDED_H

#include "host/tool.h"

struct recorded {
    const char *kept; /* its name, if it is kept; borrowed */
    char *path;       /* owned; the full path of that, or of a temporary file */
    char *old;        /* owned; the name of the earlier spool; NULL: there was none */
    int file;         /* with `path`: if it is kept, open and locked against other commands; -1: it
                         is temporary, or not this command's */
};

/* Makes the file, unless another command records to it. `alone`: the command does not wait for the
 * result, so an existing spool is not replaced. recorded_end() follows in any case. */
enum exit_code recorded_begin(struct recorded *recorded, bool alone);

/* Whether no process has written to it. */
bool recorded_is_empty(const struct recorded *recorded);

/* Keeps a temporary spool under its name. */
void recorded_keep(struct recorded *recorded);

/* Removes a temporary or empty spool. An earlier spool gets its name back if there is no new
 * one. */
void recorded_end(struct recorded *recorded);

#endif
