/* Opens the assemblies of folders, each once. See neighbours.h.
 *
 *   neighbours --+--> folders: path, MVIDs that their images record, near or not
 *                +--> images of all of them, in one list; image->folder is its folder
 *
 * Files of one folder are patched one after the other, so the folder is read for the first and kept
 * for the others. "near" are those of the folder in work and of --reference-path; the others stay
 * open, because a later file may be in their folder. An image gives its pages back when it is not
 * in use (neighbour_release_pages()), so that a folder with hundreds of assemblies does not fill
 * the memory. */
#include "tools/patch/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "host/file_image.h"
#include "host/path.h"
#include "host/resolve/path_list.h"
#include "tools/tool.h"

#define MVID_BYTES 16u

struct neighbour_folder {
    char *path;     /* the real one; owned */
    uint8_t *mvids; /* that its images record, sorted; owned */
    size_t mvid_count;
    bool precompiled; /* one of its images is */
    bool near;
    struct neighbour_folder *next;
};

struct neighbours {
    const char *const *paths; /* borrowed */
    size_t path_count;
    char *directory;              /* of the last file that was looked around; owned */
    struct neighbour_folder *own; /* the same as a folder; NULL: it does not exist */
    struct neighbour *first;
    struct neighbour_folder *folders; /* that were read */
};

struct neighbours *neighbours_open(const char *const *paths, size_t path_count)
{
    struct neighbours *neighbours = need(calloc(1, sizeof *neighbours));
    neighbours->paths = paths;
    neighbours->path_count = path_count;
    return neighbours;
}

static void close_neighbour(struct neighbour *neighbour)
{
    ilp_image_close(neighbour->image);
    file_view_close(&neighbour->view);
    free(neighbour->path);
    free(neighbour);
}

void neighbours_close(struct neighbours *neighbours)
{
    while (neighbours->first) {
        struct neighbour *neighbour = neighbours->first;
        neighbours->first = neighbour->next;
        close_neighbour(neighbour);
    }
    while (neighbours->folders) {
        struct neighbour_folder *folder = neighbours->folders;
        neighbours->folders = folder->next;
        free(folder->path);
        free(folder->mvids);
        free(folder);
    }
    free(neighbours->directory);
    free(neighbours);
}

/* ---- folders ---- */

static int compare_mvids(const void *left, const void *right)
{
    return memcmp(left, right, MVID_BYTES);
}

/* Of all images together, so that an MVID is looked up once per folder. */
static void add_mvids(struct neighbour_folder *folder, struct ilp_bytes recorded)
{
    if (recorded.size != 0) {
        size_t held = folder->mvid_count * MVID_BYTES;
        folder->mvids = need(realloc(folder->mvids, held + recorded.size));
        memcpy(folder->mvids + held, recorded.data, recorded.size);
        folder->mvid_count += recorded.size / MVID_BYTES;
    }
}

/* Files other than assemblies are skipped. */
static void add_file(struct neighbours *neighbours, const char *path,
                     struct neighbour_folder *folder)
{
    struct ilp_image_info info;
    struct neighbour *neighbour = need(calloc(1, sizeof *neighbour));
    neighbour->path = need(strdup(path));
    neighbour->folder = folder;
    bool opened = file_view_open(&neighbour->view, neighbour->path);
    neighbour->image = opened ? file_image_open(neighbour->view.bytes, NULL) : NULL;
    if (!neighbour->image) {
        close_neighbour(neighbour);
        return;
    }
    ilp_image_info(neighbour->image, &info);
    folder->precompiled = folder->precompiled || info.ready_to_run;
    add_mvids(folder, ilp_image_recorded_mvids(neighbour->image));
    neighbour_release_pages(neighbour);
    neighbour->next = neighbours->first;
    neighbours->first = neighbour;
}

/* Prepends to the list, so files are added in reverse order of their names. */
static struct neighbour_folder *add_folder(struct neighbours *neighbours, const char *directory,
                                           char *owned_path)
{
    struct neighbour_folder *folder = need(calloc(1, sizeof *folder));
    struct path_list files = {NULL, 0};
    folder->path = owned_path;
    path_list_entries(&files, directory, ".exe");
    path_list_entries(&files, directory, ".dll");
    for (size_t i = files.count; i-- != 0;) {
        add_file(neighbours, files.items[i], folder);
    }
    path_list_free(&files);
    if (folder->mvid_count != 0) {
        qsort(folder->mvids, folder->mvid_count, MVID_BYTES, compare_mvids);
    }
    folder->next = neighbours->folders;
    neighbours->folders = folder;
    return folder;
}

/* NULL: there is none. By its real path, since one folder may be named in several ways. */
static struct neighbour_folder *get_folder(struct neighbours *neighbours, const char *directory)
{
    char *path = realpath(directory, NULL);
    struct neighbour_folder *folder = path ? neighbours->folders : NULL;
    while (folder && strcmp(folder->path, path) != 0) {
        folder = folder->next;
    }
    if (!folder && path) {
        folder = add_folder(neighbours, directory, path);
    } else {
        free(path);
    }
    if (folder) {
        folder->near = true;
    }
    return folder;
}

/* The list is one for all folders; neighbour_is_near() says which of them count for this file. */
struct neighbour *neighbours_look(struct neighbours *neighbours, const char *file)
{
    char *directory = need(path_directory(file));
    /* the folder of the file before: what is near has not changed */
    if (neighbours->directory && strcmp(neighbours->directory, directory) == 0) {
        free(directory);
        return neighbours->first;
    }
    free(neighbours->directory);
    neighbours->directory = directory;
    for (struct neighbour_folder *at = neighbours->folders; at; at = at->next) {
        at->near = false;
    }
    neighbours->own = get_folder(neighbours, directory);
    for (size_t i = 0; i < neighbours->path_count; i++) {
        get_folder(neighbours, neighbours->paths[i]);
    }
    return neighbours->first;
}

struct neighbour *neighbours_first(const struct neighbours *neighbours)
{
    return neighbours->first;
}

/* ---- the surroundings ---- */

bool neighbour_is_near(const struct neighbour *neighbour)
{
    return neighbour->folder->near;
}

bool neighbours_are_precompiled(const struct neighbours *neighbours)
{
    const struct neighbour_folder *at = neighbours->folders;
    while (at && !(at->near && at->precompiled)) {
        at = at->next;
    }
    return at != NULL;
}

/* A search in sorted MVIDs for each folder, instead of a look into each image. */
bool neighbours_record(const struct neighbours *neighbours, struct ilp_bytes mvid)
{
    bool recorded = false;
    const struct neighbour_folder *at = mvid.size == MVID_BYTES ? neighbours->folders : NULL;
    for (; at && !recorded; at = at->next) {
        recorded = at->near && at->mvid_count != 0 &&
                   bsearch(mvid.data, at->mvids, at->mvid_count, MVID_BYTES, compare_mvids);
    }
    return recorded;
}

struct neighbour *neighbours_self(const struct neighbours *neighbours, const char *file)
{
    struct neighbour *at = neighbours->own ? neighbours->first : NULL;
    while (at &&
           (at->folder != neighbours->own || strcmp(path_name(at->path), path_name(file)) != 0)) {
        at = at->next;
    }
    return at;
}

void neighbour_release_pages(struct neighbour *neighbour)
{
    file_view_release_pages(&neighbour->view);
}
