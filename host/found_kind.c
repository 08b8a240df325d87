/* Determines the kind of a file. See found_kind.h. The first bytes are enough for most kinds; only
 * a program must be searched for a bundle, and is mapped for that. */
#include "host/found_kind.h"

#include <string.h>

#include "host/file_io.h"
#include "host/file_view.h"
#include "host/standard_streams.h"

/* Headers of assemblies are far shorter. */
#define START_BYTES 4096u

static struct found_kind kind_of(struct ilp_bytes bytes)
{
    return (struct found_kind){ilp_file_kind_of(bytes),
                               bytes.size >= 2 && memcmp(bytes.data, "MZ", 2) == 0};
}

/* Whether more bytes cannot change the kind: for programs they can, and a PE header may follow. */
static bool is_settled(const struct found_kind *found)
{
    switch (found->kind) {
    case ILP_FILE_PE: return true;
    case ILP_FILE_ELF:
    case ILP_FILE_MACH_O: return false;
    default: return !found->dos;
    }
}

/* Mostly the first bytes are enough; only kinds that need more open the whole file, which may be in
 * a bundle. */
bool find_kind(const char *path, struct found_kind *found)
{
    uint8_t start[START_BYTES];
    struct file_view view;
    size_t size = path && !is_standard(path) ? file_read_start(path, start, sizeof start) : 0;
    if (size != 0) {
        *found = kind_of((struct ilp_bytes){start, size});
        if (size < sizeof start || is_settled(found)) {
            return true;
        }
    }
    if (!file_view_open(&view, path)) {
        return false;
    }
    *found = kind_of(view.bytes);
    file_view_close(&view);
    return true;
}
