/* Single-file bundles as files: what is inside has the path of the bundle, a slash, and its own
 * path, as if the bundle were a folder. */
#ifndef BUNDLE_FILE_H
#define BUNDLE_FILE_H

#include "host/file_view.h"

/* A bundle, mapped and opened. */
struct bundle_file {
    struct file_view view;
    struct ilp_bundle *bundle;
};

/* False with `error` filled, when the file cannot be read, too. */
bool bundle_file_open(struct bundle_file *file, const char *path, struct ilp_error *error);
void bundle_file_close(struct bundle_file *file);

/* Whether a file of the bundle with these bytes is an assembly. */
bool bundle_has_assembly(struct ilp_bytes bundle, const struct ilp_bundle_entry *entry);

/* Writes a file of the bundle to its place in a folder, making the folders on the way. What goes
 * wrong has been reported. */
enum exit_code bundle_extract(const struct bundle_file *file, const struct ilp_bundle_entry *entry,
                              const char *directory);

/* The assembly that is meant where a program is named: the .dll beside a host of the SDK, or in a
 * bundle the one that it starts. Tells which one; the path as it is, if it is none of the two.
 * Owned by the caller. */
char *program_assembly(const char *path);

/* The same without a word. NULL: the file starts none. *kind is what it is. */
char *started_assembly(const char *path, enum ilp_file_kind *kind);

/* The .dll beside a host; NULL: it is not there. Owned by the caller. */
char *started_by_host(const char *path);

/* program_assembly() of hosts alone: a bundle stays one. */
char *host_assembly(const char *path);

#endif
