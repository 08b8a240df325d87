/* Precompiled (ReadyToRun) images that depend on the methods of others as they were: their native
 * code may hold copies of them, inlined or as instances of generic ones. docs/READYTORUN.md says
 * when a compiler does that. */
#ifndef CALLERS_H
#define CALLERS_H

#include "tools/patch/patch_request.h"

struct callers;

/* `paths` are the --reference-path options (borrowed). */
struct callers *callers_open(const char *const *paths, size_t path_count);
void callers_close(struct callers *callers);

/* Whether an image around `file` records its MVID, which then has to stay. */
bool callers_record_mvid(struct callers *callers, const char *file, const struct ilp_image *image);

/* `file`, which messages call `shown`, has been changed as `edit` says: collects who may hold
 * copies of what its methods were. */
void callers_collect(struct callers *callers, const char *file, const char *shown,
                     const struct ilp_image *image, const struct ilp_edit *edit);

/* When all files are done: drops the native code of those that are still precompiled
 * (--with-callers), by giving them to `patch`, or reports them. */
enum exit_code callers_finish(struct callers *callers, const struct patch_request *request,
                              patch_one *patch);

/* Adds them to the report. `extracted` is the bundle that the files are from, or NULL. */
void callers_report(const struct callers *callers, const struct extracted *extracted,
                    struct report *report);

#endif
