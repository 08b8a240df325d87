/* --id-map of a process: the methods of the ids that inspectors get, written when the process ends
 * (host/id_map.h). */
#ifndef ILPI_IDS_H
#define ILPI_IDS_H

#include "profiler/clr/corprof.h"

struct ids;
struct module;

/* NULL, and *failed false: not requested. `path` may contain %p. */
struct ids *ids_open(const char *path, bool *failed);
void ids_close(struct ids *ids);

/* A module's number, different from all others; without a map only unique in this process. 0: there
 * are too many. */
uint32_t ids_module(struct ids *ids, ModuleID id, struct ilp_image *image);

/* Writes the ids of a module's methods, before its image is closed. A no-op without a map. */
void ids_write(struct ids *ids, const struct module *module);

#endif
