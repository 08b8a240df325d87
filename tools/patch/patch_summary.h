/* The summary line of a patched assembly on standard output: what was done, and what users should
 * know about it. */
#ifndef PATCH_SUMMARY_H
#define PATCH_SUMMARY_H

#include "tools/patch/patch_job.h"

/* Call it when everything is done, and in the report. `written` is zeroed if nothing was written.
 * No-op with --quiet. */
void patch_summary(const struct job *job, const struct ilp_write_info *written);

#endif
