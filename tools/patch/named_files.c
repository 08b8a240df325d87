/* Makes a list of files from operands. See named_files.h.
 *
 *   operands --@LIST--> names --folder--> files below it, in the order of their paths, then links
 *                            \--file----> itself
 *
 * Filters mark files instead of removing them: a file that is left out is copied with -o, and is
 * part of the report. Our own temporary files are never listed. The list is fixed before work
 * begins; a second array, sorted by path, is for looking files up. */
#include "tools/patch/named_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "host/bundle_file.h"
#include "host/file_tree.h"
#include "host/file_view.h"
#include "host/output_place.h"
#include "host/originals.h"
#include "host/path.h"
#include "host/standard_streams.h"
#include "host/temporary.h"
#include "host/text_out.h"
#include "host/transaction.h"
#include "tools/tool.h"

/* Borrowed, for the time of named_files_open(). */
struct operand_taker {
    struct named_files *files;
    const struct operand_options *options;
    bool several; /* each operand has its own path in -o */
};

/* ---- --include and --exclude ---- */

/* A pattern with a slash matches the path, and so a folder with everything below it; another one
 * the name of the file, or of one of its folders. An original is matched by the name of its file.
 * From the whole path upwards: the pattern is tried on the path, then on each folder above. */
static bool fits(const char *text, const char *path)
{
    const struct ilpi_pattern pattern = {.kind = ILPI_PATTERN_LIKE, .text = bytes_of(text)};
    bool whole = strchr(text, '/') != NULL;
    char *part = need(original_place(path));
    bool found = false;
    for (size_t end = strlen(part); end != 0 && !found; end--) {
        if (part[end] == '/' || part[end] == '\0') {
            part[end] = '\0';
            struct ilp_bytes name = bytes_of(whole ? part : path_name(part));
            found = ilpi_pattern_match(&pattern, NULL, name) == ILP_YES;
        }
    }
    free(part);
    return found;
}

static bool fits_any(const struct option_list *patterns, const char *path)
{
    bool found = false;
    for (size_t i = 0; i < patterns->count && !found; i++) {
        found = fits(patterns->items[i], path);
    }
    return found;
}

/* --exclude wins over --include. */
static bool is_deselected(const struct name_filter *filter, const char *path)
{
    return (filter->include.count != 0 && !fits_any(&filter->include, path)) ||
           fits_any(&filter->exclude, path);
}

/* ---- folders ---- */

/* The pointer is valid until the next file is added. */
static struct named_file *add(struct named_files *files, const char *path)
{
    files->items = need(realloc(files->items, (files->count + 1) * sizeof *files->items));
    struct named_file *file = &files->items[files->count++];
    *file = (struct named_file){.path = need(strdup(path))};
    return file;
}

/* The part of a path below a folder that is its prefix; "" for the folder itself. */
static const char *part_below(const char *path, const char *folder)
{
    const char *below = path + strlen(folder);
    return below[0] == '/' ? below + 1 : below;
}

/* The output path of a folder's file. */
static char *place_of(const char *path, const char *folder, const char *place)
{
    const char *below = part_below(path, folder);
    return below[0] != '\0' ? path_join(place, below) : need(strdup(place));
}

static void add_below(const struct operand_taker *taker, const char *path, const char *folder,
                      const char *place, bool link)
{
    struct named_file *file = add(taker->files, path);
    file->below = true;
    file->link = link;
    file->deselected = is_deselected(&taker->options->filter, part_below(path, folder));
    file->output = place ? place_of(path, folder, place) : NULL;
}

/* "/" stays, "App///" is "App". */
static char *without_end(const char *path)
{
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/') {
        size--;
    }
    return need(strndup(path, size));
}

/* Whether `path`, which need not exist, is a folder or below it. Compared as real paths; of a path
 * that does not exist, the nearest folder that does is compared. The loop ends at a path that
 * exists, or at the root, which is its own folder. */
static bool is_within(const char *path, const char *folder)
{
    char *outer = realpath(folder, NULL);
    char *at = need(strdup(path));
    bool within = false;
    for (bool more = outer != NULL; more && !within;) {
        char *real = realpath(at, NULL);
        within = real && strncmp(real, outer, strlen(outer)) == 0 &&
                 (real[strlen(outer)] == '/' || real[strlen(outer)] == '\0');
        char *above = real ? NULL : path_directory(at);
        more = above && strcmp(above, at) != 0;
        free(real);
        free(at);
        at = above;
    }
    free(at);
    free(outer);
    return within;
}

