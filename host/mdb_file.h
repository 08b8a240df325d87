/* Symbols in Mono's own format: App.exe.mdb beside App.exe. The assembly does not refer to them;
 * they have its MVID. */
#ifndef MDB_FILE_H
#define MDB_FILE_H

#include "host/file_io.h"

/* "App.exe.mdb"; owned by the caller. */
char *mdb_path(const char *file);

/* Whether these bytes are symbols of exactly this image. */
bool mdb_is_of(struct ilp_bytes file, const struct ilp_image *image);

#endif
