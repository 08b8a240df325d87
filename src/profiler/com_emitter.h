/* The emitter of a running module: tokens come from the runtime's own IMetaDataEmit2 and IMetaDataAssemblyEmit. */
#ifndef ILPI_COM_EMITTER_H
#define ILPI_COM_EMITTER_H

#include "profiler/corprof.h"

struct com_emitter {
    struct ilp_image *image; /* the module as it was loaded; borrowed */
    void *emit;              /* IMetaDataEmit2 */
    void *assembly_emit;     /* IMetaDataAssemblyEmit */
    struct ilp_emitter interface;
};

/* `info` is an ICorProfilerInfo. On failure there is nothing to be closed. */
ilp_status com_emitter_open(struct com_emitter *emitter, void *info, ModuleID module,
                            struct ilp_image *image, struct ilp_error *error);
void com_emitter_close(struct com_emitter *emitter);

#endif
