/* Patches one assembly: from the input of its job to the patched file in place. */
#ifndef PATCH_ASSEMBLY_H
#define PATCH_ASSEMBLY_H

#include "tools/patch/patch_job.h"

/* After job_find_input(). Results and errors are reported; nothing is replaced before everything
 * that can fail is done. */
enum exit_code patch_assembly(struct job *job);

/* For a file that is patched already: places inspectors that must be beside it (enum
 * inspector_beside), if they are missing. */
enum exit_code patch_assembly_again(struct job *job, const char *beside);

#endif
