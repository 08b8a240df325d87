/* All files of a command line, one after the other, or several at the same time: then each thread
 * has a file, with a report, a summary and messages of its own, which are added to those of all in
 * the order of the files. What is written is the same for any number of threads. */
#ifndef PATCH_FILES_H
#define PATCH_FILES_H

#include "tools/patch/left_alone.h"
#include "tools/patch/patch_request.h"
#include "tools/patch/progress.h"

struct patch_cache;

struct patch_files {
    const struct left_alone *files;      /* those that are not left alone are patched */
    const struct patch_request *request; /* of all */
    struct patch_cache *cache;           /* NULL: there is none */
    bool verbose;                        /* also files below a folder have a summary */
    enum progress_form progress;
    unsigned jobs; /* threads: each has a file, or several one */

    /* what came of it */
    size_t failed;
    size_t unchanged; /* since they were patched, by the cache */
};

/* The worst of their exit codes. What is wrong has been reported. */
enum exit_code patch_files(struct patch_files *work);

#endif
