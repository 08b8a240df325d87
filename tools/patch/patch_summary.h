/* The line of a patched assembly on standard output: what was done, and what one should know of
 * it. */
#ifndef PATCH_SUMMARY_H
#define PATCH_SUMMARY_H

#include "tools/patch/patch_job.h"

/* When all is done, and the report has it, too. `written` is all zero where nothing was written.
 * Says nothing with --quiet. */
void patch_summary(const struct job *job, const struct ilp_write_info *written);

#endif
