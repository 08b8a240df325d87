/* Names, blobs, user strings and GUIDs (II.24.2.3 - II.24.2.5), read in place.
 *
 *   #Strings   00 | N a m e 00 | n s 00 ...           UTF-8; a cell may refer into a name
 *   #Blob      00 | length | bytes | length | ...     length: a compressed integer (II.23.2)
 *   #US        00 | length | UTF-16LE units, 1 byte | ...
 *   #GUID      16 bytes | 16 bytes | ...              a cell is an index from 1 on; 0: no GUID
 *
 * Offsets are not validated when the image is opened: any offset of any row may be wrong, and most
 * are never used. Each look-up gives the empty entry for one that is outside. */
#include "metadata/image.h"

/* The bytes from an offset on, of a heap or of its additions. The additions continue the heap's
 * offsets (overlay.h), as if both were one stream. */
static struct ilp_bytes rest_of(struct ilp_bytes heap, struct ilp_bytes added, uint32_t offset)
{
    struct ilp_bytes none = {NULL, 0};
    if (offset < heap.size) {
        return (struct ilp_bytes){heap.data + offset, heap.size - offset};
    }
    return offset - heap.size < added.size ? (struct ilp_bytes){added.data + (offset - heap.size),
                                                                added.size - (offset - heap.size)}
                                           : none;
}

/* Two bounds, since #Strings may lack its last NUL: only before strings_end is a name terminated
 * within the stream. Names of an overlay are always terminated. */
const char *ilp_string(const struct ilp_image *image, uint32_t offset)
{
    if (offset < image->strings_end) {
        return (const char *)image->strings.data + offset;
    }
    struct ilp_bytes added = rest_of(image->strings, image->added_strings, offset);
    return offset >= image->strings.size && added.size != 0 ? (const char *)added.data : "";
}

/* The text's own NUL is compared as well, so the heap's need not be searched: a longer name differs
 * in that byte, and a heap without a NUL is too short. */
bool ilpi_string_is(const struct ilp_image *image, uint32_t offset, const char *text)
{
    struct ilp_bytes rest = rest_of(image->strings, image->added_strings, offset);
    size_t size = strlen(text) + 1;
    return size <= rest.size && memcmp(rest.data, text, size) == 0;
}

/* A blob: its length as a compressed integer, then the bytes. */
static struct ilp_bytes read_blob(struct ilp_bytes rest, size_t *prefix)
{
    struct ilp_bytes none = {NULL, 0};
    *prefix = 0;
    if (rest.size == 0) {
        return none;
    }
    struct ilpi_cursor at = ilpi_cursor_over(rest, 0, "blob", NULL);
    uint32_t size = ilpi_read_packed(&at);
    *prefix = (size_t)(at.at - at.start);
    struct ilp_bytes blob = ilpi_read_bytes(&at, size);
    return at.status == ILP_OK ? blob : none;
}

struct ilp_bytes ilp_blob(const struct ilp_image *image, uint32_t offset)
{
    size_t prefix;
    return read_blob(rest_of(image->blobs, image->added_blobs, offset), &prefix);
}

uint64_t ilpi_blob_offset(const struct ilp_image *image, uint32_t offset)
{
    size_t prefix;
    read_blob(rest_of(image->blobs, image->added_blobs, offset), &prefix);
    return image->blobs_offset + offset + prefix;
}

/* The final byte is 1 if comparing a character needs more than its bytes (II.24.2.4). It makes the
 * length odd, and is not part of the text; a blob of even length lacks it, and is taken whole. */
struct ilp_bytes ilp_user_string(const struct ilp_image *image, uint32_t offset)
{
    size_t prefix;
    struct ilp_bytes none = {NULL, 0};
    struct ilp_bytes text = read_blob(rest_of(image->user_strings, none, ILP_TOKEN_RID(offset)),
                                      &prefix);
    text.size -= text.size & 1;
    return text;
}

struct ilp_bytes ilp_guid(const struct ilp_image *image, uint32_t index)
{
    if (index == 0 || index > image->guids.size / 16) {
        return (struct ilp_bytes){NULL, 0};
    }
    return (struct ilp_bytes){image->guids.data + (size_t)(index - 1) * 16, 16};
}
