/* ilpatch restore: puts originals back and takes the inspector away when nothing needs it any
 * more. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/command_line.h"
#include "host/bundle_file.h"
#include "host/file_io.h"
#include "host/inspector_file.h"
#include "inspect/inspector.h"
#include "host/originals.h"
#include "host/standard_streams.h"
#include "host/symbols_file.h"
#include "tools/tool.h"

static const char help[] = "ilpatch restore FILE...\n"
                           "\n"
                           "Puts FILE.orig back in FILE's place, and its symbols with it. When no "
                           "other patched assembly in the folder calls\n"
                           "the inspector any more, its entries in *.deps.json go, and its file, "
                           "if ilpatch has put that there.\n"
                           "\n";

/* Whether an added reference is that of an inspector: an embedded one may have added parts of the
 * core library. */
static bool is_inspector(const struct ilp_image *image, ilp_token assembly_ref)
{
    bool found = false;
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MemberRef) && !found; rid++) {
        ilp_token type = ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class);
        found = ilpi_is_inspector_method(image,
                                         ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Name)) &&
                ILP_TOKEN_TABLE(type) == ILP_TypeRef &&
                ilp_cell(image, ILP_TypeRef, ILP_TOKEN_RID(type), ILP_TypeRef_ResolutionScope) ==
                    assembly_ref;
    }
    return found;
}

/* The references that patching has added, which come behind the original's: the inspector, for one.
 * What is no longer used in the folder is removed. */
static enum exit_code remove_inspector_files(const struct ilp_image *patched,
                                             const struct ilp_image *original,
                                             const char *directory)
{
    enum exit_code code = EXIT_DONE;
    uint32_t count = ilp_row_count(patched, ILP_AssemblyRef);
    for (ilp_rid rid = ilp_row_count(original, ILP_AssemblyRef) + 1; rid <= count; rid++) {
        struct ilp_assembly_name name = {
            .name = ilp_string(patched,
                               ilp_cell(patched, ILP_AssemblyRef, rid, ILP_AssemblyRef_Name)),
        };
        for (unsigned i = 0; i < 4; i++) {
            unsigned column = ILP_AssemblyRef_MajorVersion + i;
            name.version[i] = (uint16_t)ilp_cell(patched, ILP_AssemblyRef, rid, column);
        }
        if (is_inspector(patched, ILP_TOKEN(ILP_AssemblyRef, rid)) &&
            !patched_use(directory, name.name)) {
            enum exit_code removed = inspector_file_remove(directory, &name);
            code = removed > code ? removed : code;
        }
    }
    return code;
}

static enum exit_code restore_symbols(const struct ilp_image *original, const char *file)
{
    int error;
    if (!symbols_restore(original, file, &error)) {
        tell("%s: cannot put its symbols back: %s", file, strerror(error));
        return EXIT_CANNOT_WRITE;
    }
    return EXIT_DONE;
}

/* One file of a bundle: its PDB may be beside that. */
static enum exit_code restore_symbols_of(const struct ilp_bundle *bundle,
                                         const struct ilp_bundle_entry *entry,
                                         const char *directory)
{
    struct ilp_arena *arena;
    struct ilp_bytes bytes;
    struct ilp_image *image;
    enum exit_code code = EXIT_DONE;
    need(ilp_arena_open(&arena, NULL, NULL) == ILP_OK ? arena : NULL);
    if (ilp_bundle_read(bundle, entry, arena, &bytes, NULL) == ILP_OK &&
        ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, entry->path, NULL, NULL) == ILP_OK) {
        char *file = path_join(directory, entry->path);
        code = restore_symbols(image, file);
        free(file);
        ilp_image_close(image);
    }
    ilp_arena_close(arena);
    return code;
}

static enum exit_code restore_symbols_beside(struct ilp_bytes original, const char *directory)
{
    struct ilp_bundle *bundle;
    size_t count;
    enum exit_code worst = EXIT_DONE;
    if (ilp_bundle_open(&bundle, original, NULL, NULL) != ILP_OK) {
        return EXIT_DONE;
    }
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(bundle, &count);
    for (size_t i = 0; i < count; i++) {
        if (entries[i].type == ILP_BUNDLE_ASSEMBLY) {
            enum exit_code code = restore_symbols_of(bundle, &entries[i], directory);
            worst = code > worst ? code : worst;
        }
    }
    ilp_bundle_close(bundle);
    return worst;
}

