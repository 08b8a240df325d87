/* What becomes of an assembly's strong name (II.6.2.1.3) when its file is written anew: decided
 * before the layout. The signature is made by pe_sign.c once all other bytes are known.
 */
#ifndef ILPI_STRONG_NAME_H
#define ILPI_STRONG_NAME_H

#include "metadata/edit.h"
#include "pe/snk.h"

struct ilpi_strong_name {
    enum ilp_strong_name_state state;
    struct ilpi_snk key;     /* PUBLIC and SIGNED; borrowed from the options */
    enum ilpi_hash hash;     /* SIGNED */
    uint64_t offset;         /* PUBLIC and SIGNED: of the signature in the original file */
    uint32_t size;
};

/* Decides by the options. To clear the name takes the public key out of the edit's Assembly row. */
ilp_status ilpi_strong_name_plan(struct ilpi_strong_name *plan, struct ilp_edit *edit,
                                 const struct ilp_write_options *options, struct ilp_error *error);

/* Puts flag and directory into a copy of the CLI header. */
void ilpi_strong_name_put(const struct ilpi_strong_name *plan, uint8_t *cli_header);

#endif
