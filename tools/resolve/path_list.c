/* Lists of paths. See path_list.h. */
#include "resolve/path_list.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

void path_list_add(struct path_list *list, char *owned_path)
{
    list->items = need(realloc(list->items, (list->count + 1) * sizeof *list->items));
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

void path_list_split(struct path_list *list, const char *text)
{
    char *copy = need(strdup(text ? text : ""));
    char *rest = copy;
    const char *part;
    while ((part = strsep(&rest, ":;")) != NULL) {
        if (part[0] != '\0') {
            path_list_add(list, need(strdup(part)));
        }
    }
    free(copy);
}

static int compare_items(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

void path_list_entries(struct path_list *list, const char *directory, const char *ending)
{
    size_t first = list->count;
    DIR *entries = opendir(directory);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] != '.' && ends_with(entry->d_name, ending)) {
            path_list_add(list, path_join(directory, entry->d_name));
        }
    }
    if (entries) {
        closedir(entries);
    }
    if (list->count != first) {
        qsort(list->items + first, list->count - first, sizeof *list->items, compare_items);
    }
}

bool is_plain_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && !strchr(name, '/') && strlen(name) < 256;
}

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
