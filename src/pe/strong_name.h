/* The strong name (II.6.2.1.3) of a file that is written: its key, and where its signature is.
 * pe_sign.c makes the signature once all other bytes are known. */
#ifndef ILPI_STRONG_NAME_H
#define ILPI_STRONG_NAME_H

#include "pe/snk.h"

/* What becomes of the signature when the file is written. */
struct ilpi_strong_name {
    enum ilp_strong_name_state state;
    struct ilpi_snk key; /* PUBLIC and SIGNED; borrowed from the options */
    enum ilpi_hash hash; /* SIGNED */
    uint64_t offset;     /* PUBLIC and SIGNED: of the signature in the original file */
    uint32_t size;
};

/* Sets flag and directory in a copy of the CLI header. */
void ilpi_strong_name_put(const struct ilpi_strong_name *strong_name, uint8_t *cli_header);

#endif
