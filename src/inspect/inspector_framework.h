/* Whether an inspector loads on a program's framework. */
#ifndef ILPI_INSPECTOR_FRAMEWORK_H
#define ILPI_INSPECTOR_FRAMEWORK_H

#include "inspect/inspector.h"

/* Refuses a target whose framework is older than the one that the inspector was built for, as far
 * as the resolver knows (ILP_E_BAD_INSPECTOR). */
ilp_status ilpi_inspector_check_framework(const struct ilp_inspector *inspector,
                                          const struct ilp_image *image,
                                          const struct ilp_resolver *resolver,
                                          struct ilp_error *error);

#endif
