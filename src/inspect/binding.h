/* Inspectors in use: what a module needs to call each of those that a request names. */
#ifndef ILPI_BINDING_H
#define ILPI_BINDING_H

#include "inspect/module_context.h"

/* Binds the inspectors of a request to a module. What rules ask of them is checked here, before
 * anything is written. */
ilp_status ilpi_bindings_open(struct ilpi_module_context *module, const struct ilp_request *request,
                              struct ilp_error *error);
void ilpi_bindings_close(struct ilpi_module_context *module);

/* With request->embed: makes calls refer to classes within the module. Reports before the first
 * change of `edit`, which may be NULL, what is in the way. */
ilp_status ilpi_bindings_embed(struct ilpi_module_context *module, struct ilp_edit *edit,
                               struct ilp_error *error);

/* The failure of an embedding that was left half done, for a limit of the format: it spoils the
 * whole edit. */
ilp_status ilpi_bindings_check_embedded(const struct ilpi_module_context *module,
                                        struct ilp_error *error);

/* The inspector that the treatment of `method` asks for. Where another one stands in for it,
 * *treatment becomes what that can do. */
ilp_status ilpi_binding_choose(const struct ilpi_module_context *module, ilp_token method,
                               struct ilp_treatment *treatment,
                               struct ilpi_inspector_binding **binding, struct ilp_error *error);

#endif
