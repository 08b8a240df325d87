/* The symbols of a patched file: found beside it or in it, updated by the library, put in place.
 *
 *   X.pdb or X.pdb.orig -> struct ilp_symbols -> X.pdb, the original kept as X.pdb.orig
 *
 * For an assembly in a bundle they are in the bundle or beside it, where the runtime searches for
 * them, unless it extracts the bundle.
 *
 * Which of the two files is the input follows from the PDB's id: it must be the one that the input
 * assembly refers to. Symbols in Mono's format (mdb_file.h) are only renamed, X.exe.mdb to
 * X.exe.mdb.orig. */
#ifndef SYMBOLS_FILE_H
#define SYMBOLS_FILE_H

#include "host/transaction.h"
#include "host/file_view.h"

enum symbols_answer {
    SYMBOLS_ANSWER_NONE, /* there are none, or nothing was changed */
    SYMBOLS_ANSWER_UPDATED,
    SYMBOLS_ANSWER_DROPPED, /* the link to them was dropped */
    SYMBOLS_ANSWER_KEPT,    /* the link to them was kept, and they are stale */
    /* they cannot be updated, and the link was dropped; their file is unchanged */
    SYMBOLS_ANSWER_LEFT,
    SYMBOLS_ANSWER_ASIDE /* they are in Mono's format, and are kept under a name that Mono does not
                            search for */
};

/* "none", "updated", ...; static storage. */
const char *symbols_word(enum symbols_answer answer);

/* The paths of the assembly. Borrowed. */
struct symbols_place {
    const char *file;   /* FILE, which need not exist; its PDB is beside it */
    const char *output; /* the output */
    bool separate;      /* -o: nothing is replaced */
    bool alone;         /* -o -: and there can be no files beside it */
    bool in_place;      /* replaced files are not kept */
    /* the kept original of an earlier build; its symbols may be replaced. NULL: none */
    const struct ilp_image *stale;
    /* for a file in a bundle, as if it were beside that; NULL: not in a bundle */
    const struct symbols_place *host;
};

/* Zero-initialise; symbols_close() at the end. */
struct symbols_file {
    enum symbols_answer answer;
    char why[240];               /* why they were not updated, "" if that was requested */
    char *unreadable;            /* an existing PDB that cannot be read; NULL: none */
    int error;                   /* the reason: errno */
    char *input;                 /* the PDB's file, or NULL: embedded, or none */
    char *output;                /* the path of the new one */
    char *kept;                  /* the path of the kept one; NULL: not kept */
    bool stale;                  /* `kept` exists, from an earlier build, and is replaced */
    bool replaces;               /* `output` is replaced, or made */
    char *name;                  /* of the PDB's file, from the compiler or the assembly */
    bool at_host;                /* it is beside the bundle */
    struct symbols_file *copy;   /* another one beside the bundle; NULL: none */
    struct ilp_symbols *library; /* NULL: nothing to update */
    struct file_view view;
    struct ilp_bytes pdb; /* the new one */
    struct ilp_symbols_link link;
};

/* The paths where the PDB of `file` may be beside it, each owned; NULL: nowhere else. */
void symbols_paths(const struct ilp_image *image, const char *file, char *paths[2]);

/* Finds the symbols of `image`, and decides what happens to them. */
void symbols_find(struct symbols_file *symbols, enum ilp_symbols_entries wanted,
                  const struct ilp_image *image, const struct symbols_place *place);

/* Once the edit is complete: makes the new PDB, and sets how the assembly refers to it in *options.
 * Broken symbols are dropped, and the answer changes. Any status but ILP_OK ends the work. */
ilp_status symbols_make(struct symbols_file *symbols, struct ilp_edit *edit,
                        struct ilp_write_options *options, struct ilp_error *error);

/* Adds to the transaction what belongs to the assembly: the new PDB, or, if no body was changed,
 * the PDB as it is, unless it is there already. `beside` is for files beside the assembly,
 * `at_host` for those beside its bundle (NULL: no bundle). False: one of them failed. */
bool symbols_replace(struct symbols_file *symbols, struct transaction *beside,
                     struct transaction *at_host);

/* No body was changed, so the symbols still match. */
void symbols_stay(struct symbols_file *symbols);

/* "; symbols updated" and the like, for a summary. */
void symbols_summary(const struct symbols_file *symbols, FILE *out);

void symbols_close(struct symbols_file *symbols);

/* Restores the kept symbols of `original`, beside `file`. */
bool symbols_restore(struct transaction *changes, const struct ilp_image *original,
                     const char *file);

/* Removes the kept symbols of an earlier build, beside `file`, which was built again. */
void symbols_forget(struct transaction *changes, const struct ilp_image *stale, const char *file);

#endif
