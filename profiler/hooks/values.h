/* Arguments and returned values of methods as text, on the slow path. */
#ifndef ILPI_HOOKS_VALUES_H
#define ILPI_HOOKS_VALUES_H

#include "profiler/hooks/state.h"

/* What writing a method's values needs, under the profiler's lock; NULL: it is not possible. */
const struct hooked_values *hooks_values_build(struct module *module, ilp_token token,
                                               FunctionID function);

/* Whether they are valid for this function only. */
bool hooks_values_are_generic(const struct hooked_values *values);

/* In hooks: the text, in the thread's memory; nothing (data NULL) if there are none. */
struct ilp_bytes hooks_arguments(struct hooks_thread *thread, const struct hooked *method,
                                 COR_PRF_ELT_INFO info);
struct ilp_bytes hooks_value(struct hooks_thread *thread, const struct hooked *method,
                             COR_PRF_ELT_INFO info);

#endif
