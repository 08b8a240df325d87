/* The request for the files of a command line: read by the job of each file, changed by none. */
#ifndef PATCH_REQUEST_H
#define PATCH_REQUEST_H

#include "host/id_map.h"
#include "host/request.h"
#include "tools/cmd/write_options.h"

/* A change other than inspecting returned values: fills the edit, passes moves to symbols (may be
 * NULL), and prints the result after "FILE: ". An edit that stays empty means that the file is
 * unchanged. `make` runs without the turn (host/turn.h). `summary` ends no line: further parts of
 * the summary follow it. */
struct patch_change {
    void *user;
    ilp_status (*make)(void *user, struct ilp_image *image, struct ilp_edit *edit,
                       struct ilp_symbols *symbols, struct ilp_error *error);
    void (*summary)(void *user, FILE *out);
};

struct patch_result;

/* The order of files that are patched at the same time. */
struct patch_order {
    void *user;
    /* Called before the PDB of a file is read, which may be at `paths` (taken over; NULL: nowhere):
     * waits until each earlier file is done, or cannot have the same PDB. */
    void (*symbols)(void *user, char *paths[2]);
    /* the same for a file whose PDB may be anywhere */
    void (*any_symbols)(void *user);
};

struct callers;
struct extracted;
struct named_files;
struct placed_inspectors;
struct report;

/* The request, the same for all files of a command line. All borrowed. */
struct patch_request {
    const char *output; /* -o: a file or a folder; NULL: FILE is replaced */
    /* all named files, some with an output of their own; NULL: none has one */
    const struct named_files *files;
    bool below; /* of a folder: a core library, which can only embed an inspector, gets one */
    /* -o of a folder: make the output's folder, with FILE's attributes */
    bool makes_folders;
    unsigned threads; /* for the library, per file */
    bool alone;       /* -o -: the output goes to standard output, and nothing is written beside
                         it */
    bool in_place;    /* FILE is replaced, and not kept */
    FILE *out;        /* for summaries */
    bool quiet;       /* no summary */
    bool dry_run;     /* everything except writing */
    bool verify;      /* a file with new findings is not put in place */
    const struct ilp_write_options *write; /* NULL: the defaults */
    /* --symbols is given: fail if they cannot be updated, and report if nothing was done */
    bool named_symbols;
    struct request *what;
    struct report *report;
    struct placed_inspectors *placed; /* by this run; NULL: not recorded */
    struct patch_result *result;      /* for the cache; NULL: not recorded */
    const struct patch_order *order;  /* NULL: files are patched one by one */
    struct id_map *ids;               /* NULL: no ids are recorded */
    /* images whose native code depends on the changes; NULL: not needed */
    struct callers *callers;
    bool with_callers;                 /* their native code is dropped */
    const struct extracted *extracted; /* the bundle of the file; NULL: none */
    const struct patch_change *change; /* NULL: inspect returned values */
};

/* Patches one file of a request: patch_file(), for lower layers with further files to patch. */
typedef enum exit_code patch_one(const struct patch_request *request, const char *file);

#endif
