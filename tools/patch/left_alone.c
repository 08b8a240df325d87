/* Classifies the named files. See left_alone.h.
 *
 * What decides, first to last:
 *
 *   a link to a folder > --include, --exclude > not a regular file that can be read: meant
 *     > .orig > by its first bytes: not an assembly > a satellite > of the runtime > an inspector
 *     > a composite image > another name of a file that is meant
 *
 * Everything is done before the first file is patched, because patching makes files of its own. It
 * reads the first bytes of every file, and opens assemblies that their names do not settle. */
#include "tools/patch/left_alone.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/file_image.h"
#include "host/inspector_file.h"
#include "host/originals.h"
#include "host/path.h"
#include "host/profiler_environment.h"
#include "host/runtime_files.h"
#include "host/standard_streams.h"
#include "host/text_out.h"
#include "host/turn.h"
#include "tools/tool.h"

/* The limit of names of one kind; a report has them all. */
#define MAX_NAMES 4

static const struct {
    const char *code;
    const char *text;
} kinds[LEFT_COUNT] = {
#define LEFT(name, code, text) [LEFT_##name] = {code, text},
    LEFT_KINDS(LEFT)
#undef LEFT
};

/* ---- assemblies ---- */

/* The methods of a composite image are in its component assemblies. Its own metadata has no method;
 * the components have theirs. */
static bool is_composite(const struct ilp_image *image)
{
    struct ilp_image_info info;
    struct ilp_ready_to_run r2r = {.composite = false};
    ilp_image_info(image, &info);
    return info.ready_to_run && ilp_image_ready_to_run(image, &r2r, NULL) == ILP_OK &&
           r2r.composite;
}

/* By name and content: an assembly of the user may have the same name. */
static bool is_copy_of(const struct inspector_file *inspector, struct ilp_bytes bytes,
                       const char *path)
{
    char *name = format_text("%s.dll", inspector->name.name);
    bool copy = strcmp(name, path_name(path)) == 0 && inspector_file_is(inspector, bytes);
    free(name);
    return copy;
}

/* An inspector in use, or the stock one, which an earlier run may have placed there. */
static bool is_inspector(const struct request *what, struct ilp_bytes bytes, const char *path)
{
    struct inspector_file stock;
    bool found = false;
    for (size_t i = 0; i < what->inspector_file_count && !found; i++) {
        const struct inspector_file *inspector = &what->inspector_files[i];
        found = !inspector->native && is_copy_of(inspector, bytes, path);
    }
    /* opened for few files only */
    bool may_be_stock = !found && strcmp(path_name(path), INSPECTOR_FILE) == 0;
    if (may_be_stock && inspector_file_open_stock(&stock, EDITION_FULL) == EXIT_DONE) {
        found = is_copy_of(&stock, bytes, path);
        inspector_file_close(&stock);
    }
    return found;
}

/* By name first, since that needs no reading. A file that cannot be opened is meant: patching it
 * reports why. */
enum left left_among_others(const struct request *what, const struct runtime_files *runtime,
                            const char *path, bool *module)
{
    struct file_view view;
    enum left why = LEFT_NOT;
    if (ends_with(path, ".resources.dll")) {
        return LEFT_SATELLITE;
    }
    if (!what->framework && runtime_files_include(runtime, path)) {
        return LEFT_FRAMEWORK;
    }
    if (file_view_open(&view, path)) {
        struct ilp_image *image = NULL;
        if (is_inspector(what, view.bytes, path)) {
            why = LEFT_INSPECTOR;
        } else if ((image = file_image_open(view.bytes, path)) != NULL) {
            why = is_composite(image) ? LEFT_COMPOSITE : LEFT_NOT;
            if (module) {
                *module = ilp_row_count(image, ILP_Assembly) == 0;
            }
        }
        ilp_image_close(image);
        file_view_close(&view);
    }
    return why;
}

/* ---- files ---- */

/* A file that is named like an assembly but is not one is broken. */
static bool is_no_assembly(const char *path, const struct found_kind *found)
{
    switch (found->kind) {
    case ILP_FILE_PE:
    case ILP_FILE_BUNDLE:
    case ILP_FILE_APPHOST: /* of its .dll */
    case ILP_FILE_WEBCIL:
    case ILP_FILE_WEBCIL_WASM:
    case ILP_FILE_COMPRESSED: return false;
    case ILP_FILE_NATIVE_PE:
    case ILP_FILE_NATIVE_AOT:
    case ILP_FILE_ELF:
    case ILP_FILE_MACH_O: return true;
    /* the name of an assembly, or an MS-DOS header: patching reports what is wrong with it */
    default: return !is_assembly_name(path) && !found->dos;
    }
}

/* A template, or the host of a program that is installed elsewhere. It has no assembly beside it
 * that could be patched. */
static bool is_host_alone(const struct named_file *file)
{
    return file->kind.kind == ILP_FILE_APPHOST && !file->started;
}

