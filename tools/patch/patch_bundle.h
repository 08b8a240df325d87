/* A single-file bundle, patched: its assemblies are extracted, patched like any others, and put
 * back in. */
#ifndef PATCH_BUNDLE_H
#define PATCH_BUNDLE_H

#include "tools/patch/patch_job.h"

/* Patches the assembly `only`, or, when that is NULL, those that do not come with the runtime. What
 * was patched before stays in the first case. Each assembly is reported as a module of its own, and
 * given to `patch`. */
enum exit_code patch_bundle(struct job *job, const char *only, patch_one *patch);

#endif
