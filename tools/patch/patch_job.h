/* One file's way through the command, whatever is in it: from where it is read to where it is
 * written.
 *
 *   FILE (or FILE.orig) -> ... -> temporary files, complete and on the disk
 *                                   -> one transaction: inspector, symbols, FILE.orig, FILE */
#ifndef PATCH_JOB_H
#define PATCH_JOB_H

#include "host/symbols_file.h"
#include "tools/patch/input_digest.h"
#include "tools/patch/patch_request.h"

struct job {
    const struct patch_request *request;
    const char *file;  /* as it was given */
    const char *shown; /* what messages and the report call it */
    char *output_path;
    char *kept;        /* FILE.orig */
    const char *input; /* FILE or `kept` */
    bool first_time;   /* FILE.orig has to be made */
    bool stale;        /* in place of one that was kept of an earlier build */
    bool deps_stale;   /* and so was a .deps.json.orig */
    bool left;         /* an inspector that perhaps nothing calls any more stays: reported */
    struct input_digest digest;
    struct symbols_file symbols;
    struct transaction changes; /* all that takes its place together with the file */
    struct ilp_write_options write;
    uint32_t hashes;        /* of modules, recomputed */
    struct ilp_error error; /* what went wrong, for the report */
};

/* Tells what went wrong and keeps it for the report. */
enum exit_code job_fail(struct job *job, enum exit_code code, const char *format, ...)
    ILPI_PRINTF(3, 4);
enum exit_code job_fail_writing(struct job *job, const char *path, int error);

/* For the report alone: the details have been reported. */
void job_note_failure(struct job *job, const char *what);

/* The library has filled job->error. */
enum exit_code job_fail_as_said(const struct job *job);

/* Fills the paths. */
enum exit_code job_find_input(struct job *job);

/* Whether the output could be begun. That the disk is full shows only when it is written. */
enum exit_code job_check_output(struct job *job);

/* Adds the output (taken over; NULL: what is in place is complete) to the changes, and what becomes
 * of the original: kept, or an earlier build's forgotten. */
enum exit_code job_put(struct job *job, struct output *output);

/* The changes take place. */
enum exit_code job_commit(struct job *job);

#endif