/* The output of a folder with -o. Owned by the caller; NULL: it is changed in place. */
static char *place_for(const struct operand_taker *taker, const char *folder)
{
    const char *output = taker->options->output;
    if (!output) {
        return NULL;
    }
    return taker->several ? path_join(output, path_name(folder)) : need(strdup(output));
}

/* An output within its input would be read by the next run, and the other way round each run would
 * nest deeper. */
static enum exit_code check_place(const struct operand_taker *taker, const char *folder,
                                  const char *place)
{
    if (place && is_standard(taker->options->output)) {
        return usage_error(taker->options->command, "%s is a folder: -o has to name one, too",
                           folder);
    }
    if (place && (is_within(place, folder) || is_within(folder, place))) {
        return usage_error(taker->options->command,
                           "-o %s: this is within %s, or the other way round; leave -o out to "
                           "replace the files",
                           place, folder);
    }
    if (place && path_is_other_than_directory(place)) {
        return usage_error(taker->options->command, "-o %s: not a folder, but %s is one", place,
                           folder);
    }
    return EXIT_DONE;
}

/* Beginning a transaction completes or undoes the one whose journal is there. */
static enum exit_code finish_in(const char *folder)
{
    struct transaction changes;
    bool begun = transaction_begin(&changes, folder, true);
    enum exit_code code = begun ? EXIT_DONE : transaction_report(&changes);
    transaction_end(&changes);
    return code;
}

/* Completes interrupted runs in these folders, which have left temporary files there. */
static enum exit_code finish_changes(const struct file_tree *tree, bool *found)
{
    enum exit_code code = EXIT_DONE;
    for (size_t i = 0; i < tree->files.count && code == EXIT_DONE; i++) {
        const char *path = tree->files.items[i];
        if (temporary_is_own_name(path_name(path)) && file_exists(path)) {
            char *folder = path_directory(path);
            code = finish_in(folder);
            *found = true;
            free(folder);
        }
    }
    return code;
}

/* Read again after that, since files have come and gone. A folder that cannot be read leaves the
 * list incomplete, which the exit code shows. */
static enum exit_code read_tree(const struct operand_taker *taker, struct file_tree *tree,
                                const char *folder)
{
    bool found = false;
    bool read = file_tree_read(tree, folder);
    enum exit_code code = taker->options->finish ? finish_changes(tree, &found) : EXIT_DONE;
    if (found && code == EXIT_DONE) {
        file_tree_free(tree);
        read = file_tree_read(tree, folder);
    }
    taker->files->incomplete = !read || taker->files->incomplete;
    return code;
}

/* Folders are listed with their outputs, in the order in which they have to be made. */
static enum exit_code add_folder(const struct operand_taker *taker, const char *operand)
{
    struct named_files *files = taker->files;
    struct file_tree tree = {.folders = {NULL, 0}};
    char *folder = without_end(operand);
    char *place = place_for(taker, folder);
    enum exit_code code = check_place(taker, folder, place);
    code = code == EXIT_DONE ? read_tree(taker, &tree, folder) : code;
    for (size_t i = 0; i < tree.folders.count; i++) {
        path_list_add(&files->folders, need(strdup(tree.folders.items[i])));
        if (place) {
            path_list_add(&files->made, place_of(tree.folders.items[i], folder, place));
        }
    }
    for (size_t i = 0; i < tree.files.count; i++) {
        if (temporary_is_own_name(path_name(tree.files.items[i]))) {
            continue;
        }
        add_below(taker, tree.files.items[i], folder, place, false);
    }
    for (size_t i = 0; i < tree.links.count; i++) {
        /* Links to folders are not followed: what they refer to may be outside, or in a circle. */
        add_below(taker, tree.links.items[i], folder, place, true);
    }
    file_tree_free(&tree);
    free(place);
    free(folder);
    return code;
}

/* ---- operands ---- */

/* If the system does not show what it is, that is the reason to report: opening it, as a file,
 * might succeed, or fail because it is a folder. */