/* With -o the folder is only read, and a .orig without its file is a file like others. */
static bool is_original(const char *path, bool separate)
{
    char *file = format_text("%.*s", (int)strlen(path) - 5, path);
    bool kept = !separate || file_exists(file);
    free(file);
    return kept;
}

/* Cached, since files of one folder are mostly consecutive. */
struct folder {
    char *path;
    struct runtime_files *runtime;
};

static void folder_close(struct folder *folder)
{
    runtime_files_close(folder->runtime);
    free(folder->path);
    *folder = (struct folder){.path = NULL};
}

/* `runtime` of the folder says which files the runtime brought: those of a self-contained
 * program. */
static enum left left_assembly(const struct request *what, struct folder *folder,
                               struct named_file *named)
{
    const char *file = named->path;
    char *directory = path_directory(file);
    char *path = path_join(directory, path_name(file));
    if (!folder->path || strcmp(folder->path, directory) != 0) {
        folder_close(folder);
        folder->path = need(strdup(directory));
        folder->runtime = runtime_files_open(directory);
    }
    enum left why = left_among_others(what, folder->runtime, path, &named->module);
    free(path);
    free(directory);
    return why;
}

/* Reading a pipe would consume it, and missing files are reported in their turn. */
static enum left left_file(const struct request *what, struct folder *folder, bool separate,
                           struct named_file *named)
{
    struct stat info;
    const char *file = named->path;
    if (named->link) {
        return LEFT_LINK;
    }
    if (named->deselected) {
        return LEFT_DESELECTED;
    }
    if (is_standard(file) || named->unseen) {
        return LEFT_NOT;
    }
    if (stat(file, &info) != 0) {
        named->looked_at = true;
        named->error = errno;
        return LEFT_NOT;
    }
    if (!S_ISREG(info.st_mode)) {
        return LEFT_NOT;
    }
    if (ends_with(file, ".orig") && is_original(file, separate)) {
        return LEFT_ORIGINAL;
    }
    named_file_look(named);
    if (named->error != 0) {
        return LEFT_NOT;
    }
    if ((named->below && is_host_alone(named)) || is_no_assembly(file, &named->kind)) {
        return LEFT_OTHER;
    }
    return named->kind.kind == ILP_FILE_PE ? left_assembly(what, folder, named) : LEFT_NOT;
}

/* The file that is patched for a named one, and whether that is its host. */
struct named_target {
    char *path; /* owned; NULL: it does not exist */
    bool host;
    size_t number; /* of the named file */
};

/* The real path, so that links and hosts of one file are equal. */
static struct named_target target_of(struct named_file *file)
{
    const char *path = named_file_assembly(file);
    return (struct named_target){.path = realpath(path, NULL), .host = path != file->path};
}

/* Groups those of one file: it first, then its hosts, in the order of the names. */
static int compare_targets(const void *left, const void *right)
{
    const struct named_target *targets[] = {left, right};
    int order = strcmp(targets[0]->path, targets[1]->path);
    order = order != 0 ? order : targets[0]->host - targets[1]->host;
    return order != 0 ? order : (targets[0]->number > targets[1]->number ? 1 : -1);
}

/* ---- all files ---- */

/* The classification of all files, in several threads. `at` is the step; both steps are done for
 * all files before the next begins. */
struct looking {
    struct left_alone *left;
    void (*at)(const struct looking *looking, unsigned thread, size_t number);
    const struct request *what;
    bool separate;
    struct folder *folders;       /* one for each thread */
    struct named_target *targets; /* one for each file */
};

/* How many files a thread takes at once: taking one by one would cost more than classifying. */
#define FILES_TOGETHER 32u

/* The turn is given for the whole of it: nothing of it is shared but the arrays, in which each file
 * has its own element. */
static void look_at_some(void *user, unsigned thread, size_t part)
{
    const struct looking *looking = user;
    size_t count = looking->left->files->count;
    turn_give();
    for (size_t i = part * FILES_TOGETHER; i < count && i < (part + 1) * FILES_TOGETHER; i++) {
        looking->at(looking, thread, i);
    }
    turn_take();
}

static void look(struct looking *looking, unsigned jobs)
{
    size_t parts = (looking->left->files->count + FILES_TOGETHER - 1) / FILES_TOGETHER;
    turn_each(jobs, &(struct turn_work){look_at_some, looking, parts});
}

static void find_why(const struct looking *looking, unsigned thread, size_t number)
{
    looking->left->why[number] = left_file(looking->what, &looking->folders[thread],
                                           looking->separate, &looking->left->files->items[number]);
}

static void find_target(const struct looking *looking, unsigned thread, size_t number)
{
    (void)thread;
    if (looking->left->why[number] == LEFT_NOT) {
        looking->targets[number] = target_of(&looking->left->files->items[number]);
    }
}

