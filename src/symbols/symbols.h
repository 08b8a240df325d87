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
    struct ilp_arena arena;
    const struct ilp_image *image; /* borrowed: the assembly */
    struct ilpi_buf unpacked;      /* an embedded PDB */
    bool embedded;
    struct ilp_image *pdb; /* over the caller's bytes, or `unpacked` */
    struct ilpi_moved_methods methods;
    struct ilpi_buf blob;    /* working memory for one blob */
    struct ilpi_buf written; /* the new PDB, and the assembly's references to it */
    struct ilpi_buf packed;
    struct ilpi_buf checksum;
};

/* Converts the status of a broken PDB to ILP_E_BAD_SYMBOLS. */
ilp_status ilpi_symbols_status(ilp_status status, struct ilp_error *error);

#endif
