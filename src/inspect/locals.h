/* New locals after a method's own. */
#ifndef ILPI_LOCALS_H
#define ILPI_LOCALS_H

#include "il/body.h"
#include "inspect/module_context.h"

/* Whether a body has room for more locals; *first is the number of the first. */
ilp_status ilpi_locals_room(const struct ilpi_module_context *module, const struct ilp_body *body,
                            uint32_t more, uint32_t *first, struct ilp_error *error);

/* Adds them; `added` are the bytes of their types. */
ilp_status ilpi_locals_add(struct ilpi_module_context *module, struct ilp_bytes added,
                           uint32_t more, struct ilp_body *body, struct ilp_error *error);

#endif
