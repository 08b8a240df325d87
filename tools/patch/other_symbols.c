/* Finds PDBs through the assemblies that refer to them. See other_symbols.h. An assembly may name
 * any PDB in its debug directory, and a bundle's PDBs are beside it: names alone do not show that a
 * PDB belongs to a file that is patched. */
#include "tools/patch/other_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "host/file_image.h"
#include "host/file_view.h"
#include "host/originals.h"
#include "host/path.h"
#include "host/runtime_files.h"
#include "host/symbols_file.h"
#include "tools/tool.h"

/* `path` is where the assembly is, `beside` its path in the runtime's view. The path is that of the
 * original's place, by which named files are compared. */
static void add_assembly(struct path_list *list, const char *path, const char *beside)
{
    struct file_view view;
    if (!file_view_open(&view, path)) {
        return;
    }
    struct ilp_image *image = file_image_open(view.bytes, path);
    if (image) {
        struct symbols_file symbols = {.input = NULL};
        const struct symbols_place place = {.file = beside, .output = beside};
        symbols_find(&symbols, ILP_SYMBOLS_UPDATE, image, &place);
        if (symbols.input) {
            path_list_add(list, need(original_place(symbols.input)));
        }
        symbols_close(&symbols);
        ilp_image_close(image);
    }
    file_view_close(&view);
}

/* The PDBs of its patched assemblies. */
static void add_bundle(struct path_list *list, const struct request *what, const char *bundle)
{
    struct runtime_files *runtime = runtime_files_open(bundle);
    struct path_list entries = {NULL, 0};
    char *folder = path_home(bundle); /* as patching does */
    path_list_entries(&entries, bundle, ".dll");
    for (size_t i = 0; i < entries.count; i++) {
        if (left_among_others(what, runtime, entries.items[i], NULL) == LEFT_NOT) {
            char *beside = path_join(folder, path_name(entries.items[i]));
            add_assembly(list, entries.items[i], need(beside));
            free(beside);
        }
    }
    free(folder);
    path_list_free(&entries);
    runtime_files_close(runtime);
}

/* Sorted, for searches. Files that are left alone keep their PDBs, so these are not in it. */
struct path_list other_symbols(const struct request *what, const struct named_files *files,
                               const struct left_alone *left)
{
    struct path_list list = {NULL, 0};
    for (size_t i = 0; i < files->count; i++) {
        const struct named_file *file = &files->items[i];
        if (left->why[i] != LEFT_NOT) {
            continue;
        }
        if (file->kind.kind == ILP_FILE_BUNDLE) {
            add_bundle(&list, what, file->path);
        } else {
            add_assembly(&list, file->path, file->path);
        }
    }
    path_list_sort(&list);
    return list;
}
