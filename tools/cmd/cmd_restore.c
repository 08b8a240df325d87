/* ilpatch restore: puts originals back, and removes inspectors that are no longer needed.
 *
 * What FILE.orig is to FILE decides (host/originals.h):
 *
 *   NONE         no FILE.orig           reported, unless FILE is not patched at all
 *   UNREADABLE                          reported
 *   INPUT        FILE was made from it  put_back()
 *   STALE        FILE was built again   clean_up(): FILE stays, what was kept of it goes
 *   OTHER        not known to be        put_back() if FILE is gone, else nothing is touched
 *
 * All changes of one FILE are one transaction (host/transaction.h): after a kill the next run
 * completes or undoes it. Several files are several transactions, so one that fails leaves the
 * others restored. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "host/file_image.h"
#include "tools/cmd/command_line.h"
#include "host/bundle_file.h"
#include "host/path.h"
#include "host/program_folder.h"
#include "host/inspector_file.h"
#include "host/originals.h"
#include "host/standard_streams.h"
#include "host/symbols_file.h"
#include "tools/patch/named_files.h"
#include "tools/tool.h"

static const char help[] =
    "ilpatch restore [options] FILE...\n"
    "\n"
    "Puts FILE.orig back in FILE's place, and its symbols with it. When no other patched assembly\n"
    "of the program calls the inspector any more, its entries in *.deps.json go, and its file, if\n"
    "ilpatch has put that there. A folder means all files below it that were patched, @LIST\n"
    "the names that are the lines of the file LIST.\n"
    "\n";
static const char help_end[] =
    "\n"
    "Exit codes: 0 done, 1 there is no original, or FILE was not made from it, 2 bad usage,\n"
    "3 bad input, 4 cannot write.\n";

/* For one file of a bundle: its PDB may be beside the bundle. */
static void restore_symbols_of(struct transaction *changes, const struct ilp_bundle *bundle,
                               const struct ilp_bundle_entry *entry, const char *directory)
{
    struct ilp_arena *arena;
    struct ilp_bytes bytes;
    need(ilp_arena_open(&arena, NULL, NULL) == ILP_OK ? arena : NULL);
    bool read = ilp_bundle_read(bundle, entry, arena, &bytes, NULL) == ILP_OK;
    struct ilp_image *image = read ? file_image_open(bytes, entry->path) : NULL;
    if (image) {
        /* the runtime searches for its PDB there (host/symbols_file.h) */
        char *file = path_join(directory, entry->path);
        symbols_restore(changes, image, file);
        free(file);
        ilp_image_close(image);
    }
    ilp_arena_close(arena);
}

/* A bundle that is restored may have PDBs beside it that were changed with its files. If the
 * original is not a bundle there are none. */
static void restore_symbols_beside(struct transaction *changes, struct ilp_bytes original,
                                   const char *directory)
{
    struct ilp_bundle *bundle;
    size_t count;
    if (ilp_bundle_open(&bundle, original, NULL, NULL) != ILP_OK) {
        return;
    }
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(bundle, &count);
    for (size_t i = 0; i < count; i++) {
        if (bundle_has_assembly(original, &entries[i])) {
            restore_symbols_of(changes, bundle, &entries[i], directory);
        }
    }
    ilp_bundle_close(bundle);
}

/* A file that can be opened but is not an image is a bundle. *image is then NULL, and no error is
 * reported. */
