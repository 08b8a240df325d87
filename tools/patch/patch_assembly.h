/* One assembly, patched: from the input of its job to the patched file in its place. */
#ifndef PATCH_ASSEMBLY_H
#define PATCH_ASSEMBLY_H

#include "tools/patch/patch_job.h"

/* After job_find_input(). What was done or went wrong is reported; nothing is replaced before
 * everything that can fail has been done. */
enum exit_code patch_assembly(struct job *job);

/* The same where the patched file is in its place already: inspectors that have to be beside it
 * (enum inspector_beside) are put where they belong, if they are not there. */
enum exit_code patch_assembly_again(struct job *job, const char *beside);

#endif
