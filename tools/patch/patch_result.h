/* The result of patching a file and its dependencies, for the cache (patch_cache.h). */
#ifndef PATCH_RESULT_H
#define PATCH_RESULT_H

#include "tools/patch/patch_job.h"

/* Zero-initialise. */
struct patch_result {
    bool unknown;           /* it depends on more than is recorded here */
    char *input;            /* owned: the file that was patched, FILE or its original; NULL: none */
    bool mvid_recorded;     /* native code of others records the MVID of the input */
    char *beside;           /* owned: for each inspector an enum inspector_beside */
    struct path_list files; /* dependencies, and outputs besides the file itself */
    FILE *references;       /* owned: lines of the cache; NULL: none */
    char *reference_text;   /* its text, after a flush: owned */
    size_t reference_size;
};

/* What must be beside the patched file. */
enum inspector_beside {
    BESIDE_NOTHING = '0', /* not called, or embedded */
    BESIDE_INSPECTOR = '1',
    BESIDE_SMALL = 's', /* the small edition of the stock one */
};

/* Records a patched assembly, perhaps one of a bundle. */
void patch_result_assembly(struct patch_result *result, const struct job *job,
                           const struct ilp_image *image, bool mvid_recorded);

/* Records a bundle, after its assemblies; `whole`: all of them were patched. */
void patch_result_bundle(struct patch_result *result, const struct job *job, bool whole);

void patch_result_free(struct patch_result *result);

#endif
