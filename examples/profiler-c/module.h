/* A module of the process, and what became of its methods. */
#ifndef MODULE_H
#define MODULE_H

#include "ilpatch.h"
#include "profiling.h"

struct method {
    bool decided;
    const uint8_t *body; /* NULL: it stays as it is */
    const char *name;
};

struct module {
    ID id;
    struct ilp_image *image;
    struct ilp_inspection *inspection;
    struct ilp_inlining *inlining;
    void *emit;      /* IMetaDataEmit2 */
    void *allocator; /* IMethodMalloc */
    struct ilp_emitter emitter;
    struct ilp_arena *names;
    struct method *methods; /* by row */
};

/* As the runtime has loaded it. */
struct loaded_module {
    ID id;
    const uint8_t *base;
    bool flat; /* laid out as in the file */
};

/* `info` is an ICorProfilerInfo3. Without success, which is reported, the module has no inspection. Ids
 * that inspected methods pass are number << 32 | token. */
void module_open(struct module *module, void *info, const struct loaded_module *loaded,
                 const struct ilp_inspector *inspector, uint32_t number);
void module_close(struct module *module);

#endif
