/* Copies files of a folder. See copy_rest.h.
 *
 *   of each file below the folder, with -o:
 *
 *   patched                            not copied: it is written by the patch
 *   an inspector, an original, a record, symbols of what is patched      not copied
 *   .deps.json                         copied from its kept original, if there is one
 *   a link                             made as a link
 *   everything else                    copied
 *
 * What is there already and the same is left: a second run changes as little as it can. Each copy
 * is a transaction that needs no journal, because it can be made again. */
#include "tools/patch/copy_rest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/file_copy.h"
#include "host/file_tree.h"
#include "host/file_view.h"
#include "host/originals.h"
#include "host/path.h"
#include "host/turn.h"
#include "tools/patch/other_symbols.h"
#include "tools/tool.h"

static enum exit_code fail(const char *path, const char *what, enum exit_code code)
{
    report_message("%s: cannot %s: %s", path, what, strerror(errno));
    return code;
}

/* ---- one file ---- */

/* The kept original of a file that is not an assembly, a .deps.json: the patched one has new
 * entries. Owned; NULL: none, or `changes` has failed because it is unknown. */
static char *kept_of(struct transaction *changes, const char *path)
{
    struct file_view view;
    char *kept = ends_with(path, ".deps.json") ? need(format_text("%s.orig", path)) : NULL;
    bool opened = kept && file_view_open(&view, kept);
    if (kept && !opened && errno != ENOENT) {
        transaction_fail_reading(changes, kept, errno);
    }
    bool recorded = opened && original_is_recorded(changes, path, view.bytes);
    if (opened) {
        file_view_close(&view);
    }
    if (recorded) {
        return kept;
    }
    free(kept);
    return NULL;
}

/* Whether the content of the file `from` is the kept original of `path`. If something else is kept,
 * of an earlier copy, it is dropped; also without a record, after a run was killed.
 *
 *   recorded   same
 *   yes        yes    true: what is in place was made from it, and stays
 *   yes        no     kept of an earlier copy: dropped
 *   no         yes    its record was not written, after a kill: dropped
 *   no         no     not ours: left */
static bool is_kept(struct transaction *changes, const char *path, const char *from)
{
    if (!ends_with(path, ".deps.json")) {
        return false;
    }
    char *kept = need(format_text("%s.orig", path));
    char *recorded = kept_of(changes, path);
    bool there = changes->error == 0 && file_exists(kept);
    bool same = there && file_holds_same(kept, from);
    bool is_recorded = recorded != NULL;
    if (there && is_recorded != same) {
        transaction_remove(changes, kept);
        original_forget(changes, path);
    }
    free(recorded);
    free(kept);
    return is_recorded && same;
}

static enum exit_code report_copied(enum copied copied, const char *path, const char *place)
{
    switch (copied) {
    case COPIED_NOT_READ: return fail(path, "read", EXIT_BAD_INPUT);
    case COPIED_NOT_WRITTEN: return fail(place, "write", EXIT_CANNOT_WRITE);
    case COPIED: break;
    }
    return EXIT_DONE;
}

/* The turn is given away while bytes are copied; the transaction keeps the folder locked. */
static enum exit_code copy_bytes(struct transaction *changes, const char *path, const char *place)
{
    char *kept = kept_of(changes, path);
    const char *from = kept ? kept : path;
    bool same = changes->error == 0 && is_kept(changes, place, from);
    enum copied copied = COPIED;
    if (changes->error == 0 && !same) {
        turn_give();
        copied = file_copy(path, from, place);
        turn_take();
    }
    enum exit_code code = report_copied(copied, path, place);
    if (code == EXIT_DONE && !transaction_commit(changes)) {
        code = transaction_report(changes);
    }
    free(kept);
    return code;
}

static enum exit_code copy_file(const char *path, const char *place)
{
    struct transaction changes;
    char *folder = path_directory(place);
    bool begun = transaction_begin(&changes, need(folder), false);
    enum exit_code code = begun ? copy_bytes(&changes, path, place) : transaction_report(&changes);
    transaction_end(&changes);
    free(folder);
    return code;
}

static enum exit_code copy_link(const char *path, const char *place)
{
    return link_copy(path, place) ? EXIT_DONE : fail(place, "write", EXIT_CANNOT_WRITE);
}

/* A file that could not be patched is copied as it is, so that the folder is complete. */
enum exit_code copy_failed(const struct named_file *file)
{
    return file->output ? copy_file(file->path, file->output) : EXIT_DONE;
}

/* ---- all of them ---- */

/* With empty ones, since a program may need them. */
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

/* Lib.pdb of Lib.dll, Lib.dll.mdb: written with the patched file. */
static bool is_symbols_of_patched(const struct named_files *files, const struct left_alone *left,
                                  const char *path)
{
    /* Lib.pdb without its end gets the first two, Lib.dll.mdb the last: Mono adds ".mdb" to the
     * whole name. */
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

/* Shared by the threads. `worst` is written by the thread that has the turn. */
struct copying {
    const struct named_files *files;
    const struct left_alone *left;
    bool with_symbols;
    struct path_list others; /* of what is patched */
    enum exit_code worst;
};

/* Whether it is copied, unless other_symbols() has it. */
static bool may_be_copied(const struct copying *copying, size_t number)
{
    const struct named_file *file = &copying->files->items[number];
    enum left why = copying->left->why[number];
    return file->below && file->output && why != LEFT_NOT && why != LEFT_INSPECTOR &&
           why != LEFT_ORIGINAL && !is_record_name(path_name(file->path)) &&
           (copying->with_symbols ||
            !is_symbols_of_patched(copying->files, copying->left, file->path));
}

static bool is_copied(const struct copying *copying, size_t number)
{
    return may_be_copied(copying, number) &&
           !path_list_has(&copying->others, copying->files->items[number].path);
}

/* Opens assemblies only if some PDBs do not belong to any by name. */
static void find_other_symbols(struct copying *copying, const struct request *what)
{
    bool any = false;
    for (size_t i = 0; i < copying->files->count && !any && !copying->with_symbols; i++) {
        any = may_be_copied(copying, i) && ends_with(copying->files->items[i].path, ".pdb");
    }
    if (any) {
        copying->others = other_symbols(what, copying->files, copying->left);
    }
}

/* After a failure to write, no further file is tried: a full disk would fail for each. */
static void copy_one_of(void *user, unsigned thread, size_t number)
{
    struct copying *copying = user;
    const struct named_file *file = &copying->files->items[number];
    (void)thread;
    /* a file that could not be read does not stop the others */
    if (copying->worst <= EXIT_BAD_INPUT && is_copied(copying, number)) {
        enum exit_code code = file->link ? copy_link(file->path, file->output)
                                         : copy_file(file->path, file->output);
        copying->worst = worse(copying->worst, code);
    }
}

enum exit_code copy_left(const struct request *what, const struct named_files *files,
                         const struct left_alone *left, bool with_symbols, unsigned jobs)
{
    struct copying copying = {files, left, with_symbols, {NULL, 0}, make_folders(files)};
    find_other_symbols(&copying, what);
    turn_each(jobs, &(struct turn_work){copy_one_of, &copying, files->count});
    path_list_free(&copying.others);
    return copying.worst;
}
