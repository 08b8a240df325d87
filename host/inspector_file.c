/* Opens the inspector's assembly, and places it where patched applications find it.
 *
 *   place    Name.dll beside the program, and an entry in each .deps.json
 *            another file there: an older stock inspector is replaced, anything else refused
 *   remove   when no patched assembly of the folder calls it any more (inspector_use.c)
 *
 * An inspector's file that is not the stock one has a record (originals.h), which says that we
 * placed it: only then is it removed. All of this is part of the transaction of the file that calls
 * it. */
#include "host/inspector_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "host/deps_json.h"
#include "host/file_image.h"
#include "host/file_io.h"
#include "host/originals.h"
#include "host/file_view.h"
#include "host/inspector_use.h"
#include "host/path.h"
#include "host/program_folder.h"
#include "inspect/inspector.h"
#include "metadata/resolve.h"

/* Of inspector->bytes. */
static enum exit_code open_assembly(struct inspector_file *inspector, const char *shown)
{
    struct ilp_error error;
    if (ilp_image_open(&inspector->assembly, inspector->bytes, ILP_LAYOUT_FILE, shown, NULL,
                       &error) != ILP_OK ||
        ilp_inspector_open(&inspector->inspector, inspector->assembly, NULL, &error) != ILP_OK) {
        report_file_error(shown, &error);
        inspector_file_close(inspector);
        return exit_code_of(&error);
    }
    ilp_image_assembly_name(inspector->assembly, &inspector->name);
    if (strchr(inspector->name.name, '/')) { /* it becomes part of a path */
        report_message("%s: '%s' is not a valid assembly name", shown, inspector->name.name);
        inspector_file_close(inspector);
        return EXIT_BAD_INPUT;
    }
    return EXIT_DONE;
}

