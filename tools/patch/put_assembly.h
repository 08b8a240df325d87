/* Puts a patched assembly in place, together with what belongs to it: inspectors and manifests
 * first, since additional ones are harmless; then symbols and ids, then the file. */
#ifndef PUT_ASSEMBLY_H
#define PUT_ASSEMBLY_H

#include "tools/patch/patch_job.h"

/* All steps, with what was written to `output`, which is taken over. Errors are reported, as in the
 * steps below, some of which an unchanged file needs as well. */
enum exit_code put_assembly(struct job *job, struct output *output);

/* Places the inspectors that the file calls: none before all can be. A dry run only checks that. */
enum exit_code put_inspector_files(struct job *job);

/* Removes inspectors that only the replaced file called. */
enum exit_code put_no_inspector_files(struct job *job);

void put_symbols(struct job *job);

/* If nothing is kept of the new build, neither are its symbols. */
void put_forget_symbols(struct job *job);

/* Commits the changes. */
enum exit_code put_commit(struct job *job);

/* The original kept of an earlier build. NULL: there is none; `view` must be closed in any case. */
struct ilp_image *job_open_stale(const struct job *job, struct file_view *view);

#endif