/* The patched file is opened before it is replaced: it says which inspector it called. */
static enum exit_code put_back(const char *file, const char *kept)
{
    struct file_view views[2];
    struct ilp_image *images[2] = {NULL, NULL};
    const char *paths[2] = {file, kept};
    char *directory = path_directory(file);
    enum exit_code code = EXIT_DONE;
    for (unsigned i = 0; i < 2; i++) {
        if (file_view_open(&views[i], paths[i])) {
            ilp_image_open(&images[i], views[i].bytes, ILP_LAYOUT_FILE, paths[i], NULL, NULL);
        }
    }
    if (rename(kept, file) != 0) {
        tell("%s: cannot put the original back: %s", file, strerror(errno));
        code = EXIT_CANNOT_WRITE;
    } else {
        original_forget(file);
    }
    if (code == EXIT_DONE && images[0] && images[1]) {
        enum exit_code symbols = restore_symbols(images[1], file);
        code = remove_inspector_files(images[0], images[1], directory);
        code = symbols > code ? symbols : code;
    } else if (code == EXIT_DONE && views[1].bytes.size != 0) {
        code = restore_symbols_beside(views[1].bytes, directory);
    }
    for (unsigned i = 0; i < 2; i++) {
        ilp_image_close(images[i]);
        file_view_close(&views[i]);
    }
    free(directory);
    return code;
}

/* FILE was built again, so it is as it should be: what is left of the earlier build goes. Which
 * inspector that called is not known any more. */
static enum exit_code clean_up(const char *file, const char *kept)
{
    struct file_view view;
    struct inspector_file stock;
    struct ilp_image *stale = NULL;
    enum exit_code code = inspector_file_open_stock(&stock, EDITION_FULL);
    char *directory = path_directory(file);
    if (file_view_open(&view, kept) &&
        ilp_image_open(&stale, view.bytes, ILP_LAYOUT_FILE, kept, NULL, NULL) == ILP_OK) {
        symbols_forget(stale, file);
        ilp_image_close(stale);
    }
    file_view_close(&view);
    if (!file_remove(kept)) {
        tell("%s: cannot remove: %s", kept, strerror(errno));
        code = EXIT_CANNOT_WRITE;
    } else {
        original_forget(file);
        tell("%s was built again since it was patched: removed %s", file, kept);
    }
    if (code == EXIT_DONE && !patched_use(directory, stock.name.name)) {
        code = inspector_file_remove(directory, &stock.name);
    }
    inspector_file_close(&stock);
    free(directory);
    return code;
}

static enum exit_code restore(const char *given)
{
    char *host = host_assembly(given);
    char *file = path_through_link(host);
    char *kept = format_text("%s.orig", file);
    enum original original = original_of(file, kept);
    enum exit_code code = EXIT_INCOMPLETE;
    if (original == ORIGINAL_NONE && original_is_unpatched(file)) {
        tell("%s is not patched: nothing to restore", file);
        code = EXIT_DONE;
    } else if (original == ORIGINAL_NONE) {
        tell("%s: there is no %s to restore it from", file, kept);
    } else if (original == ORIGINAL_STALE) {
        code = clean_up(file, kept);
    } else if (original == ORIGINAL_OTHER && file_exists(file)) {
        tell("%s was not made from %s (was it rebuilt?): nothing restored", file, kept);
    } else {
        code = put_back(file, kept);
    }
    free(kept);
    free(file);
    free(host);
    return code;
}

enum exit_code cmd_restore(int argc, char **argv)
{
    (void)argc;
    enum exit_code worst = EXIT_DONE;
    struct option_reader reader;
    options_begin(&reader, TAKEN_BY_RESTORE, argv, false);
    enum option_id option = options_next(&reader);
    if (option != OPTION_END) {
        return option == OPTION_HELP ? print_help(TAKEN_BY_RESTORE, help, "")
                                     : option_error("restore", &reader);
    }
    if (reader.operand_count == 0) {
        return usage_error("restore", "no file is named");
    }
    for (int i = 0; i < reader.operand_count; i++) {
        if (is_standard(reader.operands[i])) {
            return usage_error("restore",
                               "- is standard input, which has no original: name the file");
        }
    }
    for (int i = 0; i < reader.operand_count; i++) {
        enum exit_code code = restore(reader.operands[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}
