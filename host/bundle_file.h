/* Single-file bundles as files: a file inside has the path of the bundle, a slash, and its own
 * path, as if the bundle were a folder. */
#ifndef BUNDLE_FILE_H
#define BUNDLE_FILE_H

#include "host/file_view.h"

/* A bundle, mapped and opened. */
struct bundle_file {
    struct file_view view;
    struct ilp_bundle *bundle;
};

/* False with `error` set, also if the file cannot be read. */
bool bundle_file_open(struct bundle_file *file, const char *path, struct ilp_error *error);
void bundle_file_close(struct bundle_file *file);

/* Whether a file of the bundle with these bytes is an assembly. */
bool bundle_has_assembly(struct ilp_bytes bundle, const struct ilp_bundle_entry *entry);

/* Writes a file of the bundle to its path in a folder, and makes missing folders. Failures are
 * reported. */
enum exit_code bundle_extract(const struct bundle_file *file, const struct ilp_bundle_entry *entry,
                              const char *directory);

/* The assembly that is meant by a program: the .dll beside a host of the SDK, or the one that a
 * bundle starts. Reports which one; any other path unchanged. Owned by the caller. */
char *program_assembly(const char *path);

/* The same without a report. NULL: the file starts none. *kind is the file's. */
char *started_assembly(const char *path, enum ilp_file_kind *kind);

/* The .dll beside a host; NULL: there is none. Owned by the caller. */
char *started_by_host(const char *path);

/* program_assembly() for hosts only: a bundle is unchanged. */
char *host_assembly(const char *path);

#endif
