/* Checks whether a program has what its inspectors use, before anything is written: a trimmed
 * member would show only at run time. The stock inspector has a small edition for such programs. */
#ifndef INSPECTOR_CHECK_H
#define INSPECTOR_CHECK_H

#include "host/request.h"

/* The file to patch. */
struct inspected_file {
    struct ilp_image *image;
    const char *path;  /* its program is the references' target */
    const char *shown; /* its name for messages */
};

/* Without --inspector: sets the edition of the stock inspector. */
enum exit_code inspectors_set(struct request *request, bool small);

/* Checks the inspectors against the program of `file`. Without --inspector it sets the edition of
 * the stock inspector for this file, and *because to why it is the small one (owned by the caller),
 * else to NULL. Missing members are reported, and `error` is set. */
enum exit_code inspectors_check(struct request *request, const struct inspected_file *file,
                                char **because, struct ilp_error *error);

#endif
