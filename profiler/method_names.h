/* The names of methods by their code, for delegates. What was found out once is kept per method and
 * found again without a lock. As objects.h has it, none of this waits for a garbage collection. */
#ifndef ILPI_METHOD_NAMES_H
#define ILPI_METHOD_NAMES_H

#include "profiler/clr/loaded.h"

struct method_names;

/* `info` is ICorProfilerInfo. NULL: no memory. */
struct method_names *method_names_open(void *info, struct loaded *loaded);
void method_names_close(struct method_names *names);

/* "Shop.Cart::Total", of the method that is called at this address; NULL: it is not known, or has
 * none. Stays as long as the method does. */
const char *method_name_at(struct method_names *names, uintptr_t code);

/* The same of a MethodDesc; NULL also where no memory is. */
const char *method_name_of(struct method_names *names, uintptr_t method);

/* Before what is known of a module goes, under its lock. */
void method_names_module_goes(struct method_names *names, ModuleID id);

#endif