/* Finds duplicates: a host is another name of its assembly; so are links if files are replaced.
 * Sorted by target, equal ones follow each other, and the first of them is kept. With -o links
 * stay, since each has an output of its own.
 *
 *   target (real path)   named      in place      with -o
 *   /app/App.dll         App.dll    kept          kept
 *   /app/App.dll         L.dll      SAME_FILE     kept: a link, with an output of its own
 *   /app/App.dll         App        SAME_FILE     SAME_FILE: the host of it */
static void find_same(struct left_alone *left, bool separate, unsigned jobs)
{
    size_t count = 0;
    struct named_target *targets = need(calloc(left->files->count + 1, sizeof *targets));
    look(&(struct looking){.left = left, .at = find_target, .targets = targets}, jobs);
    for (size_t i = 0; i < left->files->count; i++) {
        if (targets[i].path) {
            targets[count] = targets[i];
            targets[count++].number = i;
        }
    }
    qsort(targets, count, sizeof *targets, compare_targets);
    /* `first` is the first element of the group with the path of targets[i] */
    for (size_t i = 1, first = 0; i < count; i++) {
        first = strcmp(targets[i].path, targets[first].path) == 0 ? first : i;
        if (i != first && (!separate || targets[i].host != targets[first].host)) {
            left->why[targets[i].number] = LEFT_SAME_FILE;
        }
    }
    for (size_t i = 0; i < count; i++) {
        free(targets[i].path);
    }
    free(targets);
}

static size_t count_of(const struct left_alone *left, enum left why)
{
    size_t count = 0;
    for (size_t i = 0; i < left->files->count; i++) {
        count += left->why[i] == why;
    }
    return count;
}

/* If nothing else is there, the runtime's own files are what was meant. */
static void take_framework(struct left_alone *left)
{
    for (size_t i = 0; i < left->files->count; i++) {
        left->why[i] = left->why[i] == LEFT_FRAMEWORK ? LEFT_NOT : left->why[i];
    }
}

/* If still nothing is, what was named itself is. */
static void take_named(struct left_alone *left)
{
    for (size_t i = 0; i < left->files->count; i++) {
        const struct named_file *file = &left->files->items[i];
        left->why[i] = file->below || file->deselected ? left->why[i] : LEFT_NOT;
    }
}

static void find_all(struct left_alone *left, const struct request *what, bool separate,
                     unsigned jobs)
{
    struct folder *folders = need(calloc(jobs, sizeof *folders));
    struct looking looking = {
        .left = left, .at = find_why, .what = what, .separate = separate, .folders = folders};
    look(&looking, jobs);
    for (unsigned i = 0; i < jobs; i++) {
        folder_close(&folders[i]);
    }
    free(folders);
}

/* The rules are weakened until a file is meant: first the framework's files, then all that were
 * named. A single file that is named is meant from the beginning. */
void left_alone_open(struct left_alone *left, const struct request *what, bool separate,
                     const struct named_files *files, unsigned jobs)
{
    *left = (struct left_alone){.files = files,
                                .why = need(calloc(files->count + 1, sizeof *left->why))};
    bool alone = files->count == 1 && !files->items[0].below && !files->items[0].deselected;
    if (!alone) {
        find_all(left, what, separate, jobs);
    }
    if (count_of(left, LEFT_NOT) == 0) {
        take_framework(left);
    }
    if (count_of(left, LEFT_NOT) == 0) {
        take_named(left);
    }
    find_same(left, separate, jobs);
    left->left = files->count - count_of(left, LEFT_NOT);
}

void left_alone_close(struct left_alone *left)
{
    free(left->why);
}

/* ---- messages ---- */

const char *left_alone_code(const struct left_alone *left, size_t number)
{
    return kinds[left->why[number]].code;
}

static void print_kind(const struct left_alone *left, enum left why, FILE *out)
{
    size_t count = count_of(left, why);
    size_t printed = 0;
    fprintf(out, "left alone (%s): ", kinds[why].text);
    for (size_t i = 0; i < left->files->count && printed < MAX_NAMES; i++) {
        if (left->why[i] == why) {
            fputs(printed++ != 0 ? ", " : "", out);
            text_out(out, path_name(left->files->items[i].path), false);
        }
    }
    if (count > printed) {
        fprintf(out, " and %zu more", count - printed);
    }
}

/* As a message, thus made as a text first. */
static void report_kind(const struct left_alone *left, enum left why)
{
    char *text = NULL;
    size_t size;
    FILE *line = need(open_memstream(&text, &size));
    print_kind(left, why, line);
    need(fclose(line) == 0 ? text : NULL);
    report_message("%s", text);
    free(text);
}

void left_alone_print(const struct left_alone *left, FILE *out)
{
    for (enum left why = LEFT_NOT + 1; why < LEFT_COUNT; why++) {
        if (count_of(left, why) != 0 && out) {
            print_kind(left, why, out);
            fputc('\n', out);
        } else if (count_of(left, why) != 0 && why == LEFT_FRAMEWORK) {
            report_kind(left, why);
        }
    }
}
