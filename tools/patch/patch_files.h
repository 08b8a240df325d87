/* All files of a command line, one by one, or several at the same time: then each file has its own
 * report, summary and messages, which are added to the common ones in the order of the files. The
 * output is the same for any number of threads. */
#ifndef PATCH_FILES_H
#define PATCH_FILES_H

#include "tools/patch/left_alone.h"
#include "tools/patch/patch_request.h"
#include "tools/patch/progress.h"

struct patch_cache;

struct patch_files {
    const struct left_alone *files;      /* the files to patch */
    const struct patch_request *request; /* of all */
    struct patch_cache *cache;           /* NULL: none */
    bool verbose;                        /* also print summaries of files below a folder */
    enum progress_form progress;
    unsigned jobs; /* threads: one per file, or several for one */

    /* results */
    size_t failed;
    size_t unchanged; /* according to the cache */
};

/* The worst of their exit codes. Errors are reported. */
enum exit_code patch_files(struct patch_files *work);

#endif