static enum exit_code open_file(const char *path, struct file_view *view, struct ilp_image **image)
{
    if (!file_view_open(view, path)) {
        report_message("%s: cannot read: %s", path, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    *image = file_image_open(view->bytes, path);
    return EXIT_DONE;
}

/* Where the patched FILE is no longer there, the inspector that it called is not known: the stock
 * one goes, if ilpatch has put it there. */
static enum exit_code remove_stock_inspector(struct transaction *changes, const char *file)
{
    struct inspector_file stock;
    enum exit_code code = inspector_file_open_stock(&stock, EDITION_FULL);
    code = code == EXIT_DONE ? inspector_file_remove(changes, file, &stock.name) : code;
    inspector_file_close(&stock);
    return code;
}

/* FILE first, the kept original last: if interrupted, it can be repeated. The original is linked,
 * not copied, and it keeps its name until the last step. The PDB and the inspectors of an assembly
 * are put back or removed as well; for bundles the inspector was inside. FILE may be gone, or,
 * where a build or a copy gave the same bytes, be the original already. */
static enum exit_code put_back(struct transaction *changes, const char *file, const char *kept)
{
    struct file_view views[2] = {{.bytes = {NULL, 0}}, {.bytes = {NULL, 0}}};
    struct ilp_image *images[2] = {NULL, NULL};
    char *directory = path_directory(file);
    enum exit_code code = open_file(kept, &views[1], &images[1]);
    if (code == EXIT_DONE && !file_is_absent(file)) {
        code = open_file(file, &views[0], &images[0]);
    }
    if (code == EXIT_DONE) {
        transaction_link(changes, kept, file);
        if (images[1]) {
            bool is_patched = images[0] && !ilpi_bytes_equal(views[0].bytes, views[1].bytes);
            symbols_restore(changes, images[1], file);
            /* EXIT_INCOMPLETE, for an inspector that stays, does not keep the file from being
             * restored. */
            code = is_patched
                       ? inspector_files_remove(changes, images[0], images[1], file, NULL, NULL)
                       : remove_stock_inspector(changes, file);
        } else {
            restore_symbols_beside(changes, views[1].bytes, directory);
        }
        original_forget(changes, file);
        transaction_remove(changes, kept);
    }
    for (unsigned i = 0; i < 2; i++) {
        ilp_image_close(images[i]);
        file_view_close(&views[i]);
    }
    free(directory);
    return code;
}

/* FILE was built again, so it is current: what was kept of the earlier build is removed. */
static enum exit_code clean_up(struct transaction *changes, const char *file, const char *kept)
{
    struct file_view view = {.bytes = {NULL, 0}};
    struct ilp_image *stale = NULL;
    enum exit_code code = open_file(kept, &view, &stale);
    if (stale) {
        symbols_forget(changes, stale, file);
    }
    code = code == EXIT_DONE ? remove_stock_inspector(changes, file) : code;
    original_forget(changes, file);
    transaction_remove(changes, kept);
    ilp_image_close(stale);
    file_view_close(&view);
    return code;
}

/* Only plans changes; restore() commits them. */
static enum exit_code restore_file(struct transaction *changes, const char *file, const char *kept,
                                   enum original original)
{
    switch (original) {
    case ORIGINAL_NONE:
        if (original_is_unpatched(file)) {
            report_message("%s is not patched: nothing to restore", file);
            return EXIT_DONE;
        }
        report_message("%s: cannot restore: %s does not exist", file, kept);
        return EXIT_INCOMPLETE;
    case ORIGINAL_UNREADABLE: return transaction_report(changes);
    case ORIGINAL_OTHER:
        if (!file_is_absent(file)) {
            report_message("%s was not made from %s (was it rebuilt?): nothing restored", file,
                           kept);
            return EXIT_INCOMPLETE;
        }
        return put_back(changes, file, kept);
    case ORIGINAL_STALE: return clean_up(changes, file, kept);
    case ORIGINAL_INPUT: break;
    }
    return put_back(changes, file, kept);
}

/* The name goes through an apphost to its assembly and through links to the file proper, because
 * that is where FILE.orig is. The transaction is in the folder of the program, so it locks out
 * other runs on the same program. */
static enum exit_code restore(const char *given)
{
    struct transaction changes;
    char *host = host_assembly(given);
    char *file = path_through_link(host);
    char *folder = program_folder(file);
    char *kept = format_text("%s.orig", file);
    enum exit_code code = EXIT_CANNOT_WRITE;
    if (!transaction_begin(&changes, folder, true)) {
        transaction_report(&changes);
    } else {
        enum original original = original_of(&changes, file, kept);
        code = restore_file(&changes, file, kept, original);
        if (code <= EXIT_INCOMPLETE && !transaction_commit(&changes)) {
            code = transaction_report(&changes);
        } else if (code <= EXIT_INCOMPLETE && original == ORIGINAL_STALE) {
            report_message("%s was built again since it was patched: removed %s", file, kept);
        }
    }
    transaction_end(&changes);
    free(kept);
    free(folder);
    free(file);
    free(host);
    return code;
}

/* ---- folders ---- */

/* Whether a file is the original of an assembly or a bundle: other kept files are restored together
 * with these. */
static enum exit_code check_kept(const char *file, const char *kept, bool *is_original)
{
    struct transaction changes = {.folder = NULL};
    struct file_view view;
    enum exit_code code = EXIT_DONE;
    if (!file_view_open(&view, kept)) {
        if (errno == ENOENT) { /* it was restored together with its assembly */
            return EXIT_DONE;
        }
        report_message("%s: cannot read: %s", kept, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    enum ilp_file_kind kind = ilp_file_kind_of(view.bytes);
    file_view_close(&view);
    *is_original = (kind == ILP_FILE_PE || kind == ILP_FILE_BUNDLE) &&
                   !original_is_of_inspector(&changes, file, kept);
    if (changes.error != 0) {
        code = transaction_report(&changes);
    }
    transaction_end(&changes);
    return code;
}

/* In folders, files are found by their kept originals: a FILE without FILE.orig was not patched,
 * and is not mentioned. */
static enum exit_code restore_below(const struct named_file *kept, unsigned *count)
{
    bool is_original = false;
    if (kept->deselected || !ends_with(kept->path, ".orig")) {
        return EXIT_DONE;
    }
    char *file = need(original_place(kept->path));
    enum exit_code code = check_kept(file, kept->path, &is_original);
    if (code == EXIT_DONE && is_original) {
        code = restore(file);
        *count += code == EXIT_DONE;
    }
    free(file);
    return code;
}

/* Of folders the number of restored files is printed, since most files below them are not
 * mentioned. */
static enum exit_code restore_files(const struct named_files *files)
{
    enum exit_code worst = files->incomplete ? EXIT_INCOMPLETE : EXIT_DONE;
    unsigned count = 0;
    for (size_t i = 0; i < files->count; i++) {
        const struct named_file *file = &files->items[i];
        enum exit_code code = EXIT_DONE;
        if (file->below) {
            code = restore_below(file, &count);
        } else if (file->unseen) {
            report_message("%s: cannot read: %s", file->path, strerror(file->error));
            code = EXIT_BAD_INPUT;
        } else if (!file->deselected) {
            code = restore(file->path);
        }
        worst = worse(worst, code);
    }
    if (files->folders.count != 0) {
        printf("%u file%s restored\n", count, plural(count));
    }
    return worst;
}

/* ---- the command line ---- */

/* Names are checked before any file is restored: "-" among them is a mistake of the whole command
 * line. */
static enum exit_code parse(struct option_reader *reader, struct name_filter *filter,
                            bool *finished)
{
    enum option_id option;
    *finished = true;
    while ((option = options_next(reader)) != OPTION_END) {
        switch (option) {
        case OPTION_INCLUDE: option_list_add(&filter->include, reader->value); break;
        case OPTION_EXCLUDE: option_list_add(&filter->exclude, reader->value); break;
        case OPTION_HELP: return print_help(TAKEN_BY_RESTORE, help, help_end);
        default: return option_error("restore", reader);
        }
    }
    for (int i = 0; i < reader->operand_count; i++) {
        if (is_standard(reader->operands[i])) {
            return usage_error("restore",
                               "- is standard input, which has no original: name the file");
        }
    }
    *finished = false;
    return EXIT_DONE;
}

enum exit_code cmd_restore(int argc, char **argv)
{
    struct option_reader reader;
    struct operand_options operands = {.command = "restore", .finish = true};
    struct named_files files = {.items = NULL};
    bool finished;
    (void)argc;
    options_begin(&reader, TAKEN_BY_RESTORE, argv, false);
    enum exit_code code = parse(&reader, &operands.filter, &finished);
    if (!finished) {
        code = named_files_open(&files, &operands, reader.operands, reader.operand_count);
        code = code == EXIT_DONE ? restore_files(&files) : code;
    }
    named_files_close(&files);
    free(operands.filter.include.items);
    free(operands.filter.exclude.items);
    return code;
}
