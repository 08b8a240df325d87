/* Opens referenced assemblies by name, once each. The expensive places (JSON files, frameworks) are looked
 * at only when the cheap ones did not have the assembly.
 */
#include "references.h"

#include <stdlib.h>
#include <string.h>

#include "frameworks.h"

struct reference {
    char *name;              /* owned */
    struct file_view view;
    struct ilp_image *image; /* NULL: looked for, not found */
    struct reference *next;
};

struct references {
    const char *const *paths; /* borrowed */
    size_t path_count;
    char *directory;          /* of the target */
    bool searched;            /* the three lists below are filled */
    struct path_list packages;
    struct path_list dotnet;
    struct path_list mono;
    struct reference *opened;
    size_t opened_count;
};

struct references *references_open(const char *const *paths, size_t path_count)
{
    struct references *references = need(calloc(1, sizeof *references));
    references->paths = paths;
    references->path_count = path_count;
    return references;
}

static void forget(struct references *references)
{
    while (references->opened) {
        struct reference *reference = references->opened;
        references->opened = reference->next;
        ilp_image_close(reference->image);
        file_view_close(&reference->view);
        free(reference->name);
        free(reference);
    }
    references->opened_count = 0;
    path_list_free(&references->packages);
    path_list_free(&references->dotnet);
    path_list_free(&references->mono);
    references->searched = false;
}

void references_close(struct references *references)
{
    if (references) {
        forget(references);
        free(references->directory);
        free(references);
    }
}

void references_set_target(struct references *references, const char *assembly_path)
{
    char *directory = path_directory(assembly_path);
    if (references->directory && strcmp(directory, references->directory) == 0) {
        free(directory);
        return;
    }
    forget(references);
    free(references->directory);
    references->directory = directory;
}

/* A file that is no assembly, or not the one its name says, is passed over like one that is not there. */
static bool try_file(struct reference *reference, const char *path)
{
    if (!file_view_open(&reference->view, path)) {
        return false;
    }
    struct ilp_assembly_name name;
    if (ilp_image_open(&reference->image, reference->view.bytes, ILP_LAYOUT_FILE, path, NULL, NULL) ==
            ILP_OK &&
        ilp_image_assembly_name(reference->image, &name) &&
        strcasecmp(name.name, reference->name) == 0) {
        return true;
    }
    ilp_image_close(reference->image);
    reference->image = NULL;
    file_view_close(&reference->view);
    return false;
}

static bool try_directory(struct reference *reference, const char *directory)
{
    static const char *const endings[] = {".dll", ".exe"};
    bool found = false;
    for (size_t i = 0; i < 2 && !found; i++) {
        char *path = format_text("%s/%s%s", directory, reference->name, endings[i]);
        found = try_file(reference, path);
        free(path);
    }
    return found;
}

static bool try_directories(struct reference *reference, const struct path_list *list)
{
    bool found = false;
    for (size_t i = 0; i < list->count && !found; i++) {
        found = try_directory(reference, list->items[i]);
    }
    return found;
}

static bool try_packages(struct reference *reference, const struct path_list *files)
{
    size_t length = strlen(reference->name);
    bool found = false;
    for (size_t i = 0; i < files->count && !found; i++) {
        const char *name = path_name(files->items[i]);
        found = strncasecmp(name, reference->name, length) == 0 &&
                strcasecmp(name + length, ".dll") == 0 && try_file(reference, files->items[i]);
    }
    return found;
}

static void find(struct references *references, struct reference *reference)
{
    bool found = references->directory && try_directory(reference, references->directory);
    for (size_t i = 0; i < references->path_count && !found; i++) {
        found = try_directory(reference, references->paths[i]);
    }
    if (found) {
        return;
    }
    if (!references->searched) {
        const char *directory = references->directory ? references->directory : ".";
        frameworks_add_packages(&references->packages, directory);
        frameworks_add_dotnet(&references->dotnet, directory);
        frameworks_add_mono(&references->mono);
        references->searched = true;
    }
    if (!try_packages(reference, &references->packages) &&
        !try_directories(reference, &references->dotnet)) {
        try_directories(reference, &references->mono);
    }
}

/* The name comes from metadata and becomes part of a path: it may not lead elsewhere. */
static bool is_plain_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && !strchr(name, '/') && strlen(name) < 256;
}

/* More references than any program has: what comes after them is not looked for. */
#define MAX_REFERENCES 4096u

static struct ilp_image *open_reference(void *user, const struct ilp_assembly_name *name)
{
    struct references *references = user;
    for (struct reference *known = references->opened; known; known = known->next) {
        if (strcmp(known->name, name->name) == 0) {
            return known->image;
        }
    }
    if (!is_plain_name(name->name) || references->opened_count == MAX_REFERENCES) {
        return NULL;
    }
    references->opened_count++;
    struct reference *reference = need(calloc(1, sizeof *reference));
    reference->name = need(strdup(name->name));
    reference->next = references->opened;
    references->opened = reference;
    find(references, reference);
    return reference->image;
}

struct ilp_resolver references_resolver(struct references *references)
{
    return (struct ilp_resolver){references, open_reference};
}
