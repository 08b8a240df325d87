/* A module's current metadata, with rows that were added while the process runs: for example by
 * another profiler, for bodies that it sets. The image that the module was loaded from has none of
 * them. */
#ifndef ILPI_PROFILER_SNAPSHOT_H
#define ILPI_PROFILER_SNAPSHOT_H

#include "base/buf.h"
#include "profiler/clr/corprof.h"

/* All zero: none was made. */
struct snapshot {
    struct ilpi_alloc alloc;
    struct ilpi_buf bytes; /* the metadata root */
    struct ilp_image *image;
    struct ilp_inspection *inspection;
};

/* A module of the runtime. */
struct snapshot_source {
    void *info; /* ICorProfilerInfo */
    ModuleID module;
    struct ilp_image *loaded; /* as it was loaded */
};

/* Replaces the snapshot by a current one. If nothing was added since the last one, or ever, it is
 * unchanged, and *taken is false. After a failure it is empty. */
ilp_status snapshot_take(struct snapshot *snapshot, const struct snapshot_source *source,
                         bool *taken, struct ilp_error *error);
void snapshot_close(struct snapshot *snapshot);

#endif
