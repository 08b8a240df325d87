/* An assembly of a Mono process, patched in memory: its bytes become those that
 * `ilpatch --inspect-returns` would write, with what the process has in its options. */
#ifndef ILPI_MONO_PATCH_H
#define ILPI_MONO_PATCH_H

#include "base/buf.h"
#include "host/id_map.h"
#include "profiler/inspectors.h"
#include "profiler/process_report.h"
#include "profiler/settings.h"

/* What all assemblies of a process have in common. */
struct patching {
    struct settings *settings;
    struct inspectors *inspectors;
    struct process_report *report; /* NULL: none is requested */
    char *id_map;                  /* its path, owned; NULL: no file of ids is requested */
    struct id_map *ids;
};

/* False: what is requested cannot be done, which has been reported; the rest is to be closed all
 * the same. */
bool patching_open(struct patching *patching, const char *runtime);
void patching_close(struct patching *patching);

/* What Mono reads in the place of an assembly and its symbols. */
struct patched {
    struct ilpi_alloc alloc;
    struct ilpi_buf bytes;
    struct ilpi_buf symbols; /* empty: Mono finds them in the assembly, or there are none */
    uint8_t mvid[16];
};

/* `path` is the file that it is of, whose folder has its references; `shown` is what reports call
 * it. NULL: it is left as it is; if there is anything to say of it that has been reported. */
struct patched *patch(struct patching *patching, struct ilp_bytes bytes, const char *path,
                      const char *shown);
void patched_free(struct patched *patched);

#endif
