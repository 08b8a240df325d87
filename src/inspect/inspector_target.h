/* Whether an assembly can call an inspector. */
#ifndef ILPI_INSPECTOR_TARGET_H
#define ILPI_INSPECTOR_TARGET_H

#include "inspect/inspector.h"

/* Refuses the inspector itself and everything it refers to, directly or indirectly: inspecting code
 * that it calls would recurse without end (ILP_E_SELF_INSPECTION). Also refuses what
 * inspector_framework.h refuses. */
ilp_status ilpi_inspector_check_target(const struct ilp_inspector *inspector,
                                       const struct ilp_image *image,
                                       const struct ilp_resolver *resolver,
                                       struct ilp_error *error);

#endif
