/* --id-map of a process: what the ids mean that inspectors get, written when the process ends
 * (host/id_map.h). */
#ifndef ILPI_IDS_H
#define ILPI_IDS_H

#include "profiler/clr/corprof.h"

struct ids;
struct module;

/* NULL, and *failed false: none is asked for. `path` may have %p in it. */
struct ids *ids_open(const char *path, bool *failed);
void ids_close(struct ids *ids);

/* The number of a module whose ids differ from those of all others; without a map only in this
 * process. 0: there are too many. */
uint32_t ids_module(struct ids *ids, ModuleID id, struct ilp_image *image);

/* Writes the ids of a module's methods, before its image goes. Does nothing without a map. */
void ids_write(struct ids *ids, const struct module *module);

#endif
