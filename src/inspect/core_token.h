/* Tokens of types, made once for a module: those of the core library, and those that values are
 * boxed as. */
#ifndef ILPI_CORE_TOKEN_H
#define ILPI_CORE_TOKEN_H

#include "inspect/module_context.h"

/* A type of the core library. *token: 0, or made before. */
ilp_status ilpi_core_token(struct ilpi_module_context *module, const char *name_space,
                           const char *name, ilp_token *token, struct ilp_error *error);

/* System.Object. */
ilp_status ilpi_object_token(struct ilpi_module_context *module, ilp_token *token,
                             struct ilp_error *error);

/* System.Threading.Thread::get_CurrentThread(), in the core library itself, whatever scope the
 * module has for its own types: System.Runtime need not forward this one. *token 0: it was not
 * found. */
ilp_status ilpi_current_thread_token(struct ilpi_module_context *module, ilp_token *token,
                                     struct ilp_error *error);

/* The type that the value of a decision is boxed as; 0: it is an object already. */
ilp_status ilpi_box_token(struct ilpi_module_context *module, const struct ilpi_decision *decision,
                          ilp_token *token, struct ilp_error *error);

#endif
