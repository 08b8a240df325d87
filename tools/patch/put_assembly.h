/* How a patched assembly takes its place, together with what belongs to it: inspectors and
 * manifests first, since more than before does no harm; then symbols and ids, then the file. */
#ifndef PUT_ASSEMBLY_H
#define PUT_ASSEMBLY_H

#include "tools/patch/patch_job.h"

/* All of it, with what was written to `output`, which is taken over. What is wrong has been
 * reported, as with the steps below, of which a file that stays as it is needs some. */
enum exit_code put_assembly(struct job *job, struct output *output);

/* The inspectors that the file calls: none is placed before all can be. A dry run only looks
 * whether they could be. */
enum exit_code put_inspector_files(struct job *job);

/* Takes those away that the form which is replaced has called, and the new one does not. */
enum exit_code put_no_inspector_files(struct job *job);

void put_symbols(struct job *job);

/* Where nothing is kept of the new build, its symbols are not kept either. */
void put_forget_symbols(struct job *job);

/* The changes take place. */
enum exit_code put_commit(struct job *job);

/* What an earlier build was kept as. NULL: there is none; `view` is to be closed in any case. */
struct ilp_image *job_open_stale(const struct job *job, struct file_view *view);

#endif
