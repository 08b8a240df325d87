/* An assembly of a Mono process, patched in memory: its bytes become those that `ilpatch
 * --inspect-returns` would write, with the process's options. */
#ifndef ILPI_MONO_PATCH_H
#define ILPI_MONO_PATCH_H

#include "base/buf.h"
#include "host/id_map.h"
#include "profiler/inspectors.h"
#include "profiler/process_report.h"
#include "profiler/settings.h"

/* The state shared by all assemblies of a process. */
struct patching {
    struct settings *settings;
    struct inspectors *inspectors;
    struct process_report *report; /* NULL: not requested */
    char *id_map;                  /* its path, owned; NULL: not requested */
    struct id_map *ids;
};

/* False: the request is not possible, which was reported; close it all the same. */
bool patching_open(struct patching *patching, const char *runtime);
void patching_close(struct patching *patching);

/* What Mono reads instead of an assembly and its symbols. */
struct patched {
    struct ilpi_alloc alloc;
    struct ilpi_buf bytes;
    struct ilpi_buf symbols; /* empty: Mono finds them in the assembly, or there are none */
    uint8_t mvid[16];
};

/* `path` is its file, whose folder has its references; `shown` is its name in reports. NULL: it is
 * left alone; reasons were reported. */
struct patched *patch(struct patching *patching, struct ilp_bytes bytes, const char *path,
                      const char *shown);
void patched_free(struct patched *patched);

#endif
