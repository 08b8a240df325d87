/* What becomes of an assembly's strong name (II.6.2.1.3) when its file is written anew. */
#ifndef ILPI_STRONG_NAME_H
#define ILPI_STRONG_NAME_H

#include "metadata/edit.h"

/* Takes the public key out of the Assembly row, so that the identity has none. Signature and flag are the CLI
 * header's (pe_plan.c). */
ilp_status ilpi_strong_name_clear(struct ilp_edit *edit, struct ilp_error *error);

#endif
