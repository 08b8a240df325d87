/* What is requested of the files of a command line: read by the job of each file, changed by
 * none. */
#ifndef PATCH_REQUEST_H
#define PATCH_REQUEST_H

#include "host/id_map.h"
#include "host/request.h"
#include "tools/cmd/write_options.h"

/* Another change than that of returned values: fills the edit, tells symbols (NULL: nobody) where
 * instructions went, and prints what was done after "FILE: ". */
struct patch_change {
    void *user;
    ilp_status (*make)(void *user, struct ilp_image *image, struct ilp_edit *edit,
                       struct ilp_symbols *symbols, struct ilp_error *error);
    void (*summary)(void *user, FILE *out);
};

struct patch_result;

/* Of files that are done at the same time. */
struct patch_order {
    void *user;
    /* Before the PDB of a file is looked at, which may be at `paths` (taken over; NULL: nowhere):
     * waits until each file before it is done, or cannot have the same one. */
    void (*symbols)(void *user, char *paths[2]);
    /* the same of a file that may have any */
    void (*any_symbols)(void *user);
};

struct callers;
struct extracted;
struct named_files;
struct placed_inspectors;
struct report;

/* What is asked for, the same for all files of a command line. All borrowed. */
struct patch_request {
    const char *output; /* -o: a file or a folder; NULL: FILE is replaced */
    /* all that are named, some with an output of their own; NULL: none has one */
    const struct named_files *files;
    bool below; /* of a folder: a core library, which can only hold an inspector, gets it */
    /* -o of a folder: the output's is made, and will have what FILE's has */
    bool makes_folders;
    unsigned threads; /* that the library may use for a file */
    bool alone;       /* -o -: the output goes to standard output, without anything beside it */
    bool in_place;    /* FILE is replaced without being kept */
    FILE *out;        /* for summaries */
    bool quiet;       /* no summary */
    bool dry_run;     /* everything but the writing */
    bool verify;      /* nothing is put in place that has new findings */
    const struct ilp_write_options *write; /* NULL: the defaults */
    /* --symbols is given: that they cannot be updated is a failure, and it is said where nothing is
     * done */
    bool named_symbols;
    struct request *what;
    struct report *report;
    struct placed_inspectors *placed; /* by this run; NULL: it is not noted */
    struct patch_result *result;      /* for the cache; NULL: it is not noted */
    const struct patch_order *order;  /* NULL: one file is done after the other */
    struct id_map *ids;               /* NULL: none are kept */
    /* whose native code depends on what is changed; NULL: nobody asks */
    struct callers *callers;
    bool with_callers;                 /* it is dropped */
    const struct extracted *extracted; /* the bundle that the file is from; NULL: it is from none */
    const struct patch_change *change; /* NULL: returned values are inspected */
};

/* Patches one file of a request: patch_file(), for what is below it and has further files to
 * patch. */
typedef enum exit_code patch_one(const struct patch_request *request, const char *file);

#endif
