/* Lists of paths: from variables, from PATH, from folders and bundles. See path_list.h. Relative
 * folders in PATH are not followed: they depend on where the command was started. */
#include "host/resolve/path_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/bundle_file.h"
#include "host/folder.h"
#include "host/path.h"

/* NULL is allowed and ignored, and so is a failure: grow_items() has recorded that memory was
 * short. */
void path_list_add(struct path_list *list, char *owned_path)
{
    char **items = owned_path ? grow_items(list->items, list->count + 1, sizeof *items) : NULL;
    if (!items) {
        free(owned_path);
        return;
    }
    list->items = items;
    list->items[list->count++] = owned_path;
}

void path_list_free(struct path_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    free(list->items);
    *list = (struct path_list){NULL, 0};
}

/* Only a folder that exists, and each once, by the folder itself. */
void path_list_add_folder(struct path_list *list, char *owned_path)
{
    bool wanted = path_is_directory(owned_path);
    for (size_t i = 0; i < list->count && wanted; i++) {
        wanted = !file_is_same(list->items[i], owned_path);
    }
    if (wanted) {
        path_list_add(list, owned_path);
    } else {
        free(owned_path);
    }
}

static int compare_items(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void sort_from(struct path_list *list, size_t first)
{
    if (list->count > first) {
        qsort(list->items + first, list->count - first, sizeof *list->items, compare_items);
    }
}

void path_list_sort(struct path_list *list)
{
    sort_from(list, 0);
}

bool path_list_has(const struct path_list *sorted, const char *path)
{
    return sorted->count != 0 &&
           bsearch(&path, sorted->items, sorted->count, sizeof *sorted->items, compare_items);
}

/* Empty parts are left out: in PATH they mean the current folder. */
void path_list_split(struct path_list *list, const char *text)
{
    char *copy = copy_text(text ? text : "");
    char *rest = copy;
    const char *part;
    while (copy && (part = strsep(&rest, path_list_separators)) != NULL) {
        if (part[0] != '\0') {
            path_list_add(list, copy_text(part));
        }
    }
    free(copy);
}

/* The real path of the program's folder: /usr/bin/dotnet is a link into the installation. */
void path_list_add_program(struct path_list *list, const char *program)
{
    struct path_list directories = {NULL, 0};
    path_list_split(&directories, getenv("PATH"));
    for (size_t i = 0; i < directories.count; i++) {
        char *candidate = path_join(directories.items[i], program);
        char *real = path_is_absolute(directories.items[i]) && file_exists(candidate)
                         ? realpath(candidate, NULL)
                         : NULL;
        if (real) {
            path_list_add(list, path_directory(real));
        }
        free(real);
        free(candidate);
    }
    path_list_free(&directories);
}

/* A file, or a file in a bundle (BUNDLE/FILE), which the system reports as ENOTDIR. */
bool path_is_there(const char *path)
{
    struct file_view view;
    if (file_exists(path)) {
        return true;
    }
    bool found = path && errno == ENOTDIR && file_view_open(&view, path);
    if (found) {
        file_view_close(&view);
    }
    return found;
}

/* A bundle's root stands for the folder beside the program, so entries in its subfolders (satellite
 * assemblies: "de/App.resources.dll") are not listed. */
static void add_bundled(struct path_list *list, const char *path, const char *ending)
{
    struct bundle_file file;
    struct ilp_error error;
    size_t count;
    if (!bundle_file_open(&file, path, &error)) {
        return;
    }
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(file.bundle, &count);
    for (size_t i = 0; i < count; i++) {
        if (!strchr(entries[i].path, '/') && ends_with(entries[i].path, ending)) {
            path_list_add(list, path_join(path, entries[i].path));
        }
    }
    bundle_file_close(&file);
}

/* Sorted, so that results do not depend on the file system's order. */
void path_list_entries(struct path_list *list, const char *directory, const char *ending)
{
    size_t first = list->count;
    struct folder *entries = directory ? folder_open(directory) : NULL;
    const char *name;
    while (entries && (name = folder_next(entries)) != NULL) {
        if (name[0] != '.' && ends_with(name, ending)) {
            path_list_add(list, path_join(directory, name));
        }
    }
    if (entries) {
        folder_close(entries);
    } else if (directory && errno == ENOTDIR) {
        add_bundled(list, directory, ending);
    } else if (directory && errno == ENOMEM) {
        memory_failed();
    }
    sort_from(list, first);
}

/* A name that becomes part of a path must not lead out of its folder. */
bool is_plain_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && !strchr(name, '/') && strlen(name) < 256;
}

/* No empty part (so no absolute path), and no "..". */
bool is_path_below(const char *path)
{
    for (const char *part = path; *part; part += strspn(part, "/")) {
        size_t length = strcspn(part, "/");
        if (length == 0 || (length == 2 && strncmp(part, "..", 2) == 0)) {
            return false;
        }
        part += length;
    }
    return path[0] != '\0';
}
