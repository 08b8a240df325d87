/* Finds and replaces an image's bytes, at offsets in MonoImage that probing has found. See
 * image_bytes.h. */
#include "profiler/mono/image_bytes.h"

#include <string.h>

/* In all versions they are among the first members of MonoImage: a count, perhaps the storage, the
 * address, the size. */
enum { LOOKED_AT = 8 };

/* Not an image, so that Mono closes it at once. */
static char nothing[] = "not an image: where does Mono have its bytes?";

struct pointer_and_size {
    const uint8_t *data;
    uint32_t size;
};

static struct pointer_and_size at_word(const mono_image *image, unsigned index)
{
    struct pointer_and_size found;
    memcpy(&found.data, (const uintptr_t *)(const void *)image + index, sizeof found.data);
    memcpy(&found.size, (const uintptr_t *)(const void *)image + index + 1, sizeof found.size);
    return found;
}

bool image_bytes_find(struct image_bytes_place *place, const struct mono_functions *mono)
{
    int status = 0;
    place->probes = true;
    mono->image_open_from_data_with_name(nothing, sizeof nothing, false, &status, false, NULL);
    place->probes = false;
    return place->index != 0;
}

bool image_bytes_note(struct image_bytes_place *place, const mono_image *image)
{
    if (!place->probes) {
        return false;
    }
    for (unsigned i = 1; i < LOOKED_AT && place->index == 0; i++) {
        struct pointer_and_size found = at_word(image, i);
        if (found.data == (const uint8_t *)nothing && found.size == sizeof nothing) {
            place->index = i;
        }
    }
    return true;
}

struct ilp_bytes image_bytes(const struct image_bytes_place *place, const mono_image *image)
{
    struct pointer_and_size found = at_word(image, place->index);
    return (struct ilp_bytes){found.data, found.data ? found.size : 0};
}

void image_bytes_replace(const struct image_bytes_place *place, mono_image *image,
                         struct ilp_bytes bytes)
{
    uint32_t size = (uint32_t)bytes.size;
    memcpy((uintptr_t *)(void *)image + place->index, &bytes.data, sizeof bytes.data);
    memcpy((uintptr_t *)(void *)image + place->index + 1, &size, sizeof size);
}
