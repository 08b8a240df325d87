/* The symbols of an image, and the new offsets of its methods' instructions. symbols.c opens them
 * and records moves, symbols_write.c makes the new PDB. */
#ifndef ILPI_SYMBOLS_H
#define ILPI_SYMBOLS_H

#include "pe/debug.h"
#include "metadata/edit.h"
#include "symbols/blobs.h"

/* A PDB with its assembly. What is written stays here until it is closed. */
struct ilp_symbols {
    struct ilpi_alloc alloc;
    struct ilp_arena arena;        /* `methods.of`, and the shifts of each method */
    const struct ilp_image *image; /* borrowed: the assembly */
    struct ilpi_buf unpacked;      /* an embedded PDB, inflated; empty: the caller passed the PDB */
    bool embedded;                 /* it was embedded, so the new one is packed again */
    struct ilp_image *pdb;         /* owned: a view of the caller's bytes, or of `unpacked` */
    /* By the rids of the image. Methods that the edit adds have no symbols, and no entry. */
    struct ilpi_moved_methods methods;
    struct ilpi_buf blob; /* working memory for one blob */
    /* The new PDB, and what the assembly's debug directory gets: borrowed by the caller of
     * ilp_symbols_write() until the object is closed. */
    struct ilpi_buf written;
    struct ilpi_buf packed;   /* `written` as the embedded form; empty unless `embedded` */
    struct ilpi_buf checksum; /* contents of the checksum entry; empty: none is written */
};

/* Converts the status of a broken PDB to ILP_E_BAD_SYMBOLS. */
ilp_status ilpi_symbols_status(ilp_status status, struct ilp_error *error);

#endif
