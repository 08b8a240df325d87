/* An inspector in use: its assembly, opened, and its copy beside patched files. */
#ifndef INSPECTOR_FILE_H
#define INSPECTOR_FILE_H

#include "host/transaction.h"
#include "host/file_view.h"

struct inspector_file {
    struct file_view view; /* of --inspector; empty for the stock one */
    struct ilp_bytes bytes;
    bool stock;
    enum edition edition; /* for the stock one */
    bool native;          /* a native function: not opened, copied or listed */
    bool unmanaged;       /* it is the profiler's own */
    struct ilp_image *assembly;
    struct ilp_inspector *inspector;
    struct ilp_assembly_name name;
};

/* Failures are reported, and the exit code is returned. */
enum exit_code inspector_file_open(struct inspector_file *inspector, const char *path);
enum exit_code inspector_file_open_stock(struct inspector_file *inspector, enum edition edition);
enum exit_code inspector_file_open_native(struct inspector_file *inspector,
                                          const struct ilp_native *native);
void inspector_file_close(struct inspector_file *inspector);

/* Whether these are the bytes of the inspector, in any version. */
bool inspector_file_is(const struct inspector_file *inspector, struct ilp_bytes bytes);

/* Whether the inspector can be placed in `directory`, named `shown` in messages: another assembly
 * with its file name is not overwritten, and the .deps.json files there must be readable. `program`
 * is the folder that already has the program's files. Errors are reported. */
enum exit_code inspector_file_check(const struct inspector_file *inspector, const char *directory,
                                    const char *program, const char *shown);

/* Places the inspector in `directory` and lists it in the .deps.json files there, after
 * inspector_file_check(). `keep`: a file that a first run finds in its place is kept as FILE.orig.
 * *replaced: as in deps_add(). */
enum exit_code inspector_file_place(struct transaction *changes,
                                    const struct inspector_file *inspector, const char *directory,
                                    bool keep, bool *replaced);

/* Removes an inspector's entries from the .deps.json files in the program's folder of `file`
 * (program_folder.h), and its file, if we placed it: the kept one is restored. Not if another
 * assembly there calls it. EXIT_INCOMPLETE: that is unknown, so the inspector stays. Errors are
 * reported. */
enum exit_code inspector_file_remove(struct transaction *changes, const char *file,
                                     const struct ilp_assembly_name *name);

/* The same for the inspectors that `patched` calls, which was made from `original` as `file`,
 * except those for which `stays` (may be NULL) is true. */
enum exit_code inspector_files_remove(struct transaction *changes, const struct ilp_image *patched,
                                      const struct ilp_image *original, const char *file,
                                      bool (*stays)(const void *user, const char *name),
                                      const void *user);

#endif
