/* Tracks inspector assemblies. See inspectors.h. A loaded inspector is recognised by name and MVID:
 * the program may have another assembly of its name, which the hook cannot replace. Modules that
 * must not be rewritten are recognised by name alone, like references. */
#include "profiler/inspectors.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "host/profiler_environment.h"
#include "types/closed_type.h"

/* `file` is borrowed from the request, or is the stock inspector below. */
struct loaded_inspector {
    const struct inspector_file *file;
    struct references *references; /* of the assembly as a target; NULL: not needed yet */
    bool loaded;
};

struct inspectors {
    struct inspector_file stock;
    struct loaded_inspector *items; /* the stock inspector first */
    size_t count;
};

/* If no method calls an assembly, no hook runs, and the stock inspector's name is enough: a patched
 * program may have it. */
static bool open_stock(struct inspector_file *stock, const struct request *request)
{
    *stock = (struct inspector_file){.stock = true};
    stock->name.name = INSPECTOR_NAME;
    return !request_calls(request, false) ||
           inspector_file_open_stock(stock, EDITION_FULL) == EXIT_DONE;
}

struct inspectors *inspectors_open(const struct request *request)
{
    struct inspectors *inspectors = new_items(1, sizeof *inspectors);
    if (!inspectors || !open_stock(&inspectors->stock, request)) {
        free(inspectors);
        return NULL;
    }
    inspectors->items = new_items(request->inspector_file_count + 1, sizeof *inspectors->items);
    if (!inspectors->items) {
        inspector_file_close(&inspectors->stock);
        free(inspectors);
        return NULL;
    }
    inspectors->items[inspectors->count++].file = &inspectors->stock;
    for (size_t i = 0; i < request->inspector_file_count; i++) {
        const struct inspector_file *file = &request->inspector_files[i];
        if (!file->native && !file->stock) {
            inspectors->items[inspectors->count++].file = file;
        }
    }
    return inspectors;
}

void inspectors_close(struct inspectors *inspectors)
{
    for (size_t i = 0; inspectors && i < inspectors->count; i++) {
        references_close(inspectors->items[i].references);
    }
    if (inspectors) {
        inspector_file_close(&inspectors->stock);
        free(inspectors->items);
    }
    free(inspectors);
}

/* True once, for the module that completes them. */
bool inspectors_note_loaded(struct inspectors *inspectors, const struct ilp_image *image)
{
    bool all = true;
    for (size_t i = 0; i < inspectors->count; i++) {
        struct loaded_inspector *inspector = &inspectors->items[i];
        if (!inspector->loaded && inspector->file->assembly &&
            ilpi_same_module(inspector->file->assembly, image)) {
            inspector->loaded = true;
        }
        all = all && inspector->loaded;
    }
    return all;
}

/* If the stock inspector was not loaded, no start-up hook ran, and the others are not what is
 * missing. */
const char *inspectors_missing(const struct inspectors *inspectors)
{
    for (size_t i = 1; inspectors->items[0].loaded && i < inspectors->count; i++) {
        if (!inspectors->items[i].loaded) {
            return ilp_image_name(inspectors->items[i].file->assembly);
        }
    }
    return NULL;
}

/* True with an error: the module is an inspector, and would call itself for each of its own
 * values. */
bool inspectors_include(const struct inspectors *inspectors, const struct ilp_image *image,
                        struct ilp_error *error)
{
    struct ilp_assembly_name name;
    for (size_t i = 0; ilp_image_assembly_name(image, &name) && i < inspectors->count; i++) {
        if (strcasecmp(inspectors->items[i].file->name.name, name.name) == 0) {
            ilpi_fail(error, ILP_E_SELF_INSPECTION, ILPI_NO_OFFSET, 0,
                      i == 0 ? "%s is the stock inspector, which loads all others"
                             : "%s is the inspector itself",
                      name.name);
            return true;
        }
    }
    return false;
}

/* Only in the inspector's own folder. */
static struct ilp_image *find_beside(struct loaded_inspector *inspector,
                                     const struct ilp_assembly_name *name)
{
    if (!inspector->references) {
        inspector->references = references_open(NULL, 0);
        if (inspector->references &&
            !references_set_target(inspector->references,
                                   ilp_image_name(inspector->file->assembly))) {
            references_close(inspector->references);
            inspector->references = NULL;
        }
    }
    const struct reference *found = inspector->references
                                        ? references_find(inspector->references, name)
                                        : NULL;
    return found && found->image && found->place == PLACE_BESIDE ? found->image : NULL;
}

struct ilp_image *inspectors_find_beside(struct inspectors *inspectors,
                                         const struct ilp_assembly_name *name)
{
    struct ilp_image *image = NULL;
    for (size_t i = 1; i < inspectors->count && !image; i++) {
        image = find_beside(&inspectors->items[i], name);
    }
    return image;
}
