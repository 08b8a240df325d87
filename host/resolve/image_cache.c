/* Caches opened files. A file is identified by device, inode and time: a later one at the same path
 * is another file, since a mapped file keeps its inode. */
#include "host/resolve/image_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/list.h"
#include "base/map.h"
#include "host/resolve/path_list.h"
#include "host/file_view.h"

/* One file, whether it is an image or not: that it is none is remembered, too. Images stay open
 * until the cache is closed, since references borrow them. */
struct cached {
    char *path; /* owned; for a file in a single-file program, its path; else NULL */
    dev_t device;
    ino_t inode;
    struct timespec changed;
    struct file_view view;
    struct ilp_image *image; /* NULL: not an image */
};

/* More files than any command needs; later ones are not opened. */
#define MAX_FILES 16384u

struct image_cache {
    struct ilpi_alloc alloc;
    ILPI_LIST(struct cached) files;
    struct ilpi_map places; /* 1 + index of `files`, by inode */
};

struct image_cache *image_cache_open(void)
{
    struct image_cache *cache = new_items(1, sizeof *cache);
    if (cache) {
        ilpi_alloc_init(&cache->alloc, NULL);
    }
    return cache;
}

void image_cache_close(struct image_cache *cache)
{
    for (size_t i = 0; cache && i < cache->files.count; i++) {
        struct cached *cached = &cache->files.items[i];
        ilp_image_close(cached->image);
        file_view_close(&cached->view);
        free(cached->path);
    }
    if (cache) {
        ilpi_map_free(&cache->places, &cache->alloc);
        ILPI_LIST_FREE(&cache->alloc, &cache->files);
    }
    free(cache);
}

/* Files in bundles are compared by path, others by what they are, whatever their path. */
static bool is_it(const struct cached *cached, const struct stat *info, const char *path)
{
    if (cached->path || path) {
        return cached->path && path && strcmp(cached->path, path) == 0;
    }
    return cached->device == info->st_dev && cached->inode == info->st_ino &&
           cached->changed.tv_sec == info->st_mtim.tv_sec &&
           cached->changed.tv_nsec == info->st_mtim.tv_nsec;
}

/* False: no memory to determine the file's kind. */
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

/* `inner` is the path of a file in a single-file program, else NULL. */
static struct ilp_image *add(struct image_cache *cache, const char *path, const struct stat *info,
                             const char *inner)
{
    struct cached cached = {.path = copy_text(inner),
                            .device = info->st_dev,
                            .inode = info->st_ino,
                            .changed = info->st_mtim};
    size_t count = cache->files.count + 1;
    bool room = (cached.path || !inner) &&
                ILPI_LIST_RESERVE(&cache->alloc, &cache->files, count, NULL) == ILP_OK &&
                ilpi_map_reserve(&cache->places, &cache->alloc, count, NULL) == ILP_OK;
    if (!room) {
        memory_failed();
    }
    if (!room || !open_cached(&cached, path)) {
        free(cached.path);
        return NULL;
    }
    ilpi_map_add(&cache->places, &cache->alloc, info->st_ino, (uint32_t)count, NULL);
    cache->files.items[cache->files.count++] = cached;
    return cached.image;
}

/* The file of a path: NULL if it was not opened. */
static struct cached *find(struct image_cache *cache, const struct stat *info, const char *inner)
{
    struct ilpi_map_search search = ilpi_map_find(&cache->places, info->st_ino);
    for (uint32_t place; (place = ilpi_map_next(&search)) != 0;) {
        struct cached *cached = &cache->files.items[place - 1];
        if (is_it(cached, info, inner)) {
            return cached;
        }
    }
    return NULL;
}

/* stat() of a path inside a single-file program fails with ENOTDIR, since the program is a file
 * where the path has a folder: only then is a bundle opened. Entries of bundles have no inode. They
 * share the map's key 0, and is_it() compares their paths. */
struct ilp_image *image_cache_get(struct image_cache *cache, const char *path, bool *there)
{
    struct stat info = {.st_ino = 0};
    bool plain = path && stat(path, &info) == 0;
    bool found = plain || (path && errno == ENOTDIR && path_is_there(path));
    if (there) {
        *there = found;
    }
    if (!cache || !found || (plain && !S_ISREG(info.st_mode))) {
        return NULL;
    }
    const char *inner = plain ? NULL : path;
    const struct cached *cached = find(cache, &info, inner);
    if (cached) {
        return cached->image;
    }
    return cache->files.count < MAX_FILES ? add(cache, path, &info, inner) : NULL;
}

/* The pages of a file that is not needed for now are given back; the next access reads them from
 * the file again. */
void image_cache_release_pages(struct image_cache *cache, const char *path)
{
    struct stat info;
    const struct cached *cached = path && stat(path, &info) == 0 ? find(cache, &info, NULL) : NULL;
    if (cached) {
        file_view_release_pages(&cached->view);
    }
}
