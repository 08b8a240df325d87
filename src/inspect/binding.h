/* Inspector bindings: what a module needs to call each inspector that a request names. */
#ifndef ILPI_BINDING_H
#define ILPI_BINDING_H

#include "inspect/module_context.h"

/* Binds the inspectors of a request to a module. What rules request of them is checked here, before
 * anything is written. */
ilp_status ilpi_bindings_open(struct ilpi_module_context *module, const struct ilp_request *request,
                              struct ilp_error *error);
void ilpi_bindings_close(struct ilpi_module_context *module);

/* With request->embed: makes calls refer to classes inside the module. What prevents that is
 * reported before the first change of `edit`, which may be NULL. */
ilp_status ilpi_bindings_embed(struct ilpi_module_context *module, struct ilp_edit *edit,
                               struct ilp_error *error);

/* The failure of an incomplete embedding, caused by a limit of the format: the edit must be
 * discarded. */
ilp_status ilpi_bindings_check_embedded(const struct ilpi_module_context *module,
                                        struct ilp_error *error);

/* The inspector that the rule action of `method` requests. If another inspector substitutes it,
 * *action is reduced to what that one can do. */
ilp_status ilpi_binding_choose(const struct ilpi_module_context *module, ilp_token method,
                               struct ilp_rule_action *action,
                               struct ilpi_inspector_binding **binding, struct ilp_error *error);

#endif
