/* The job of one file, of any kind: from where it is read to where it is written.
 *
 *   FILE (or FILE.orig) -> ... -> temporary files, complete and on the disk
 *                                   -> one transaction: inspector, symbols, FILE.orig, FILE */
#ifndef PATCH_JOB_H
#define PATCH_JOB_H

#include "host/symbols_file.h"
#include "tools/patch/input_digest.h"
#include "tools/patch/patch_request.h"

struct job {
    const struct patch_request *request; /* borrowed, as are `file` and `shown` */
    const char *file;                    /* as given; for an apphost its assembly */
    const char *shown;                   /* its name in messages and the report */
    char *output_path;                   /* owned; a link is followed */
    char *kept;                          /* FILE.orig; owned */
    const char *input; /* `file`, `output_path` or `kept`: compared by address with the last */
    bool first_time;   /* FILE.orig must be made */
    bool stale;        /* in place of one kept of an earlier build */
    bool deps_stale;   /* and so was a .deps.json.orig */
    bool left;         /* an inspector that may be unused was left in place: reported */
    struct input_digest digest;  /* of the input, for the origin mark */
    struct symbols_file symbols; /* open from find_symbols() until the summary is printed */
    struct transaction changes;  /* everything that is committed together with the file */
    /* the request's, and once the new PDB is made the link to it */
    struct ilp_write_options write;
    uint32_t hashes;        /* number of recomputed hashes of modules */
    struct ilp_error error; /* the failure, for the report */
};

/* Reports a failure and keeps it for the report. */
enum exit_code job_fail(struct job *job, enum exit_code code, const char *format, ...)
    ILPI_PRINTF(3, 4);
enum exit_code job_fail_writing(struct job *job, const char *path, int error);

/* For the report only: details have been reported. */
void job_note_failure(struct job *job, const char *what);

/* The library has filled in job->error. */
enum exit_code job_fail_as_recorded(const struct job *job);

/* Fills the paths. */
enum exit_code job_find_input(struct job *job);

/* Whether the output could be created. A full disk shows only when writing. */
enum exit_code job_check_output(struct job *job);

/* Adds the output (taken over; NULL: the file in place is complete) to the changes, and what
 * happens to the original: kept, or an earlier build's removed. */
enum exit_code job_put(struct job *job, struct output *output);

/* Commits the changes. */
enum exit_code job_commit(struct job *job);

#endif
