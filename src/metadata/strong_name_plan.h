/* What becomes of an assembly's strong name (II.6.2.1.3) when its file is written anew, decided by
 * its Assembly row before the layout. */
#ifndef ILPI_STRONG_NAME_PLAN_H
#define ILPI_STRONG_NAME_PLAN_H

#include "metadata/edit.h"
#include "pe/strong_name.h"

/* Decides by the options. To clear the name takes the public key out of the edit's Assembly row. */
ilp_status ilpi_strong_name_plan(struct ilpi_strong_name *plan, struct ilp_edit *edit,
                                 const struct ilp_write_options *options, struct ilp_error *error);

#endif
