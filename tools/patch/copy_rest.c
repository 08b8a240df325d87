/* Copies files of a folder. See copy_rest.h. */
#include "tools/patch/copy_rest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "host/file_copy.h"
#include "host/file_tree.h"
#include "host/file_view.h"
#include "host/originals.h"
#include "host/path.h"
#include "tools/tool.h"

static enum exit_code fail(const char *path, const char *what, enum exit_code code)
{
    tell("%s: cannot %s: %s", path, what, strerror(errno));
    return code;
}

/* ---- one file ---- */

/* What a run has kept of a file that is no assembly, a .deps.json: the other one has its entries.
 * Whether it is in `view`; `changes` has failed if that is not known. */
static bool open_kept(struct transaction *changes, struct file_view *view, const char *path)
{
    char *kept = format_text("%s.orig", path);
    bool opened = ends_with(path, ".deps.json") && file_view_open(view, need(kept));
    if (opened && !original_is_recorded(changes, path, view->bytes)) {
        file_view_close(view);
        opened = false;
    } else if (!opened && ends_with(path, ".deps.json") && errno != ENOENT) {
        transaction_fail_reading(changes, kept, errno);
    }
    free(kept);
    return opened;
}

/* Whether these bytes are kept of the file at `path`. If others are, of an earlier copy, they are
 * not any more; nor are they without a record, where a run was killed. */
static bool is_kept(struct transaction *changes, const char *path, struct ilp_bytes bytes)
{
    struct file_view view;
    char *kept = need(format_text("%s.orig", path));
    bool recorded = open_kept(changes, &view, path);
    bool there = recorded || (ends_with(path, ".deps.json") && file_view_open(&view, kept));
    bool same = there && ilpi_bytes_equal(view.bytes, bytes);
    if (there) {
        file_view_close(&view);
    }
    if (there && recorded != same) {
        transaction_remove(changes, kept);
        original_forget(changes, path);
    }
    free(kept);
    return recorded && same;
}

static enum exit_code copy_bytes(struct transaction *changes, const char *path, const char *place)
{
    struct file_view view;
    bool opened = open_kept(changes, &view, path) ||
                  (changes->error == 0 && file_view_open(&view, path));
    if (!opened) {
        return changes->error != 0 ? transaction_tell(changes) : fail(path, "read", EXIT_BAD_INPUT);
    }
    enum exit_code code = EXIT_DONE;
    bool kept = is_kept(changes, place, view.bytes);
    if (changes->error == 0 && !kept && !file_copy(path, view.bytes, place)) {
        code = fail(place, "write", EXIT_CANNOT_WRITE);
    } else if (!transaction_commit(changes)) {
        code = transaction_tell(changes);
    }
    file_view_close(&view);
    return code;
}

static enum exit_code copy_file(const char *path, const char *place)
{
    struct transaction changes;
    char *folder = path_directory(place);
    bool begun = transaction_begin(&changes, need(folder), false);
    enum exit_code code = begun ? copy_bytes(&changes, path, place) : transaction_tell(&changes);
    transaction_end(&changes);
    free(folder);
    return code;
}

static enum exit_code copy_link(const char *path, const char *place)
{
    return link_copy(path, place) ? EXIT_DONE : fail(place, "write", EXIT_CANNOT_WRITE);
}

enum exit_code copy_failed(const struct named_file *file)
{
    return file->output ? copy_file(file->path, file->output) : EXIT_DONE;
}

/* ---- all of them ---- */

static enum exit_code make_folders(const struct named_files *files)
{
    for (size_t i = 0; i < files->made.count; i++) {
        if (!folders_make(files->made.items[i])) {
            return fail(files->made.items[i], "make this folder", EXIT_CANNOT_WRITE);
        }
    }
    return EXIT_DONE;
}

static bool is_patched(const struct named_files *files, const struct left_alone *left,
                       const char *path)
{
    const struct named_file *file = named_files_find(files, path);
    return file && !left_alone_code(left, (size_t)(file - files->items));
}

/* Lib.pdb of Lib.dll, Lib.dll.mdb: they are written with what is patched. */
static bool is_symbols_of_patched(const struct named_files *files, const struct left_alone *left,
                                  const char *path)
{
    static const char *const ends[] = {".dll", ".exe", ""};
    bool pdb = ends_with(path, ".pdb");
    bool found = false;
    for (size_t i = 0; i < 3 && !found && (pdb || ends_with(path, ".mdb")); i++) {
        char *assembly = format_text("%.*s%s", (int)strlen(path) - 4, path, ends[i]);
        found = (pdb == (ends[i][0] != '\0')) && is_patched(files, left, need(assembly));
        free(assembly);
    }
    return found;
}

enum exit_code copy_left(const struct named_files *files, const struct left_alone *left,
                         bool with_symbols)
{
    enum exit_code worst = make_folders(files);
    for (size_t i = 0; i < files->count && worst <= EXIT_BAD_INPUT; i++) {
        const struct named_file *file = &files->items[i];
        enum left why = left->why[i];
        if (!file->below || !file->output || why == LEFT_NOT || why == LEFT_INSPECTOR ||
            why == LEFT_ORIGINAL || is_record_name(path_name(file->path)) ||
            (!with_symbols && is_symbols_of_patched(files, left, file->path))) {
            continue;
        }
        enum exit_code code = file->link ? copy_link(file->path, file->output)
                                         : copy_file(file->path, file->output);
        worst = worse(worst, code);
    }
    return worst;
}
