/* Opens the inspector's assembly and places it where a patched application finds it. */
#include "host/inspector_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/deps_json.h"
#include "host/originals.h"

/* Of companion->bytes. */
static enum exit_code open_assembly(struct companion *companion, const char *shown)
{
    struct ilp_error error;
    if (ilp_image_open(&companion->assembly, companion->bytes, ILP_LAYOUT_FILE, shown, NULL, &error) !=
            ILP_OK ||
        ilp_inspector_open(&companion->inspector, companion->assembly, NULL, &error) != ILP_OK) {
        tell_error(shown, &error);
        companion_close(companion);
        return exit_code_of(&error);
    }
    ilp_image_assembly_name(companion->assembly, &companion->name);
    if (strchr(companion->name.name, '/')) { /* it becomes part of a path */
        tell("%s: '%s' is no name of an assembly", shown, companion->name.name);
        companion_close(companion);
        return EXIT_BAD_INPUT;
    }
    return EXIT_DONE;
}

enum exit_code companion_open(struct companion *companion, const char *path)
{
    *companion = (struct companion){.stock = false};
    if (!file_view_open(&companion->view, path)) {
        tell("%s: cannot read the inspector: %s", path, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    companion->bytes = companion->view.bytes;
    return open_assembly(companion, path);
}

enum exit_code companion_open_stock(struct companion *companion, enum edition edition)
{
    *companion = (struct companion){.stock = true, .edition = edition, .bytes = stock_inspector_bytes(edition)};
    return open_assembly(companion, "the stock inspector");
}

enum exit_code companion_open_native(struct companion *companion, const struct ilp_native *native)
{
    struct ilp_error error;
    *companion = (struct companion){.native = true, .name = {.name = native->library, .culture = ""}};
    if (ilp_inspector_open_native(&companion->inspector, native, NULL, &error) != ILP_OK) {
        tell_error(native->library, &error);
        return exit_code_of(&error);
    }
    return EXIT_DONE;
}

void companion_close(struct companion *companion)
{
    ilp_inspector_close(companion->inspector);
    ilp_image_close(companion->assembly);
    file_view_close(&companion->view);
    *companion = (struct companion){.stock = true};
}

/* Whether the file is an assembly of this name and key: then it is another version of the same one. */
static bool is_same_assembly(struct ilp_bytes bytes, const struct ilp_assembly_name *name)
{
    struct ilp_image *image;
    struct ilp_assembly_name other;
    if (ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, NULL) != ILP_OK) {
        return false;
    }
    bool same = ilp_image_assembly_name(image, &other) && strcmp(other.name, name->name) == 0 &&
                bytes_equal(other.key, name->key);
    ilp_image_close(image);
    return same;
}

bool companion_is(const struct companion *companion, struct ilp_bytes bytes)
{
    return bytes_equal(bytes, companion->bytes) || is_same_assembly(bytes, &companion->name);
}

/* What there is to do: *same, nothing. A file of the name that is another assembly is in the way. */
static enum exit_code check_file(const struct companion *companion, const char *path, const char *shown, bool *same)
{
    struct file_view there;
    bool exists = file_view_open(&there, path);
    bool replaceable = !exists || (companion->stock && is_same_assembly(there.bytes, &companion->name));
    *same = exists && bytes_equal(there.bytes, companion->bytes);
    if (exists) {
        file_view_close(&there);
    }
    if (!*same && !replaceable) {
        tell("%s/%s.dll is there already and is another file: move it away, patch into another folder, or pass --embed",
             shown, companion->name.name);
        return EXIT_CANNOT_WRITE;
    }
    return EXIT_DONE;
}

/* A self-contained program has all that it uses beside it. When it was trimmed, what only the inspector uses is gone, and
 * the program would end at the first value. */
static enum exit_code check_program(const struct companion *companion, const char *directory)
{
    const struct ilp_image *image = companion->assembly;
    enum exit_code code = EXIT_DONE;
    char *core = path_join(directory, "System.Private.CoreLib.dll");
    bool whole = file_exists(core);
    free(core);
    for (ilp_rid rid = 1; whole && code == EXIT_DONE && rid <= ilp_row_count(image, ILP_AssemblyRef); rid++) {
        const char *name = ilp_string(image, ilp_cell(image, ILP_AssemblyRef, rid, ILP_AssemblyRef_Name));
        char *path = format_text("%s/%s.dll", directory, name);
        if (!file_exists(path)) {
            tell("the program has no %s.dll, which %s refers to (was it trimmed?): use --embed, or publish with "
                 "PublishTrimmed=false", name, companion->name.name);
            code = EXIT_BAD_INPUT;
        }
        free(path);
    }
    return code;
}

enum exit_code companion_check(const struct companion *companion, const char *directory, const char *shown)
{
    bool same;
    if (check_program(companion, directory) != EXIT_DONE) {
        return EXIT_BAD_INPUT;
    }
    char *path = format_text("%s/%s.dll", directory, companion->name.name);
    enum exit_code code = check_file(companion, path, shown, &same);
    free(path);
    return code == EXIT_DONE ? deps_check(directory) : code;
}

static enum exit_code place_file(const struct companion *companion, const char *path)
{
    int error = 0;
    struct file_view there;
    bool exists = file_view_open(&there, path);
    bool same = exists && bytes_equal(there.bytes, companion->bytes);
    bool record = !exists && !companion->stock; /* so that restore knows whose it is */
    file_view_close(&there);
    if ((!same && !file_write(path, companion->bytes, NULL, &error)) ||
        (record && !original_record(path, companion->bytes, NULL, &error))) {
        tell("%s: cannot write: %s", path, strerror(error));
        return EXIT_CANNOT_WRITE;
    }
    return EXIT_DONE;
}

enum exit_code companion_place(const struct companion *companion, const char *directory, bool *replaced)
{
    char *path = format_text("%s/%s.dll", directory, companion->name.name);
    enum exit_code code = place_file(companion, path);
    free(path);
    return code == EXIT_DONE ? deps_add(directory, &companion->name, replaced) : code;
}

/* Whether the file was put there by us: it is the stock inspector in some version, or what the record says. */
static bool is_placed(const char *path, struct ilp_bytes bytes, const struct ilp_assembly_name *stock)
{
    return is_same_assembly(bytes, stock) || original_is_recorded(path, bytes);
}

static enum exit_code remove_file(const char *directory, const struct ilp_assembly_name *name)
{
    struct companion stock;
    struct file_view there;
    enum exit_code code = companion_open_stock(&stock, EDITION_FULL);
    if (code != EXIT_DONE) {
        return code;
    }
    char *path = format_text("%s/%s.dll", directory, name->name);
    if (file_view_open(&there, path)) {
        bool ours = is_placed(path, there.bytes, &stock.name);
        file_view_close(&there);
        if (ours && unlink(path) != 0) {
            tell("%s: cannot remove: %s", path, strerror(errno));
            code = EXIT_CANNOT_WRITE;
        } else if (ours) {
            original_forget(path);
        }
    }
    free(path);
    companion_close(&stock);
    return code;
}

enum exit_code companion_remove(const char *directory, const struct ilp_assembly_name *name)
{
    enum exit_code code = remove_file(directory, name);
    enum exit_code listed = deps_remove(directory, name);
    return listed > code ? listed : code;
}
