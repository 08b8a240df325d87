/* Where --report goes: a file, standard output, or a pipe or terminal that a path names. */
#ifndef REPORT_PLACE_H
#define REPORT_PLACE_H

#include <stdbool.h>
#include <stdio.h>

#include "host/file_io.h"
#include "host/tool.h"

struct report_place {
    FILE *stream;         /* to write to; NULL: no report is wanted */
    const char *name;     /* of the place, in messages; borrowed */
    bool appears_whole;   /* `output` is in use */
    struct output output; /* of an ordinary file, which gets its name at the end */
};

/* `path` as given, NULL: none. On EXIT_DONE report_place_end() follows, else nothing is open, and
 * a message says why. */
enum exit_code report_place_begin(struct report_place *place, const char *command,
                                  const char *path);

/* `code` is that of the work which the report is about. A report that is incomplete comes before
 * it: whoever reads it would take it for whole. */
enum exit_code report_place_end(struct report_place *place, enum exit_code code);

#endif