enum exit_code inspector_file_open(struct inspector_file *inspector, const char *path)
{
    *inspector = (struct inspector_file){.stock = false};
    if (!file_view_open(&inspector->view, path)) {
        report_message("%s: cannot read the inspector: %s", path, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    inspector->bytes = inspector->view.bytes;
    return open_assembly(inspector, path);
}

enum exit_code inspector_file_open_stock(struct inspector_file *inspector, enum edition edition)
{
    *inspector = (struct inspector_file){
        .stock = true, .edition = edition, .bytes = stock_inspector_bytes(edition)};
    return open_assembly(inspector, "the stock inspector");
}

/* A native function has no assembly, and nothing to place. */
enum exit_code inspector_file_open_native(struct inspector_file *inspector,
                                          const struct ilp_native *native)
{
    struct ilp_error error;
    *inspector = (struct inspector_file){.native = true,
                                         .name = {.name = native->library, .culture = ""}};
    if (ilp_inspector_open_native(&inspector->inspector, native, NULL, &error) != ILP_OK) {
        report_file_error(native->library, &error);
        return exit_code_of(&error);
    }
    return EXIT_DONE;
}

void inspector_file_close(struct inspector_file *inspector)
{
    ilp_inspector_close(inspector->inspector);
    ilp_image_close(inspector->assembly);
    file_view_close(&inspector->view);
    *inspector = (struct inspector_file){.stock = true, .name = {.name = "", .culture = ""}};
}

/* Whether the file is an assembly with this name and key: another version of the same one. */
static bool is_same_assembly(struct ilp_bytes bytes, const struct ilp_assembly_name *name)
{
    struct ilp_image *image = file_image_open(bytes, NULL);
    struct ilp_assembly_name other;
    if (!image) {
        return false;
    }
    bool same = ilp_image_assembly_name(image, &other) && strcmp(other.name, name->name) == 0 &&
                ilpi_bytes_equal(other.key, name->key);
    ilp_image_close(image);
    return same;
}

bool inspector_file_is(const struct inspector_file *inspector, struct ilp_bytes bytes)
{
    return ilpi_bytes_equal(bytes, inspector->bytes) || is_same_assembly(bytes, &inspector->name);
}

/* Decides what to do: *same, nothing. Another assembly with that file name is an error. */
static enum exit_code check_file(const struct inspector_file *inspector, const char *path,
                                 const char *shown, bool *same)
{
    struct file_view there;
    bool exists = file_view_open(&there, path);
    bool replaceable = !exists ||
                       (inspector->stock && is_same_assembly(there.bytes, &inspector->name));
    *same = exists && ilpi_bytes_equal(there.bytes, inspector->bytes);
    if (exists) {
        file_view_close(&there);
    }
    if (!*same && !replaceable) {
        report_message(
            "%s/%s.dll is there already and is another file: move it away, patch into another "
            "folder, or pass --embed",
            shown, inspector->name.name);
        return EXIT_CANNOT_WRITE;
    }
    return EXIT_DONE;
}

/* A self-contained program has everything that it uses beside it. If it was trimmed, what only the
 * inspector uses is missing, and the program would end at the first value. */
static enum exit_code check_program(const struct inspector_file *inspector, const char *directory)
{
    const struct ilp_image *image = inspector->assembly;
    enum exit_code code = EXIT_DONE;
    char *core = path_join(directory, "System.Private.CoreLib.dll");
    bool whole = file_exists(core);
    free(core);
    for (ilp_rid rid = 1;
         whole && code == EXIT_DONE && rid <= ilp_row_count(image, ILP_AssemblyRef); rid++) {
        const char *name = ilp_string(image,
                                      ilp_cell(image, ILP_AssemblyRef, rid, ILP_AssemblyRef_Name));
        char *path = format_text("%s/%s.dll", directory, name);
        if (!file_exists(path)) {
            report_message(
                "the program has no %s.dll, which %s refers to (was it trimmed?): use --embed, or "
                "publish with "
                "PublishTrimmed=false",
                name, inspector->name.name);
            code = EXIT_BAD_INPUT;
        }
        free(path);
    }
    return code;
}

/* Before anything is written: a patch of the folder stops at the first file, not in the middle. */
enum exit_code inspector_file_check(const struct inspector_file *inspector, const char *directory,
                                    const char *program, const char *shown)
{
    bool same;
    if (check_program(inspector, program) != EXIT_DONE) {
        return EXIT_BAD_INPUT;
    }
    char *path = format_text("%s/%s.dll", directory, inspector->name.name);
    enum exit_code code = path ? check_file(inspector, path, shown, &same) : EXIT_CANNOT_WRITE;
    free(path);
    return code == EXIT_DONE ? deps_check(directory) : code;
}

/* A FILE.orig that is there already stays: it is the original of an earlier run. */
static bool keep_file(struct transaction *changes, const char *path, struct ilp_bytes bytes)
{
    char *kept = format_text("%s.orig", path);
    bool done = kept && (!file_is_absent(kept) || (transaction_link(changes, path, kept) &&
                                                   original_record(changes, path, bytes, NULL)));
    free(kept);
    return done;
}

/* A file of another content is kept as FILE.orig if `keep`, like a patched file. */
static enum exit_code place_file(struct transaction *changes,
                                 const struct inspector_file *inspector, const char *path,
                                 bool keep)
{
    struct file_view there;
    bool exists = file_view_open(&there, path);
    bool same = exists && ilpi_bytes_equal(there.bytes, inspector->bytes);
    bool record = !exists && !inspector->stock; /* so that restore knows that we placed it */
    bool good = !exists || !keep || keep_file(changes, path, there.bytes);
    file_view_close(&there);
    if (!good || (!same && !transaction_write(changes, path, inspector->bytes, NULL)) ||
        (record && !original_record(changes, path, inspector->bytes, NULL))) {
        return transaction_report(changes);
    }
    return EXIT_DONE;
}

enum exit_code inspector_file_place(struct transaction *changes,
                                    const struct inspector_file *inspector, const char *directory,
                                    bool keep, bool *replaced)
{
    char *path = format_text("%s/%s.dll", directory, inspector->name.name);
    /* the stock inspector may be a part of the program */
    keep = keep && inspector->stock && path && !file_is_absent(path) &&
           !inspector_may_be_ours(directory, inspector->name.name);
    enum exit_code code = path ? place_file(changes, inspector, path, keep) : EXIT_CANNOT_WRITE;
    free(path);
    return code == EXIT_DONE ? deps_add(changes, directory, &inspector->name, replaced) : code;
}

/* Whether we placed the file: it is the stock inspector in some version, or the record says so. */
static bool is_placed(struct transaction *changes, const char *path, struct ilp_bytes bytes,
                      const struct ilp_assembly_name *stock)
{
    return is_same_assembly(bytes, stock) || original_is_recorded(changes, path, bytes);
}

/* A kept file of the program's own is restored. */
static void take_away(struct transaction *changes, const char *path)
{
    struct file_view kept = {.bytes = {NULL, 0}};
    char *name = format_text("%s.orig", path);
    if (name && file_view_open(&kept, name) && original_is_recorded(changes, path, kept.bytes)) {
        transaction_move(changes, name, path);
    } else {
        transaction_remove(changes, path);
    }
    original_forget(changes, path);
    file_view_close(&kept);
    free(name);
}

/* Only a file that we have placed is removed: by its record, or because it is the stock
 * inspector's. */
static enum exit_code remove_file(struct transaction *changes, const char *directory,
                                  const struct ilp_assembly_name *name)
{
    struct inspector_file stock;
    struct file_view there;
    enum exit_code code = inspector_file_open_stock(&stock, EDITION_FULL);
    if (code != EXIT_DONE) {
        return code;
    }
    char *path = format_text("%s/%s.dll", directory, name->name);
    if (file_view_open(&there, path)) {
        bool ours = is_placed(changes, path, there.bytes, &stock.name);
        file_view_close(&there);
        if (ours) {
            take_away(changes, path);
        }
    } else if (path && errno != ENOENT) {
        report_message("%s: cannot read: %s", path, strerror(errno));
        code = EXIT_BAD_INPUT;
    }
    free(path);
    inspector_file_close(&stock);
    return code;
}

static enum exit_code remove_unused(struct transaction *changes, const char *directory,
                                    const struct ilp_assembly_name *name)
{
    enum exit_code listed = deps_remove(changes, directory, name);
    enum exit_code code = remove_file(changes, directory, name);
    return listed > code ? listed : code;
}

/* EXIT_INCOMPLETE: it may still be used by a file that cannot be read, so it stays. */
enum exit_code inspector_file_remove(struct transaction *changes, const char *file,
                                     const struct ilp_assembly_name *name)
{
    char *directory = program_folder(file);
    enum exit_code code = EXIT_DONE;
    if (!directory) {
        return EXIT_CANNOT_WRITE;
    }
    switch (inspector_use_in(directory, file, name->name)) {
    case INSPECTOR_UNUSED: code = remove_unused(changes, directory, name); break;
    case INSPECTOR_PERHAPS_USED: code = EXIT_INCOMPLETE; break;
    case INSPECTOR_USE_UNKNOWN: code = EXIT_BAD_INPUT; break;
    case INSPECTOR_USED: break;
    }
    free(directory);
    return code;
}

/* Whether an added reference is to an inspector: an embedded one may have added parts of the core
 * library. */
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

/* References added by patching come after the original's. */
enum exit_code inspector_files_remove(struct transaction *changes, const struct ilp_image *patched,
                                      const struct ilp_image *original, const char *file,
                                      bool (*stays)(const void *user, const char *name),
                                      const void *user)
{
    enum exit_code code = EXIT_DONE;
    uint32_t count = ilp_row_count(patched, ILP_AssemblyRef);
    ilp_rid first = ilp_row_count(original, ILP_AssemblyRef) + 1;
    for (ilp_rid rid = first; rid <= count; rid++) {
        struct ilp_assembly_name name;
        ilpi_assembly_ref_name(patched, rid, &name);
        if (is_inspector(patched, ILP_TOKEN(ILP_AssemblyRef, rid)) &&
            !(stays && stays(user, name.name))) {
            enum exit_code removed = inspector_file_remove(changes, file, &name);
            code = removed > code ? removed : code;
        }
    }
    return code;
}