static enum exit_code add_operand(const struct operand_taker *taker, const char *operand)
{
    int error = 0;
    if (!is_standard(operand) && path_shows_directory(operand, &error)) {
        return add_folder(taker, operand);
    }
    struct named_file *file = add(taker->files, operand);
    file->deselected = is_deselected(&taker->options->filter, operand);
    file->unseen = error != 0;
    file->looked_at = file->unseen;
    file->error = error;
    return EXIT_DONE;
}

/* The lines of a file, without empty ones. */
static void read_list(struct path_list *names, struct ilp_bytes text)
{
    const char *at = (const char *)text.data;
    const char *end = at + text.size;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        const char *next = line_end ? line_end + 1 : end;
        size_t size = (size_t)((line_end ? line_end : end) - at);
        size -= size != 0 && at[size - 1] == '\r'; /* a list from Windows */
        if (size != 0) {
            path_list_add(names, need(strndup(at, size)));
        }
        at = next;
    }
}

/* "-" is a list on standard input, too. */
static enum exit_code open_list(struct path_list *names, const char *path)
{
    struct file_view view;
    if (!file_view_open(&view, path)) {
        report_message("%s: cannot read: %s", path, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    read_list(names, view.bytes);
    file_view_close(&view);
    return EXIT_DONE;
}

static int compare_paths(const void *left, const void *right)
{
    return strcmp((*(struct named_file *const *)left)->path,
                  (*(struct named_file *const *)right)->path);
}

static void sort_by_path(struct named_files *files)
{
    files->by_path = need(calloc(files->count + 1, sizeof(struct named_file *)));
    for (size_t i = 0; i < files->count; i++) {
        files->by_path[i] = &files->items[i];
    }
    qsort(files->by_path, files->count, sizeof(struct named_file *), compare_paths);
}

/* If a file with that very name exists, it is meant. */
static bool is_list(const char *operand)
{
    return operand[0] == '@' && operand[1] != '\0' && file_is_absent(operand);
}

/* by_path is made also after a failure, so that closing and looking up are always right. */
enum exit_code named_files_open(struct named_files *files, const struct operand_options *options,
                                char **operands, int count)
{
    struct path_list names = {NULL, 0};
    enum exit_code code = EXIT_DONE;
    *files = (struct named_files){.items = NULL};
    for (int i = 0; i < count && code == EXIT_DONE; i++) {
        if (is_list(operands[i])) {
            code = open_list(&names, operands[i] + 1);
        } else {
            path_list_add(&names, need(strdup(operands[i])));
        }
    }
    const struct operand_taker taker = {files, options, names.count > 1};
    if (code == EXIT_DONE && names.count == 0) {
        code = usage_error(options->command, "no file is named");
    }
    for (size_t i = 0; i < names.count && code == EXIT_DONE; i++) {
        code = add_operand(&taker, names.items[i]);
    }
    path_list_free(&names);
    sort_by_path(files);
    return code;
}

void named_files_close(struct named_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->items[i].path);
        free(files->items[i].output);
        free(files->items[i].started);
    }
    free(files->items);
    free(files->by_path);
    path_list_free(&files->folders);
    path_list_free(&files->made);
    *files = (struct named_files){.items = NULL};
}

/* Reads the first bytes once, whoever asks first: the result decides what is left alone, and which
 * patcher is used. Not those of standard input, which is read when it is patched. */
void named_file_look(struct named_file *file)
{
    if (file->looked_at || is_standard(file->path)) {
        return;
    }
    file->looked_at = true;
    if (!find_kind(file->path, &file->kind)) {
        file->error = errno;
    } else if (file->kind.kind == ILP_FILE_APPHOST) {
        file->started = started_by_host(file->path);
    }
}

const char *named_file_assembly(struct named_file *file)
{
    named_file_look(file);
    return file->started ? file->started : file->path;
}

char *named_file_output(struct named_file *file, const char *output)
{
    const char *path = named_file_assembly(file);
    if (file->output) {
        /* for a host, next to its assembly's output */
        char *folder = path_directory(file->output);
        char *place = path_join(folder, path_name(path));
        free(folder);
        return place;
    }
    return output ? output_place_of(output, path) : need(strdup(path));
}

const struct named_file *named_files_find(const struct named_files *files, const char *path)
{
    struct named_file wanted = {.path = (char *)path};
    struct named_file *key = &wanted;
    struct named_file **found = bsearch(&key, files->by_path, files->count,
                                        sizeof(struct named_file *), compare_paths);
    return found ? *found : NULL;
}
