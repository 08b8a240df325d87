/* The file of a spool, from the side of the command that has a program recorded: a temporary one,
 * or one that is kept. */
#ifndef RECORDED_H
#define RECORDED_H

#include "host/tool.h"

struct recorded {
    const char *kept; /* its name, if it is kept; borrowed */
    char *path;       /* owned; the same as a full path, or of a temporary file */
    char *old;        /* owned; the name of the spool that was there before; NULL: there was none */
};

/* Makes the file. `alone`: nothing is reported of it again, so a spool that is there is not
 * replaced. */
enum exit_code recorded_begin(struct recorded *recorded, bool alone);

/* Whether no process has written into it. */
bool recorded_is_empty(const struct recorded *recorded);

/* What was to be temporary is kept under the name that it has. */
void recorded_keep(struct recorded *recorded);

/* What is temporary or empty goes. A spool that was there before has its name again if there is no
 * new one. */
void recorded_end(struct recorded *recorded);

#endif
