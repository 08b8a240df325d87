/* Arguments and returned values of methods as text, which the slow path has. */
#ifndef ILPI_HOOKS_VALUES_H
#define ILPI_HOOKS_VALUES_H

#include "profiler/hooks/state.h"

/* What is needed to write a method's values, under the profiler's lock; NULL: they cannot be. */
const struct hooked_values *hooks_values_build(struct module *module, ilp_token token,
                                               FunctionID function);

/* Whether they are right for this function alone. */
bool hooks_values_are_generic(const struct hooked_values *values);

/* In hooks: the text, in the thread's memory; nothing (data NULL) where there are none. */
struct ilp_bytes hooks_arguments(struct hooks_thread *thread, const struct hooked *method,
                                 COR_PRF_ELT_INFO info);
struct ilp_bytes hooks_value(struct hooks_thread *thread, const struct hooked *method,
                             COR_PRF_ELT_INFO info);

#endif
