/* The symbols of one file that is patched: found beside it or in it, moved along by the library,
 * put in place.
 *
 *   X.pdb or X.pdb.orig -> struct ilp_symbols -> X.pdb, the original kept as X.pdb.orig
 *
 * Those of an assembly in a bundle are in the bundle, or beside it: that is where the runtime looks
 * for them, unless it extracts the bundle.
 *
 * Which of the two files is the input is said by the PDB's id: it has to be the one that the input
 * assembly asks for. Symbols in Mono's format (mdb_file.h) only change their name, X.exe.mdb to
 * X.exe.mdb.orig. */
#ifndef SYMBOLS_FILE_H
#define SYMBOLS_FILE_H

#include "host/transaction.h"
#include "host/file_view.h"

enum symbols_answer {
    SYMBOLS_ANSWER_NONE, /* there are none, or nothing was changed */
    SYMBOLS_ANSWER_UPDATED,
    SYMBOLS_ANSWER_DROPPED, /* the link to them is gone */
    SYMBOLS_ANSWER_KEPT,    /* the link to them stayed, and they are stale */
    /* they cannot be moved, and the link is gone; their file is as it was */
    SYMBOLS_ANSWER_LEFT,
    SYMBOLS_ANSWER_ASIDE /* they are in Mono's format, and are kept where nothing finds them */
};

/* "none", "updated", ...; static storage. */
const char *symbols_word(enum symbols_answer answer);

/* Where the assembly comes from and where it goes. Borrowed. */
struct symbols_place {
    const char *file;   /* FILE, which need not exist; its PDB is beside it */
    const char *output; /* what is written */
    bool separate;      /* -o: nothing is replaced */
    bool alone;         /* -o -: and nothing can be beside it */
    bool in_place;      /* what is replaced is not kept */
    /* what an earlier build was kept as; its symbols may be replaced. NULL: nothing */
    const struct ilp_image *stale;
    /* as if the file were beside the bundle that it is in; NULL: it is in none */
    const struct symbols_place *host;
};

/* Zero-initialise; symbols_close() at the end. */
struct symbols_file {
    enum symbols_answer answer;
    char why[240];               /* why they were not updated, "" if that was not asked for */
    char *unreadable;            /* a PDB that is there, but cannot be read; NULL: none */
    int error;                   /* why not: errno */
    char *input;                 /* the PDB's file, or NULL: embedded, or there is none */
    char *output;                /* where the new one goes */
    char *kept;                  /* what the old one is kept as; NULL: it is not */
    bool stale;                  /* `kept` exists, of an earlier build, and is replaced */
    bool replaces;               /* `output` is replaced, or made */
    char *name;                  /* of the PDB's file, as the compiler or the assembly says it */
    bool at_host;                /* it is beside the bundle */
    struct symbols_file *copy;   /* beside the bundle, too; NULL: none */
    struct ilp_symbols *library; /* NULL: nothing to move */
    struct file_view view;
    struct ilp_bytes pdb; /* the new one */
    struct ilp_symbols_link link;
};

/* The paths where the PDB of `file` may be, beside it, each owned; NULL: nowhere else. */
void symbols_paths(const struct ilp_image *image, const char *file, char *paths[2]);

/* Finds the symbols that `image` asks for, and answers with what will become of them. */
void symbols_find(struct symbols_file *symbols, enum ilp_symbols_entries wanted,
                  const struct ilp_image *image, const struct symbols_place *place);

/* Once the edit is complete: makes the new PDB, and says in *options how the assembly is written.
 * Symbols that turn out to be broken are dropped, and the answer changes. Anything but ILP_OK ends
 * the work. */
ilp_status symbols_make(struct symbols_file *symbols, struct ilp_edit *edit,
                        struct ilp_write_options *options, struct ilp_error *error);

/* Adds what takes its place together with the assembly: the new PDB, or where no body was changed
 * the PDB as it is, unless it is there already. `beside` is for files beside the assembly,
 * `at_host` for those beside its bundle (NULL: there is no bundle). False: one of them failed. */
bool symbols_replace(struct symbols_file *symbols, struct transaction *beside,
                     struct transaction *at_host);

/* No body was changed, so the symbols fit as they did. */
void symbols_stay(struct symbols_file *symbols);

/* "; symbols updated" and the like, for a summary. */
void symbols_summary(const struct symbols_file *symbols, FILE *out);

void symbols_close(struct symbols_file *symbols);

/* Puts back the symbols that were kept of `original`, beside `file`. */
bool symbols_restore(struct transaction *changes, const struct ilp_image *original,
                     const char *file);

/* Removes what was kept of an earlier build's symbols, beside `file`, which was built again. */
void symbols_forget(struct transaction *changes, const struct ilp_image *stale, const char *file);

#endif
