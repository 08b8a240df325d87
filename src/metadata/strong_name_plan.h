/* Plans an assembly's strong name (II.6.2.1.3) for a rewritten file, from its Assembly row, before
 * the layout. */
#ifndef ILPI_STRONG_NAME_PLAN_H
#define ILPI_STRONG_NAME_PLAN_H

#include "metadata/edit.h"
#include "pe/strong_name.h"

/* Plans according to the options. Clearing the name removes the public key from the edit's Assembly
 * row. */
ilp_status ilpi_strong_name_plan(struct ilpi_strong_name *plan, struct ilp_edit *edit,
                                 const struct ilp_write_options *options, struct ilp_error *error);

#endif
