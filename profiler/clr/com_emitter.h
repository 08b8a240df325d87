/* The emitter of a running module: tokens come from the runtime's own IMetaDataEmit2 and
 * IMetaDataAssemblyEmit. These are queried when the first token is needed, since the runtime copies
 * a module's metadata before it can be written. */
#ifndef ILPI_COM_EMITTER_H
#define ILPI_COM_EMITTER_H

#include "metadata/overlay.h"
#include "profiler/clr/corprof.h"

/* A signature and its token. */
struct known_signature {
    uint8_t *signature; /* owned; NULL: free */
    size_t size;
    ilp_token token;
};

enum { SIGNATURE_GROUPS = 16 };

struct known_signatures {
    struct known_signature *groups[SIGNATURE_GROUPS]; /* owned; NULL: not used yet */
};

struct com_emitter {
    struct ilp_image *image; /* the module as it was loaded; borrowed */
    void *info;              /* ICorProfilerInfo; borrowed */
    ModuleID module;
    /* the variable because of which nothing may be added (updates.h); NULL: it may */
    const char *fixed_by;
    void *emit;          /* IMetaDataEmit2; NULL: not queried yet */
    void *assembly_emit; /* IMetaDataAssemblyEmit */
    struct known_signatures specs, standalone;
    /* of the module as it was loaded, and of its snapshot: both get every added row. NULL: none.
     * Borrowed */
    struct ilpi_overlay *overlays[2];
    struct ilp_emitter interface;
};

void com_emitter_open(struct com_emitter *emitter, void *info, ModuleID module,
                      struct ilp_image *image);
void com_emitter_close(struct com_emitter *emitter);

/* Converts an HRESULT to a status. There are success codes other than S_OK: GetTokenFromSig returns
 * one for an existing signature. */
ilp_status com_answer(HRESULT result, const char *function, struct ilp_error *error);

#endif
