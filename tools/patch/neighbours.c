/* Opens the assemblies of folders, each once. See neighbours.h. */
#include "tools/patch/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "host/file_image.h"
#include "host/path.h"
#include "host/resolve/path_list.h"
#include "tools/tool.h"
#include "host/file_view.h"

struct neighbours {
    const char *const *paths; /* borrowed */
    size_t path_count;
    struct neighbour *first;
    struct path_list folders; /* that were looked into: real paths */
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
    free(neighbour->folder);
    free(neighbour);
}

void neighbours_close(struct neighbours *neighbours)
{
    while (neighbours->first) {
        struct neighbour *neighbour = neighbours->first;
        neighbours->first = neighbour->next;
        close_neighbour(neighbour);
    }
    path_list_free(&neighbours->folders);
    free(neighbours);
}

/* A file that is not an assembly is not a neighbour. */
static void add_file(struct neighbours *neighbours, const char *path, const char *folder)
{
    struct ilp_image_info info;
    struct neighbour *neighbour = need(calloc(1, sizeof *neighbour));
    neighbour->path = need(strdup(path));
    neighbour->folder = need(strdup(folder));
    bool opened = file_view_open(&neighbour->view, neighbour->path);
    neighbour->image = opened ? file_image_open(neighbour->view.bytes, NULL) : NULL;
    if (!neighbour->image) {
        close_neighbour(neighbour);
        return;
    }
    ilp_image_info(neighbour->image, &info);
    if (!info.ready_to_run) {
        file_view_rest(&neighbour->view);
    }
    neighbour->next = neighbours->first;
    neighbours->first = neighbour;
}

/* The list grows at its front, and so has them in the order of their names. */
static void add_folder(struct neighbours *neighbours, const char *directory, const char *folder)
{
    struct path_list files = {NULL, 0};
    path_list_entries(&files, directory, ".exe");
    path_list_entries(&files, directory, ".dll");
    for (size_t i = files.count; i-- != 0;) {
        add_file(neighbours, files.items[i], folder);
    }
    path_list_free(&files);
}

static void look_into(struct neighbours *neighbours, const char *directory)
{
    char *folder = realpath(directory, NULL);
    bool known = folder == NULL;
    for (size_t i = 0; i < neighbours->folders.count && !known; i++) {
        known = strcmp(neighbours->folders.items[i], folder) == 0;
    }
    if (!known) {
        add_folder(neighbours, directory, folder);
        path_list_add(&neighbours->folders, need(strdup(folder)));
    }
    for (struct neighbour *at = folder ? neighbours->first : NULL; at; at = at->next) {
        at->near = at->near || strcmp(at->folder, folder) == 0;
    }
    free(folder);
}

struct neighbour *neighbours_look(struct neighbours *neighbours, const char *file)
{
    char *directory = path_directory(file);
    for (struct neighbour *at = neighbours->first; at; at = at->next) {
        at->near = false;
    }
    look_into(neighbours, directory);
    for (size_t i = 0; i < neighbours->path_count; i++) {
        look_into(neighbours, neighbours->paths[i]);
    }
    free(directory);
    return neighbours->first;
}

struct neighbour *neighbours_first(const struct neighbours *neighbours)
{
    return neighbours->first;
}

/* A file is looked at three times at most. */
#define MAX_RESTS 3u

void neighbour_rest(struct neighbour *neighbour)
{
    if (neighbour->rests < MAX_RESTS) {
        neighbour->rests++;
        file_view_rest(&neighbour->view);
    }
}

bool neighbour_is(const struct neighbour *neighbour, const char *file)
{
    bool same = strcmp(path_name(neighbour->path), path_name(file)) == 0;
    char *directory = same ? path_directory(file) : NULL;
    char *folder = directory ? realpath(directory, NULL) : NULL;
    same = folder && strcmp(folder, neighbour->folder) == 0;
    free(folder);
    free(directory);
    return same;
}
