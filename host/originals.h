/* Originals of replaced files: kept as FILE.orig, the input of the next run.
 *
 * FILE.orig is never overwritten, unless it is proven that it was kept by us and that FILE was
 * built again since. The record .FILE.ilpatch beside them proves the first: it holds the digest of
 * what was kept. A new build has the same name and no origin, and its MVID is not that of the
 * patched file, which the record holds, too: so it was not made from that by another tool. A file
 * that was put where there was none, an inspector of the user's, has a record and no FILE.orig. */
#ifndef ORIGINALS_H
#define ORIGINALS_H

#include "host/transaction.h"

enum original {
    ORIGINAL_NONE,  /* there is no FILE.orig: FILE is the input */
    ORIGINAL_INPUT, /* FILE was made from FILE.orig, which is the input then */
    ORIGINAL_STALE, /* FILE was built again since FILE.orig was kept, and is the input */
    /* FILE.orig is there, but FILE was not made from it, and more is not known */
    ORIGINAL_OTHER,
    /* one of the files, or the record, is there and cannot be read: the transaction has failed */
    ORIGINAL_UNREADABLE
};

/* "Lib.dll" of "Lib.dll.orig", any other path as it is. Owned by the caller; NULL: no memory. */
char *original_place(const char *path);

/* What the two files are to each other; `kept` is FILE.orig. */
enum original original_of(struct transaction *changes, const char *file, const char *kept);

/* Writes the record: `kept` is what FILE.orig holds, `patched` what takes FILE's place (NULL:
 * nothing that has an MVID). */
bool original_record(struct transaction *changes, const char *file, struct ilp_bytes kept,
                     const struct ilp_bytes *patched);

/* Whether the record says that this was kept of FILE. If it cannot be read, the transaction has
 * failed. */
bool original_is_recorded(struct transaction *changes, const char *file, struct ilp_bytes kept);

/* Whether FILE.orig is an assembly whose place an inspector took: it comes back with what calls
 * that. If something cannot be read, the transaction has failed. */
bool original_is_of_inspector(struct transaction *changes, const char *file, const char *kept);

/* Removes the record, if there is one. */
void original_forget(struct transaction *changes, const char *file);

/* Whether that is the name of a record, and the path of the file in `directory` that it is of.
 * Owned by the caller. */
bool is_record_name(const char *name);
char *recorded_file(const char *directory, const char *name);

/* Whether FILE is an assembly or a bundle that no run has written. */
bool original_is_unpatched(const char *file);

/* Whether FILE is such an assembly, and the one at `user` refers to it. */
bool original_is_used(const char *file, const char *user);

/* Whether an AssemblyRef of the image has this name. */
bool image_refers_to(const struct ilp_image *image, const char *assembly);

/* Whether a file of this name should be an assembly, or a module of one. */
bool is_assembly_name(const char *path);

#endif
