/* Keeps opened files. A file is known again by device, inode and time: another one that takes its
 * place later is another file, since a mapped one keeps its inode.
 */
#include "host/resolve/image_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/resolve/path_list.h"
#include "host/file_view.h"

struct cached {
    char *path; /* owned; in a single-file program, where it says which one it is; else NULL */
    dev_t device;
    ino_t inode;
    struct timespec changed;
    struct file_view view;
    struct ilp_image *image; /* NULL: it is none */
    struct cached *next;
};

#define BUCKETS 256u

/* More files than any command needs: what comes after them is not opened. */
#define MAX_FILES 16384u

struct image_cache {
    struct cached *buckets[BUCKETS];
    size_t count;
};

struct image_cache *image_cache_open(void)
{
    return new_items(1, sizeof(struct image_cache));
}

void image_cache_close(struct image_cache *cache)
{
    for (size_t i = 0; cache && i < BUCKETS; i++) {
        while (cache->buckets[i]) {
            struct cached *cached = cache->buckets[i];
            cache->buckets[i] = cached->next;
            ilp_image_close(cached->image);
            file_view_close(&cached->view);
            free(cached->path);
            free(cached);
        }
    }
    free(cache);
}

static bool is_it(const struct cached *cached, const struct stat *info, const char *path)
{
    if (cached->path || path) {
        return cached->path && path && strcmp(cached->path, path) == 0;
    }
    return cached->device == info->st_dev && cached->inode == info->st_ino &&
           cached->changed.tv_sec == info->st_mtim.tv_sec &&
           cached->changed.tv_nsec == info->st_mtim.tv_nsec;
}

/* False: there was no memory to see what the file is. */
static bool open_cached(struct cached *cached, const char *path)
{
    struct ilp_error error = {.status = ILP_OK};
    unsigned failures = memory_failures();
    if (file_view_open(&cached->view, path) &&
        ilp_image_open(&cached->image, cached->view.bytes, ILP_LAYOUT_FILE, path, NULL, &error) ==
            ILP_OK) {
        return true;
    }
    cached->image = NULL;
    file_view_close(&cached->view); /* nothing borrows from it */
    if (ilp_status_class(error.status) == ILP_CLASS_MEMORY) {
        memory_failed();
    }
    return memory_failures() == failures;
}

struct ilp_image *image_cache_get(struct image_cache *cache, const char *path)
{
    struct stat info = {.st_ino = 0};
    if (!cache || !path) {
        return NULL;
    }
    bool plain = stat(path, &info) == 0;
    if (plain ? !S_ISREG(info.st_mode) : errno != ENOTDIR || !path_is_there(path)) {
        return NULL;
    }
    struct cached **bucket = &cache->buckets[info.st_ino % BUCKETS];
    struct cached *cached = *bucket;
    while (cached && !is_it(cached, &info, plain ? NULL : path)) {
        cached = cached->next;
    }
    if (cached || cache->count == MAX_FILES) {
        return cached ? cached->image : NULL;
    }
    cached = new_items(1, sizeof *cached);
    char *own_path = plain || !cached ? NULL : copy_text(path);
    if (!cached || (!plain && !own_path) || !open_cached(cached, path)) {
        free(own_path);
        free(cached);
        return NULL;
    }
    cached->path = own_path;
    cached->device = info.st_dev;
    cached->inode = info.st_ino;
    cached->changed = info.st_mtim;
    cached->next = *bucket;
    *bucket = cached;
    cache->count++;
    return cached->image;
}
