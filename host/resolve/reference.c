/* Makes references. See reference.h. A reference has copies of all texts, since it lives longer
 * than the image that refers, and is the key of what is found. */
#include "host/resolve/reference.h"

#include <stdlib.h>
#include <string.h>

static const char *const words[] = {
#define PLACE(name, word, strict) [PLACE_##name] = word,
#include "host/resolve/place.def"
#undef PLACE
};

const char *place_word(enum place place)
{
    return words[place];
}

/* A key of 0 bytes is a copy, too: NULL would mean that memory was short. */
struct reference *reference_new(const struct ilp_assembly_name *name)
{
    struct reference *reference = new_items(1, sizeof *reference);
    uint8_t *key = reference ? new_items(name->key.size, 1) : NULL;
    if (!key) {
        free(reference);
        return NULL;
    }
    if (name->key.size != 0) {
        memcpy(key, name->key.data, name->key.size);
    }
    reference->name = *name;
    reference->name.name = copy_text(name->name);
    reference->name.culture = copy_text(name->culture);
    reference->name.key = (struct ilp_bytes){key, name->key.size};
    if (!reference->name.name || !reference->name.culture) {
        reference_free(reference);
        return NULL;
    }
    return reference;
}

void reference_free(struct reference *reference)
{
    for (size_t i = 0; i < reference->passed_count; i++) {
        free(reference->passed[i].path);
        free(reference->passed[i].why);
    }
    free(reference->passed);
    path_list_free(&reference->looked);
    free((void *)(uintptr_t)reference->name.name);
    free((void *)(uintptr_t)reference->name.culture);
    free((void *)(uintptr_t)reference->name.key.data);
    free(reference);
}
