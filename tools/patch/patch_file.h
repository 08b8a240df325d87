/* One assembly, patched: from FILE to the patched file in its place. */
#ifndef PATCH_FILE_H
#define PATCH_FILE_H

#include "host/id_map.h"
#include "tools/patch/report.h"
#include "tools/cmd/write_options.h"

/* Another change than that of returned values: fills the edit, tells symbols (NULL: nobody) where instructions went, and
 * prints what was done after "FILE: ". */
struct patch_change {
    void *user;
    ilp_status (*make)(void *user, struct ilp_image *image, struct ilp_edit *edit, struct ilp_symbols *symbols,
                       struct ilp_error *error);
    void (*summary)(void *user, FILE *out);
};

struct callers;
struct replacements;

/* A bundle whose files were extracted, to be patched and put back. All borrowed. */
struct extracted {
    const char *folder; /* where the files are */
    const char *shown;  /* messages and the report have the files in it, */
    const char *output; /* and their new forms in that one */
    bool alone;         /* -o -: nothing is put beside it */
    bool separate;      /* -o: it is not the bundle itself that is replaced */
    bool in_place;
    struct replacements *beside; /* collects what is put in place with the new bundle */
};

/* The path of a file, with `folder` instead of the one that it was extracted to; as it is, if it is no such file or `extracted`
 * is NULL. Owned by the caller. */
char *extracted_path(const struct extracted *extracted, const char *folder, const char *file);

/* What is asked for, the same for all files of a command line. All borrowed. */
struct patch_request {
    const char *output; /* -o: a file or a folder; NULL: FILE is replaced */
    bool alone;         /* -o -: the output goes to standard output, without anything beside it */
    bool in_place;      /* FILE is replaced without being kept */
    FILE *out;          /* for summaries */
    bool quiet;         /* no summary */
    bool dry_run;       /* everything but the writing */
    bool verify;        /* nothing is put in place that has new findings */
    const struct ilp_write_options *write; /* NULL: the defaults */
    bool named_symbols; /* --symbols is given: that they cannot be updated is a failure, and it is said where nothing is done */
    struct request *what;
    struct report *report;
    struct id_map *ids; /* NULL: none are kept */
    struct callers *callers;           /* whose native code depends on what is changed; NULL: nobody asks */
    bool with_callers;                 /* it is dropped */
    const struct extracted *extracted; /* the bundle that the file is from; NULL: it is from none */
    const struct patch_change *change; /* NULL: returned values are inspected */
};

/* Patches one file, reports it and tells what goes wrong. Nothing is replaced before everything that can fail has
 * been done. Of a single-file bundle the assemblies inside are patched, or one, by its path in the bundle. */
enum exit_code patch_file(const struct patch_request *request, const char *file);

#endif
