/* Names, blobs, user strings and GUIDs (II.24.2.3 - II.24.2.5), read in place. */
#include "metadata/image.h"

const char *ilp_string(const struct ilp_image *image, uint32_t offset)
{
    return offset < image->strings_end ? (const char *)image->strings.data + offset : "";
}

bool ilpi_string_is(const struct ilp_image *image, uint32_t offset, const char *text)
{
    struct ilp_bytes heap = image->strings;
    size_t size = strlen(text) + 1;
    return offset < heap.size && size <= heap.size - offset &&
           memcmp(heap.data + offset, text, size) == 0;
}

/* A blob: its length as a compressed integer, then the bytes. */
static struct ilp_bytes read_blob(struct ilp_bytes heap, uint32_t offset, size_t *prefix)
{
    struct ilp_bytes none = {NULL, 0};
    *prefix = 0;
    if (offset >= heap.size) {
        return none;
    }
    struct ilp_bytes rest = {heap.data + offset, heap.size - offset};
    struct ilpi_cursor at = ilpi_cursor_over(rest, 0, "blob", NULL);
    uint32_t size = ilpi_read_packed(&at);
    *prefix = (size_t)(at.at - at.start);
    struct ilp_bytes blob = ilpi_read_bytes(&at, size);
    return at.status == ILP_OK ? blob : none;
}

struct ilp_bytes ilp_blob(const struct ilp_image *image, uint32_t offset)
{
    size_t prefix;
    return read_blob(image->blobs, offset, &prefix);
}

uint64_t ilpi_blob_offset(const struct ilp_image *image, uint32_t offset)
{
    size_t prefix;
    read_blob(image->blobs, offset, &prefix);
    return image->blobs_offset + offset + prefix;
}

/* The final byte of a user string says whether a character needs more than comparing bytes
 * (II.24.2.4). */
struct ilp_bytes ilp_user_string(const struct ilp_image *image, uint32_t offset)
{
    size_t prefix;
    struct ilp_bytes text = read_blob(image->user_strings, ILP_TOKEN_RID(offset), &prefix);
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
