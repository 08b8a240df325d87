/* Finds the assemblies of a process. See process_assemblies.h.
 *
 *   /proc/PID/maps            what is mapped: loaded
 *   the program's file        a bundle's assemblies: loaded or not, nothing shows which
 *   folders of loaded ones    other assemblies there: not loaded from there
 *
 * The runtime maps the assemblies that it loads from files, so they are found from outside. */
#include "tools/doctor/process_assemblies.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "host/bundle_file.h"
#include "host/folder.h"
#include "host/path.h"
#include "host/process_files.h"
#include "host/runtime_files.h"
#include "tools/tool.h"

/* Limits, since the process decides which files it maps. */
enum {
    MOST_ASSEMBLIES = 4096,
    MOST_FOLDERS = 16,     /* that are searched for assemblies that are not loaded */
    MOST_BYTES = 256 << 20 /* of one */
};

/* By the name's end: files of other kinds are mapped as well. In any case of letters: a program may
 * have a Lib.DLL. */
static bool is_assembly_name(const char *path)
{
    size_t size = strlen(path);
    return size > 4 &&
           (strcasecmp(path + size - 4, ".dll") == 0 || strcasecmp(path + size - 4, ".exe") == 0);
}

/* A path is listed once, by the first source that has it: a loaded one stays "loaded". */
static bool is_known(const struct process_assemblies *assemblies, const char *path)
{
    bool found = false;
    for (size_t i = 0; i < assemblies->count && !found; i++) {
        found = strcmp(assemblies->items[i].path, path) == 0;
    }
    return found;
}

/* Takes over `assembly.path`. */
static void add(struct process_assemblies *assemblies, struct process_assembly assembly)
{
    if (assemblies->count == MOST_ASSEMBLIES || is_known(assemblies, assembly.path)) {
        free(assembly.path);
        return;
    }
    if (assemblies->count == assemblies->room) {
        assemblies->room = 2 * assemblies->room + 64;
        assemblies->items =
            need(grow_items(assemblies->items, assemblies->room, sizeof *assemblies->items));
    }
    assemblies->items[assemblies->count++] = assembly;
}

/* A file is mapped in several parts, each a line of its own: add() keeps one. */
static void add_mapped(struct process_assemblies *assemblies)
{
    struct process_maps *maps = process_maps_open(assemblies->process->process);
    const char *path;
    while (maps && (path = process_maps_next(maps)) != NULL) {
        if (is_assembly_name(path)) {
            add(assemblies, (struct process_assembly){need(strdup(path)), .is_loaded = true});
        }
    }
    process_maps_close(maps);
}

/* Read through /proc/PID/exe, listed under the path that the process knows. */
static void add_bundled(struct process_assemblies *assemblies)
{
    process_id process = assemblies->process->process;
    char *file = need(process_program_file(process));
    char *program = need(process_program(process));
    struct bundle_file bundle;
    struct ilp_error error;
    if (bundle_file_open(&bundle, file, &error)) {
        size_t count;
        const struct ilp_bundle_entry *entries = ilp_bundle_entries(bundle.bundle, &count);
        for (size_t i = 0; i < count; i++) {
            if (entries[i].type == ILP_BUNDLE_ASSEMBLY) {
                add(assemblies, (struct process_assembly){need(path_join(program, entries[i].path)),
                                                          .is_in_bundle = true});
            }
        }
        bundle_file_close(&bundle);
    }
    free(program);
    free(file);
}

/* Marks the framework's assemblies of a self-contained program. Not done for files of a container.
 *
 *   libcoreclr.so below .../shared/    framework-dependent: all below that folder
 *   beside the program                 self-contained: what its .deps.json lists (runtime_files.h)
 *   not mapped                         a single-file program, which holds its runtime */
static void mark_frameworks(struct process_assemblies *assemblies)
{
    const struct dotnet_process *process = assemblies->process;
    char *shared = process->core ? runtime_shared_folder(process->core) : NULL;
    char *place = process->core ? need(path_directory(process->core))
                                : need(process_program(process->process));
    struct runtime_files *own = shared || process->is_contained ? NULL : runtime_files_open(place);
    for (size_t i = 0; i < assemblies->count; i++) {
        struct process_assembly *assembly = &assemblies->items[i];
        assembly->is_framework = shared ? runtime_shared_includes(shared, assembly->path)
                                        : own && runtime_files_include(own, assembly->path);
    }
    runtime_files_close(own);
    free(place);
    free(shared);
}

/* Adds files that are not loaded, in folders from which others are. */
static void add_beside(struct process_assemblies *assemblies, const char *folder)
{
    int file = process_open_folder(assemblies->process->process, folder);
    char *place = file >= 0 ? need(process_file_path(file)) : NULL;
    struct folder *names = place ? folder_open(place) : NULL;
    const char *name;
    while (names && (name = folder_next(names)) != NULL) {
        if (is_assembly_name(name)) {
            add(assemblies, (struct process_assembly){.path = need(path_join(folder, name))});
        }
    }
    folder_close(names);
    free(place);
    if (file >= 0) {
        close(file);
    }
}

