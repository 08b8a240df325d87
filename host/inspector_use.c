/* Searches the assemblies of a folder for users of an inspector. See inspector_use.h. Only patched
 * assemblies count: one that refers to the inspector without being patched is the program's own
 * user of it. */
#include "host/inspector_use.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/file_image.h"
#include "host/file_tree.h"
#include "host/file_view.h"
#include "host/folder.h"
#include "host/originals.h"
#include "host/path.h"
#include "host/program_folder.h"

/* Whether an unreadable file may be a user: the strongest result of all files counts (enum
 * inspector_use is in that order). */
static enum inspector_use use_of_unreadable(int error)
{
    switch (error) {
    case ENOENT: /* removed meanwhile, or a dangling link */
    case EISDIR:
    case ENOTSUP: return INSPECTOR_UNUSED;
    case EACCES: return INSPECTOR_PERHAPS_USED;
    default: return INSPECTOR_USE_UNKNOWN;
    }
}

/* A patched file has an origin mark; the reference alone does not show that. */
static enum inspector_use use_by(const char *path, const char *assembly)
{
    struct file_view view;
    struct ilp_digest origin;
    bool used = false;
    if (!file_view_open(&view, path)) {
        return use_of_unreadable(errno);
    }
    struct ilp_image *image = file_image_open(view.bytes, NULL);
    if (image) {
        used = ilp_image_origin(image, &origin) && image_refers_to(image, assembly);
        ilp_image_close(image);
    }
    file_view_close(&view);
    return used ? INSPECTOR_USED : INSPECTOR_UNUSED;
}

/* The result until now, and the file it is based on. */
struct finding {
    enum inspector_use use;
    int error;
    char *path; /* owned; NULL: no memory */
};

static void note(struct finding *finding, enum inspector_use use, const char *path)
{
    int error = errno;
    if (use > finding->use) {
        free(finding->path);
        *finding = (struct finding){use, error, copy_text(path)};
    }
}

static void report_unreadable(const struct finding *finding, const char *assembly)
{
    const char *path = finding->path ? finding->path : "";
    if (finding->use == INSPECTOR_PERHAPS_USED) {
        report_message("%s: cannot read: %s. %s.dll stays, since this may call it", path,
                       strerror(finding->error), assembly);
    } else if (finding->use == INSPECTOR_USE_UNKNOWN) {
        report_message("%s: cannot read: %s. Nothing is changed, since this may call %s.dll", path,
                       strerror(finding->error), assembly);
    }
}

/* The state of a search. */
struct look {
    const char *except;   /* NULL: none is excluded */
    const char *assembly; /* the inspector */
    bool recorded;        /* there is a record of a kept original */
    struct finding finding;
};

static void look_at(struct look *look, const char *path)
{
    const char *name = path_name(path);
    bool excepted = look->except && strcmp(name, path_name(look->except)) == 0 &&
                    file_is_same_place(path, look->except);
    look->recorded = look->recorded || is_record_name(name);
    if (!excepted && is_assembly_name(name)) {
        note(&look->finding, use_by(path, look->assembly), path);
    }
}

/* Variants for other machines are among those that the host may choose. */
static void look_at_variants(struct look *look, const char *directory)
{
    struct file_tree tree = {.folders = {NULL, 0}};
    char *variants = path_join(directory, VARIANTS);
    if (path_is_directory(variants) && !file_tree_read(&tree, variants)) {
        note(&look->finding, INSPECTOR_PERHAPS_USED, variants);
    }
    for (size_t i = 0; i < tree.files.count && look->finding.use != INSPECTOR_USED; i++) {
        look_at(look, tree.files.items[i]);
    }
    file_tree_free(&tree);
    free(variants);
}

/* A file with a record was patched, and not restored yet. */
static void look_at_recorded(struct look *look, const char *directory)
{
    struct folder *entries = folder_open(directory);
    const char *name;
    while (entries && look->finding.use != INSPECTOR_USED &&
           (name = folder_next(entries)) != NULL) {
        char *path = is_record_name(name) ? recorded_file(directory, name) : NULL;
        if (path) {
            look->recorded = true;
            look_at(look, path);
        }
        free(path);
    }
    folder_close(entries);
}

/* Likely users first, so that a folder is not read again for each restored file. */
static void look_through(struct look *look, const char *directory)
{
    look_at_recorded(look, directory);
    struct folder *entries = folder_open(directory);
    const char *name = NULL;
    while (entries && look->finding.use != INSPECTOR_USED &&
           (name = folder_next(entries)) != NULL) {
        char *path = path_join(directory, name);
        if (path) {
            look_at(look, path);
        }
        free(path);
    }
    if (!entries || (!name && errno != 0)) {
        note(&look->finding, use_of_unreadable(errno), directory);
    }
    folder_close(entries);
    look_at_variants(look, directory);
}

enum inspector_use inspector_use_in(const char *directory, const char *except, const char *assembly)
{
    struct look look = {.except = except, .assembly = assembly};
    look_through(&look, directory);
    report_unreadable(&look.finding, assembly);
    free(look.finding.path);
    return look.finding.use;
}

/* Without a record and without a user, a file of the inspector's name was there before ilpatch. */
bool inspector_may_be_ours(const char *directory, const char *assembly)
{
    struct look look = {.assembly = assembly};
    look_through(&look, directory);
    free(look.finding.path);
    return look.recorded || look.finding.use != INSPECTOR_UNUSED;
}
