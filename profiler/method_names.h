/* Names of methods by their code, for delegates. Results are cached per method and looked up
 * without a lock. As in objects.h, nothing here waits for a garbage collection. */
#ifndef ILPI_METHOD_NAMES_H
#define ILPI_METHOD_NAMES_H

#include "profiler/clr/loaded.h"

struct method_names;

/* `info` is ICorProfilerInfo. NULL: no memory. */
struct method_names *method_names_open(void *info, struct loaded *loaded);
void method_names_close(struct method_names *names);

/* "Shop.Cart::Total" of the method that is called at this address; NULL: unknown, or without a
 * name. Valid as long as the method. */
const char *method_name_at(struct method_names *names, uintptr_t code);

/* The same for a MethodDesc; NULL also for unmapped memory. */
const char *method_name_of(struct method_names *names, uintptr_t method);

/* Call it before a module is unloaded, under its lock. */
void method_names_module_goes(struct method_names *names, ModuleID id);

#endif
