/* Originals of replaced files: kept as FILE.orig, the input of the next run.
 *
 * FILE.orig is only overwritten if it is proven that we kept it and that FILE was built again
 * since. The record .FILE.ilpatch beside them proves the first: it has the digest of what was kept.
 * A new build has the same name and no origin mark, and its MVID differs from that of the patched
 * file, which is in the record as well: so no other tool made it from that. A file placed where
 * there was none, such as a user's inspector, has a record and no FILE.orig.
 *
 *   FILE.orig absent                      NONE     FILE is the input
 *   FILE's origin is FILE.orig            INPUT    FILE.orig is the input
 *   FILE.orig recorded, FILE a new build  STALE    FILE is the input, FILE.orig is replaced
 *   otherwise                             OTHER    refused */
#ifndef ORIGINALS_H
#define ORIGINALS_H

#include "host/transaction.h"

enum original {
    ORIGINAL_NONE,  /* there is no FILE.orig: FILE is the input */
    ORIGINAL_INPUT, /* FILE was made from FILE.orig, which is the input */
    ORIGINAL_STALE, /* FILE was built again since FILE.orig was kept, and is the input */
    /* FILE.orig exists, but FILE was not made from it; nothing more is known */
    ORIGINAL_OTHER,
    /* one of the files, or the record, cannot be read: the transaction has failed */
    ORIGINAL_UNREADABLE
};

/* "Lib.dll" for "Lib.dll.orig", any other path unchanged. Owned by the caller; NULL: no memory. */
char *original_place(const char *path);

/* How the two files are related; `kept` is FILE.orig. */
enum original original_of(struct transaction *changes, const char *file, const char *kept);

/* Writes the record: `kept` is the content of FILE.orig, `patched` what replaces FILE (NULL:
 * nothing with an MVID). */
bool original_record(struct transaction *changes, const char *file, struct ilp_bytes kept,
                     const struct ilp_bytes *patched);

/* Whether the record says that this was kept of FILE. If it cannot be read, the transaction has
 * failed. */
bool original_is_recorded(struct transaction *changes, const char *file, struct ilp_bytes kept);

/* Whether FILE.orig is an assembly that an inspector replaced: it is restored with the file that
 * calls that. If something cannot be read, the transaction has failed. */
bool original_is_of_inspector(struct transaction *changes, const char *file, const char *kept);

/* Removes the record, if there is one. */
void original_forget(struct transaction *changes, const char *file);

/* Whether it is the name of a record; and the path of its file in `directory`. Owned by the
 * caller. */
bool is_record_name(const char *name);
char *recorded_file(const char *directory, const char *name);

/* Whether FILE is an assembly or a bundle that was not written by ilpatch. */
bool original_is_unpatched(const char *file);

/* Whether FILE is such an assembly, and the one at `user` refers to it. */
bool original_is_used(const char *file, const char *user);

/* Whether an AssemblyRef of the image has this name. */
bool image_refers_to(const struct ilp_image *image, const char *assembly);

/* Whether a file of this name should be an assembly, or a module of one. */
bool is_assembly_name(const char *path);

#endif
