/* The inspector in use: its assembly, opened, and its copy beside what was patched. */
#ifndef INSPECTOR_FILE_H
#define INSPECTOR_FILE_H

#include "host/transaction.h"
#include "host/file_view.h"

struct inspector_file {
    struct file_view view; /* of --inspector; empty for the stock one */
    struct ilp_bytes bytes;
    bool stock;
    enum edition edition; /* of the stock one */
    bool native;          /* a native function: nothing is opened, copied or listed */
    bool unmanaged;       /* it is the profiler's own */
    struct ilp_image *assembly;
    struct ilp_inspector *inspector;
    struct ilp_assembly_name name;
};

/* On failure it has been reported and the exit code is returned. */
enum exit_code inspector_file_open(struct inspector_file *inspector, const char *path);
enum exit_code inspector_file_open_stock(struct inspector_file *inspector, enum edition edition);
enum exit_code inspector_file_open_native(struct inspector_file *inspector,
                                          const struct ilp_native *native);
void inspector_file_close(struct inspector_file *inspector);

/* Whether these are the bytes of the inspector, or of another version of it. */
bool inspector_file_is(const struct inspector_file *inspector, struct ilp_bytes bytes);

/* Whether the inspector can be placed in `directory`, which messages call `shown`: a file of its
 * name that is another assembly is not overwritten, and the .deps.json files there have to be
 * readable. `program` is the folder that has the program's files already. What is wrong has been
 * reported. */
enum exit_code inspector_file_check(const struct inspector_file *inspector, const char *directory,
                                    const char *program, const char *shown);

/* Puts the inspector into `directory` and lists it in the .deps.json files there, after
 * inspector_file_check(). `keep`: what a first run finds there in its place is kept as FILE.orig.
 * *replaced: as with deps_add(). */
enum exit_code inspector_file_place(struct transaction *changes,
                                    const struct inspector_file *inspector, const char *directory,
                                    bool keep, bool *replaced);

/* Takes an inspector's entries out of the .deps.json files in the program's folder of `file`
 * (program_folder.h), and its file, if we have put it there: what was kept of it comes back. Not
 * where another assembly there calls it. EXIT_INCOMPLETE: it is not known whether one does, so the
 * inspector stays. What is wrong has been reported. */
enum exit_code inspector_file_remove(struct transaction *changes, const char *file,
                                     const struct ilp_assembly_name *name);

/* The same for the inspectors that `patched` calls, made from `original` as `file`, but for those
 * that `stays` (may be NULL) is true for. */
enum exit_code inspector_files_remove(struct transaction *changes, const struct ilp_image *patched,
                                      const struct ilp_image *original, const char *file,
                                      bool (*stays)(const void *user, const char *name),
                                      const void *user);

#endif
