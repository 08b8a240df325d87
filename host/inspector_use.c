/* Looks into the assemblies of a folder. See inspector_use.h. */
#include "host/inspector_use.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/file_view.h"
#include "host/folder.h"
#include "host/originals.h"
#include "host/path.h"

static enum inspector_use use_of_unreadable(int error)
{
    switch (error) {
    case ENOENT: /* removed by now, or a link that leads nowhere */
    case EISDIR:
    case ENOTSUP: return INSPECTOR_UNUSED;
    case EACCES: return INSPECTOR_PERHAPS_USED;
    default: return INSPECTOR_USE_UNKNOWN;
    }
}

static enum inspector_use use_by(const char *path, const char *assembly)
{
    struct file_view view;
    struct ilp_image *image;
    struct ilp_digest origin;
    bool used = false;
    if (!file_view_open(&view, path)) {
        return use_of_unreadable(errno);
    }
    if (ilp_image_open(&image, view.bytes, ILP_LAYOUT_FILE, NULL, NULL, NULL) == ILP_OK) {
        used = ilp_image_origin(image, &origin) && image_refers_to(image, assembly);
        ilp_image_close(image);
    }
    file_view_close(&view);
    return used ? INSPECTOR_USED : INSPECTOR_UNUSED;
}

/* The answer so far, and what it is about. */
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

static void tell_finding(const struct finding *finding, const char *assembly)
{
    const char *path = finding->path ? finding->path : "";
    if (finding->use == INSPECTOR_PERHAPS_USED) {
        tell("%s: cannot read: %s. %s.dll stays, since this may call it", path,
             strerror(finding->error), assembly);
    } else if (finding->use == INSPECTOR_USE_UNKNOWN) {
        tell("%s: cannot read: %s. Nothing is changed, since this may call %s.dll", path,
             strerror(finding->error), assembly);
    }
}

/* *recorded: whether there is a record of what a run has kept. */
static struct finding look_through(const char *directory, const char *except, const char *assembly,
                                   bool *recorded)
{
    struct finding finding = {.use = INSPECTOR_UNUSED};
    struct folder *entries = folder_open(directory);
    const char *name = NULL;
    *recorded = false;
    while (entries && finding.use != INSPECTOR_USED && (name = folder_next(entries)) != NULL) {
        bool excepted = except && strcmp(name, path_name(except)) == 0;
        *recorded = *recorded || is_record_name(name);
        if (!excepted && is_assembly_name(name)) {
            char *path = path_join(directory, name);
            note(&finding, use_by(path, assembly), path);
            free(path);
        }
    }
    if (!entries || (!name && errno != 0)) {
        note(&finding, use_of_unreadable(errno), directory);
    }
    folder_close(entries);
    return finding;
}

enum inspector_use inspector_use_in(const char *directory, const char *except, const char *assembly)
{
    bool recorded;
    struct finding finding = look_through(directory, except, assembly, &recorded);
    tell_finding(&finding, assembly);
    free(finding.path);
    return finding.use;
}

bool inspector_may_be_ours(const char *directory, const char *assembly)
{
    bool recorded;
    struct finding finding = look_through(directory, NULL, assembly, &recorded);
    free(finding.path);
    return recorded || finding.use != INSPECTOR_UNUSED;
}
