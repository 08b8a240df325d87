/* Precompiled (ReadyToRun) images that depend on the old methods of others: their native code may
 * hold copies of them, inlined or as instances of generic ones. docs/READYTORUN.md has the
 * compiler's conditions. */
#ifndef CALLERS_H
#define CALLERS_H

#include "tools/patch/patch_request.h"

struct callers;

/* `paths` are the --reference-path options (borrowed). */
struct callers *callers_open(const char *const *paths, size_t path_count);
void callers_close(struct callers *callers);

/* Whether an image near `file` records its MVID, which must then not change. */
bool callers_record_mvid(struct callers *callers, const char *file, const struct ilp_image *image);

/* `file`, named `shown` in messages, was changed by `edit`: collects images that may hold copies of
 * its old methods. */
void callers_collect(struct callers *callers, const char *file, const char *shown,
                     const struct ilp_image *image, const struct ilp_edit *edit);

/* After all files: drops the native code of images that are still precompiled (--with-callers), by
 * passing them to `patch`, or reports them. */
enum exit_code callers_finish(struct callers *callers, const struct patch_request *request,
                              patch_one *patch);

/* Adds them to the report. `extracted` is the bundle of the files, or NULL. */
void callers_report(const struct callers *callers, const struct extracted *extracted,
                    struct report *report);

#endif