/* Only folders of the program's own assemblies: a framework's folder has hundreds that no one
 * means. */
static void add_not_loaded(struct process_assemblies *assemblies)
{
    char *folders[MOST_FOLDERS];
    size_t count = 0, loaded = assemblies->count;
    for (size_t i = 0; i < loaded && count < MOST_FOLDERS; i++) {
        const struct process_assembly *assembly = &assemblies->items[i];
        char *folder = need(path_directory(assembly->path));
        bool is_new = !assembly->is_framework && assembly->is_loaded;
        for (size_t k = 0; k < count && is_new; k++) {
            is_new = strcmp(folders[k], folder) != 0;
        }
        if (is_new) {
            folders[count++] = folder;
        } else {
            free(folder);
        }
    }
    for (size_t i = 0; i < count; i++) {
        add_beside(assemblies, folders[i]);
        free(folders[i]);
    }
}

int process_assembly_rank(const struct process_assembly *assembly)
{
    bool may_be_loaded = assembly->is_loaded || assembly->is_in_bundle;
    return assembly->is_framework ? 2 : may_be_loaded ? 0 : 1;
}

/* By rank, because diagnosis_find() stops at the first rank that has the method; then by path, so
 * that the outcome does not depend on the order in which files were mapped. */
static int compare(const void *a, const void *b)
{
    const struct process_assembly *left = a, *right = b;
    int order = process_assembly_rank(left) - process_assembly_rank(right);
    return order != 0 ? order : strcmp(left->path, right->path);
}

/* In this order: a path keeps what the first source says of it, and only known frameworks keep
 * add_not_loaded() out of their folders. */
void process_assemblies_open(struct process_assemblies *assemblies,
                             const struct dotnet_process *process)
{
    *assemblies = (struct process_assemblies){.process = process};
    add_mapped(assemblies);
    add_bundled(assemblies);
    mark_frameworks(assemblies);
    add_not_loaded(assemblies);
    if (assemblies->count != 0) {
        qsort(assemblies->items, assemblies->count, sizeof *assemblies->items, compare);
    }
}

void process_assemblies_close(struct process_assemblies *assemblies)
{
    for (size_t i = 0; i < assemblies->count; i++) {
        free(assemblies->items[i].path);
    }
    free(assemblies->items);
}

/* ---- one of them ---- */

/* A program of a process with another root has another path for us. */
static char *bundled_path(const struct dotnet_process *process, const char *path)
{
    char *file = need(process_program_file(process->process));
    char *program = need(process_program(process->process));
    char *full = need(format_text("%s%s", file, path + strlen(program)));
    free(program);
    free(file);
    return full;
}

/* /proc/PID/root is the process's root, through which its paths lead from here as well. */
static char *path_for_us(const struct dotnet_process *process, const char *path)
{
    char *root = process->is_contained ? need(process_entry(process->process, "root")) : NULL;
    char *full = need(format_text("%s%s", root ? root : "", path));
    free(root);
    return full;
}

/* The view stays open with the image, which borrows its bytes. */
static bool read_bundled(struct opened_assembly *opened, struct ilp_bytes *bytes)
{
    struct file_view *view = need(new_items(1, sizeof *view));
    if (!file_view_open(view, opened->path)) {
        free(view);
        return false;
    }
    opened->in_bundle = view;
    *bytes = view->bytes;
    return true;
}

/* Files are read into memory, up to a limit; a bundle, which may be larger, is mapped. */
bool opened_assembly_open(struct opened_assembly *opened, const struct dotnet_process *process,
                          const struct process_assembly *assembly)
{
    struct ilp_bytes bytes = {NULL, 0};
    *opened = (struct opened_assembly){.image = NULL};
    bool read;
    if (assembly->is_in_bundle) {
        opened->path = bundled_path(process, assembly->path);
        read = read_bundled(opened, &bytes);
    } else {
        opened->path = path_for_us(process, assembly->path);
        read = process_read_file(process->process, assembly->path, MOST_BYTES, &opened->bytes,
                                 &bytes.size);
        bytes.data = opened->bytes;
    }
    return read && ilp_image_open(&opened->image, bytes, ILP_LAYOUT_FILE, assembly->path, NULL,
                                  NULL) == ILP_OK;
}

/* The image first: it borrows the bytes. */
void opened_assembly_close(struct opened_assembly *opened)
{
    ilp_image_close(opened->image);
    if (opened->in_bundle) {
        file_view_close(opened->in_bundle);
        free(opened->in_bundle);
    }
    free(opened->bytes);
    free(opened->path);
}
