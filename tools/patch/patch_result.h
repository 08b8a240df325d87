/* What became of a file and what that follows from, for the cache (patch_cache.h). */
#ifndef PATCH_RESULT_H
#define PATCH_RESULT_H

#include "tools/patch/patch_job.h"

/* Zero-initialise. */
struct patch_result {
    bool unknown; /* it follows from more than the file and what is noted here */
    char *input;  /* owned: what was patched, FILE or its original; NULL: nothing was */
    bool mvid_recorded;
    char *beside;           /* owned: for each inspector an enum inspector_beside */
    struct path_list files; /* that it depends on, or that were made besides the output */
    FILE *references;       /* owned: lines of the cache; NULL: none */
    char *reference_text;   /* the same, once it is flushed: owned */
    size_t reference_size;
};

/* What has to be beside the patched file. */
enum inspector_beside {
    BESIDE_NOTHING = '0', /* it is not called, or within the file */
    BESIDE_INSPECTOR = '1',
    BESIDE_SMALL = 's', /* the stock one, in its small edition */
};

/* An assembly was patched, perhaps one of several of a bundle. */
void patch_result_assembly(struct patch_result *result, const struct job *job,
                           const struct ilp_image *image, bool mvid_recorded);

/* A bundle was, after its assemblies; `whole`: all of them. */
void patch_result_bundle(struct patch_result *result, const struct job *job, bool whole);

void patch_result_free(struct patch_result *result);

#endif
