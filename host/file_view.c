/* Opens the bytes of a path: "-", a file, or a file in a bundle. See file_view.h. The system
 * reports ENOTDIR for BUNDLE/FILE, which is when a bundle is looked into. */
#include "host/file_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/file_io.h"
#include "host/file_map.h"
#include "host/standard_streams.h"

/* The first part of the path that is a regular file is the bundle; the rest is a path in it. */
char *bundle_path_split(const char *path, const char **inner)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        struct stat info;
        char *front = copy_part(path, (size_t)(slash - path));
        if (front && stat(front, &info) == 0 && S_ISREG(info.st_mode) && slash[1] != '\0') {
            *inner = slash + 1;
            return front;
        }
        free(front);
    }
    return NULL;
}

/* A file in a bundle: `path` continues after the bundle's name. */
static bool view_in_bundle(struct file_view *view, const char *path)
{
    const char *inner;
    struct ilp_bundle *bundle = NULL;
    const struct ilp_bundle_entry *entry = NULL;
    struct ilp_error error = {.status = ILP_OK};
    char *outer = bundle_path_split(path, &inner);
    bool found = outer && file_map_open(&view->mapped, outer) &&
                 ilp_bundle_open(&bundle, view->mapped, NULL, &error) == ILP_OK &&
                 (entry = ilp_bundle_find(bundle, inner)) != NULL &&
                 ilp_arena_open(&view->unpacked, NULL, &error) == ILP_OK &&
                 ilp_bundle_read(bundle, entry, view->unpacked, &view->bytes, &error) == ILP_OK;
    int number = EBADMSG;
    if (!entry) {
        number = bundle ? ENOENT : ENOTDIR;
    }
    if (!found && ilp_status_class(error.status) == ILP_CLASS_MEMORY) {
        memory_failed();
        number = ENOMEM;
    }
    ilp_bundle_close(bundle);
    free(outer);
    if (!found) {
        file_view_close(view);
        errno = number;
    }
    return found;
}

/* In this order: standard input ("-"), a file, a file in a single-file program. An empty file has
 * no mapping; its bytes are a text of size 0, not NULL. */
bool file_view_open(struct file_view *view, const char *path)
{
    *view = (struct file_view){.bytes = {(const uint8_t *)"", 0}};
    if (!path) {
        errno = ENOMEM;
        return false;
    }
    if (is_standard(path)) {
        return standard_input(&view->bytes);
    }
    if (file_map_open(&view->mapped, path)) {
        view->bytes = view->mapped.size != 0 ? view->mapped : view->bytes;
        return true;
    }
    return errno == ENOTDIR && view_in_bundle(view, path);
}

/* Standard input and unpacked files have no map, and stay. */
void file_view_release_pages(const struct file_view *view)
{
    if (view->mapped.size != 0) {
        file_map_release_pages(view->mapped.data, view->mapped.size);
    }
}

/* Only if the bytes are the map's: a packed file of a bundle is in other memory. */
void file_view_release_part(const struct file_view *view, struct ilp_bytes part)
{
    if (view->mapped.size != 0 && view->bytes.data == view->mapped.data) {
        file_map_release_pages(part.data, part.size);
    }
}

bool file_view_has_grown(const struct file_view *view, const char *path)
{
    struct stat info;
    return view->mapped.size != 0 && stat(path, &info) == 0 &&
           (uint64_t)info.st_size > view->mapped.size;
}

void file_view_close(struct file_view *view)
{
    ilp_arena_close(view->unpacked);
    file_map_close(&view->mapped);
    *view = (struct file_view){.bytes = {NULL, 0}};
}
