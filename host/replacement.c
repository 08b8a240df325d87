/* Files that take their places together. See replacement.h. */
#include "host/replacement.h"
#include "host/file_io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Copies of one assembly have one PDB. */
static struct replacement *find(struct replacements *all, const char *path)
{
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->items[i].path, path) == 0) {
            return &all->items[i];
        }
    }
    return NULL;
}

static bool set_bytes(struct replacement *file, struct ilp_bytes bytes)
{
    uint8_t *copy = grow_items(file->bytes, bytes.size + 1, 1);
    if (!copy) {
        return false;
    }
    if (bytes.size != 0) {
        memcpy(copy, bytes.data, bytes.size);
    }
    file->bytes = copy;
    file->size = bytes.size;
    return true;
}

static void free_strings(struct replacement *file)
{
    free(file->path);
    free(file->like);
    free(file->kept);
    free(file->bytes);
}

struct replacement *replacements_add(struct replacements *all, const char *path, const char *kept,
                                     const char *like, struct ilp_bytes bytes)
{
    struct replacement *same = find(all, path);
    if (same) {
        return set_bytes(same, bytes) ? same : NULL;
    }
    struct replacement added = {
        .path = copy_text(path), .like = copy_text(like), .kept = copy_text(kept)};
    bool whole = added.path && added.like && (added.kept || !kept) && set_bytes(&added, bytes);
    struct replacement *items = whole ? grow_items(all->items, all->count + 1, sizeof *items)
                                      : NULL;
    if (!items) {
        free_strings(&added);
        return NULL;
    }
    all->items = items;
    all->items[all->count] = added;
    return &all->items[all->count++];
}

static bool begin(struct replacement *file)
{
    if (file->moves) {
        return true;
    }
    if (!output_begin(&file->output, file->path, file->like) ||
        !output_bytes(&file->output, (struct ilp_bytes){file->bytes, file->size})) {
        output_abandon(&file->output);
        return false;
    }
    file->output.durable = file->kept != NULL;
    file->begun = true;
    return true;
}

bool replacements_begin(struct replacements *all, const char **path, int *error)
{
    for (size_t i = 0; i < all->count; i++) {
        if (!begin(&all->items[i])) {
            *path = all->items[i].path;
            *error = all->items[i].output.error;
            return false;
        }
    }
    return true;
}

static bool commit(struct replacement *file, int *error)
{
    if (file->moves) {
        file->done = rename(file->path, file->kept) == 0;
        *error = errno;
        return file->done;
    }
    file->begun = false;
    if (file->stale) {
        file_remove(file->kept);
    }
    if (file->kept && !file_keep_as(file->path, file->kept, error)) {
        output_abandon(&file->output);
        return false;
    }
    if (!output_commit(&file->output)) {
        *error = file->output.error;
        if (file->kept) {
            file_remove(file->kept);
        }
        return false;
    }
    file->done = true;
    return true;
}

bool replacements_commit(struct replacements *all, const char **path, int *error)
{
    for (size_t i = 0; i < all->count; i++) {
        if (!commit(&all->items[i], error)) {
            *path = all->items[i].path;
            replacements_undo(all);
            return false;
        }
    }
    return true;
}

void replacements_undo(struct replacements *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct replacement *file = &all->items[i];
        if (file->done && file->kept) {
            rename(file->kept, file->path);
        }
    }
}

void replacements_free(struct replacements *all)
{
    for (size_t i = 0; i < all->count; i++) {
        struct replacement *file = &all->items[i];
        if (file->begun) {
            output_abandon(&file->output);
        }
        free_strings(file);
    }
    free(all->items);
    *all = (struct replacements){NULL, 0};
}
