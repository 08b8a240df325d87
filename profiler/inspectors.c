/* See inspectors.h. An inspector that is loaded is recognised by name and MVID: the program may have another assembly of its
 * name, which the hook cannot replace. A module that is not to be rewritten is recognised by name alone, as references are.
 */
#include "profiler/inspectors.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "types/type_identity.h"

struct inspector_file {
    const struct companion *companion;
    struct references *references; /* of the assembly as a target; NULL: not needed yet */
    bool loaded;
};

struct inspectors {
    struct companion stock;
    struct inspector_file *files; /* the stock inspector first */
    size_t count;
};

struct inspectors *inspectors_open(const struct request *request)
{
    struct inspectors *inspectors = need(calloc(1, sizeof *inspectors));
    if (companion_open_stock(&inspectors->stock, EDITION_FULL) != EXIT_DONE) {
        free(inspectors);
        return NULL;
    }
    inspectors->files = need(calloc(request->companion_count + 1, sizeof *inspectors->files));
    inspectors->files[inspectors->count++].companion = &inspectors->stock;
    for (size_t i = 0; i < request->companion_count; i++) {
        const struct companion *companion = &request->companions[i];
        if (!companion->native && !companion->stock) {
            inspectors->files[inspectors->count++].companion = companion;
        }
    }
    return inspectors;
}

void inspectors_close(struct inspectors *inspectors)
{
    for (size_t i = 0; inspectors && i < inspectors->count; i++) {
        references_close(inspectors->files[i].references);
    }
    if (inspectors) {
        companion_close(&inspectors->stock);
        free(inspectors->files);
    }
    free(inspectors);
}

bool inspectors_note_loaded(struct inspectors *inspectors, const struct ilp_image *image)
{
    bool noted = false;
    bool all = true;
    for (size_t i = 0; i < inspectors->count; i++) {
        struct inspector_file *file = &inspectors->files[i];
        if (!file->loaded && ilpi_same_module(file->companion->assembly, image)) {
            file->loaded = noted = true;
        }
        all = all && file->loaded;
    }
    return noted && all;
}

const char *inspectors_missing(const struct inspectors *inspectors)
{
    for (size_t i = 1; inspectors->files[0].loaded && i < inspectors->count; i++) {
        if (!inspectors->files[i].loaded) {
            return ilp_image_name(inspectors->files[i].companion->assembly);
        }
    }
    return NULL;
}

bool inspectors_include(const struct inspectors *inspectors, const struct ilp_image *image, struct ilp_error *error)
{
    struct ilp_assembly_name name;
    for (size_t i = 0; ilp_image_assembly_name(image, &name) && i < inspectors->count; i++) {
        if (strcasecmp(inspectors->files[i].companion->name.name, name.name) == 0) {
            ilpi_fail(error, ILP_E_SELF_INSPECTION, ILPI_NO_OFFSET, 0,
                      i == 0 ? "%s is the stock inspector, which loads all others" : "%s is the inspector itself", name.name);
            return true;
        }
    }
    return false;
}

static struct ilp_image *find_beside(struct inspector_file *file, const struct ilp_assembly_name *name)
{
    if (!file->references) {
        file->references = references_open(NULL, 0);
        references_set_target(file->references, ilp_image_name(file->companion->assembly));
    }
    const struct reference *found = references_find(file->references, name);
    return found && found->image && found->place == PLACE_BESIDE ? found->image : NULL;
}

struct ilp_image *inspectors_find_beside(struct inspectors *inspectors, const struct ilp_assembly_name *name)
{
    struct ilp_image *image = NULL;
    for (size_t i = 1; i < inspectors->count && !image; i++) {
        image = find_beside(&inspectors->files[i], name);
    }
    return image;
}
