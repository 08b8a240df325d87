/* Whether a program has what its inspectors use: asked before anything is written, since a member
 * that was trimmed away shows only when the program runs. The stock inspector has a small edition
 * for such programs. */
#ifndef INSPECTOR_CHECK_H
#define INSPECTOR_CHECK_H

#include "host/request.h"

/* What is patched. */
struct inspected_file {
    struct ilp_image *image;
    const char *path;  /* its program is the references' target */
    const char *shown; /* its name for messages */
};

/* Without --inspector: sets the edition of the stock inspector. */
enum exit_code inspectors_set(struct request *request, bool small);

/* Checks the inspectors against the program of `file`. Without --inspector it sets the edition of
 * the stock inspector for this file, and *because to why it is the small one (owned by the caller),
 * else to NULL. When something is missing, all of it has been reported, and `error` says so. */
enum exit_code inspectors_check(struct request *request, const struct inspected_file *file,
                                char **because, struct ilp_error *error);

#endif
