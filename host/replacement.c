/* Files that take their places together. See replacement.h. */
#include "host/replacement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Copies of one assembly have one PDB. */
static struct replacement *replace_bytes(struct replacements *all, const char *path, struct ilp_bytes bytes)
{
    for (size_t i = 0; i < all->count; i++) {
        struct replacement *file = &all->items[i];
        if (strcmp(file->path, path) == 0) {
            file->bytes = need(realloc(file->bytes, bytes.size + 1));
            file->size = bytes.size;
            memcpy(file->bytes, bytes.data, bytes.size);
            return file;
        }
    }
    return NULL;
}

struct replacement *replacements_add(struct replacements *all, const char *path, const char *kept, const char *like,
                                     struct ilp_bytes bytes)
{
    struct replacement *same = replace_bytes(all, path, bytes);
    if (same) {
        return same;
    }
    all->items = need(realloc(all->items, (all->count + 1) * sizeof *all->items));
    struct replacement *added = &all->items[all->count++];
    *added = (struct replacement){.path = need(strdup(path)),
                                  .like = need(strdup(like)),
                                  .kept = kept ? need(strdup(kept)) : NULL,
                                  .bytes = need(malloc(bytes.size + 1)),
                                  .size = bytes.size};
    if (bytes.size != 0) {
        memcpy(added->bytes, bytes.data, bytes.size);
    }
    return added;
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
        unlink(file->kept);
    }
    if (file->kept && !file_keep_as(file->path, file->kept, error)) {
        output_abandon(&file->output);
        return false;
    }
    if (!output_commit(&file->output)) {
        *error = file->output.error;
        if (file->kept) {
            unlink(file->kept);
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
        free(file->path);
        free(file->like);
        free(file->kept);
        free(file->bytes);
    }
    free(all->items);
    *all = (struct replacements){NULL, 0};
}
