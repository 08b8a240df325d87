/* Patches a single-file bundle: its assemblies are extracted, patched as usual, and put back. */
#ifndef PATCH_BUNDLE_H
#define PATCH_BUNDLE_H

#include "tools/patch/patch_job.h"

/* Patches the assembly `only`, or, if that is NULL, all except the runtime's. In the first case
 * earlier patches are kept. Each assembly is reported as a module of its own, and passed to
 * `patch`. */
enum exit_code patch_bundle(struct job *job, const char *only, patch_one *patch);

#endif
