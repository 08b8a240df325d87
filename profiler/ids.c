/* Assigns ids: numbers of modules from the map in the file, or from the process alone without a
 * map. See ids.h. A module's number is reserved when it is opened, for inspectors get ids as soon
 * as a method runs; its methods are written when it is unloaded or the process ends, because only
 * then all of them are known. */
#include "profiler/ids.h"

#include <stdlib.h>

#include "host/id_map.h"
#include "profiler/profiler.h"
#include "host/process.h"
#include "host/profiler_environment.h"
#include "profiler/status.h"

/* Owns both. */
struct ids {
    char *path;
    struct id_map *map;
};

/* %p in the path is the process, so that a program that starts others gets a map for each. */
struct ids *ids_open(const char *path, bool *failed)
{
    *failed = false;
    if (!path) {
        return NULL;
    }
    struct ids *ids = new_items(1, sizeof *ids);
    if (ids) {
        ids->path = path_of_process(path, process_own());
    }
    if (!ids || !ids->path || id_map_open(&ids->map, ids->path) != EXIT_DONE) {
        ids_close(ids);
        *failed = true;
        return NULL;
    }
    return ids;
}

void ids_close(struct ids *ids)
{
    if (ids) {
        id_map_close(ids->map);
        free(ids->path);
        free(ids);
    }
}

uint32_t ids_module(struct ids *ids, ModuleID id, struct ilp_image *image)
{
    return ids ? id_map_reserve(ids->map, image) : unmanaged_number(id);
}

/* All methods of the module with an id, when it is unloaded or the process ends; the order is that
 * of rows. */
void ids_write(struct ids *ids, const struct module *module)
{
    bool any = false;
    for (uint32_t rid = 1; ids && module->methods && rid <= module->method_count; rid++) {
        if (module->methods[rid] && module->methods[rid]->id != 0) {
            if (!any) {
                id_map_module(ids->map, module->image);
            }
            any = true;
            id_map_add(ids->map, module->methods[rid]->id);
        }
    }
    if (any && id_map_write(ids->map) != EXIT_DONE) { /* which has reported why */
        status_line("unwritten", "the file of ids %s", ids->path);
    }
}
