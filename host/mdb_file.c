/* Recognises symbols in Mono's format. Their header, as Mono 6.8 writes it, little-endian:
 *
 *    0   8  magic 45E82623FD7FA614
 *    8   4  major version, 50
 *   12   4  minor version, 0
 *   16  16  the assembly's MVID
 */
#include "host/mdb_file.h"

#include <string.h>

#include "host/file_image.h"

#define MVID_AT    16u
#define MVID_BYTES 16u

char *mdb_path(const char *file)
{
    return format_text("%s.mdb", file);
}

bool mdb_is_of(struct ilp_bytes file, const struct ilp_image *image)
{
    struct ilp_bytes mvid = image_mvid(image);
    return ilp_file_kind_of(file) == ILP_FILE_MDB && file.size >= MVID_AT + MVID_BYTES &&
           mvid.size == MVID_BYTES && memcmp(file.data + MVID_AT, mvid.data, MVID_BYTES) == 0;
}
