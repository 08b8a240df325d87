/* Finds files in bundles by path, extracts them, and finds what a program starts. See
 * bundle_file.h. A bundle is mapped, and its files are parts of the map, unless they are packed. */
#include "host/bundle_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/file_io.h"
#include "host/found_kind.h"
#include "host/path.h"
#include "host/temporary.h"
#include "host/standard_streams.h"

bool bundle_file_open(struct bundle_file *file, const char *path, struct ilp_error *error)
{
    *file = (struct bundle_file){.bundle = NULL};
    if (!file_view_open(&file->view, path)) {
        *error = (struct ilp_error){.status = ILP_E_CALLBACK, .offset = UINT64_MAX};
        snprintf(error->message, sizeof error->message, "cannot read: %s", strerror(errno));
        return false;
    }
    if (ilp_bundle_open(&file->bundle, file->view.bytes, NULL, error) != ILP_OK) {
        if (ilp_status_class(error->status) == ILP_CLASS_MEMORY) {
            memory_failed();
        }
        bundle_file_close(file);
        return false;
    }
    return true;
}

void bundle_file_close(struct bundle_file *file)
{
    ilp_bundle_close(file->bundle);
    file_view_close(&file->view);
    file->bundle = NULL;
}

/* ---- extracting ---- */

/* Every part of the path but the last. */
static bool make_folders(const char *path)
{
    char *copy = copy_text(path);
    bool made = copy != NULL;
    for (char *slash = copy ? strchr(copy + 1, '/') : NULL; slash && made;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        made = mkdir(copy, 0777) == 0 || errno == EEXIST;
        *slash = '/';
    }
    free(copy);
    return made;
}

/* The SDK marks no files for .NET Core 3, whose host extracts all of them. */
bool bundle_has_assembly(struct ilp_bytes bundle, const struct ilp_bundle_entry *entry)
{
    struct ilp_bytes bytes = {bundle.data + entry->offset, (size_t)entry->size};
    return entry->type == ILP_BUNDLE_ASSEMBLY ||
           (entry->type == ILP_BUNDLE_UNKNOWN && entry->packed_size == 0 &&
            ilp_file_kind_of(bytes) == ILP_FILE_PE);
}

/* `entry->path` was checked when the manifest was read: it stays below the directory. A name that
 * ilpatch uses for its own files is refused, since the next run would take the file for one of
 * them. */
enum exit_code bundle_extract(const struct bundle_file *file, const struct ilp_bundle_entry *entry,
                              const char *directory)
{
    struct ilp_arena *arena = NULL;
    struct ilp_bytes contents;
    struct ilp_error error;
    int failure = 0;
    enum exit_code code = EXIT_DONE;
    char *path = path_join(directory, entry->path);
    if (!path) {
        return EXIT_CANNOT_WRITE;
    }
    /* the next run would take it for its own */
    if (temporary_is_own_name(path_name(entry->path))) {
        report_message("%s: not extracted: ilpatch has its own files under such names", path);
        free(path);
        return EXIT_BAD_INPUT;
    }
    if (ilp_arena_open(&arena, NULL, &error) != ILP_OK ||
        ilp_bundle_read(file->bundle, entry, arena, &contents, &error) != ILP_OK) {
        report_file_error(path, &error);
        code = exit_code_of(&error);
    } else if (!make_folders(path) || !file_write(path, contents, NULL, &failure)) {
        report_message("%s: cannot write: %s", path, strerror(failure != 0 ? failure : errno));
        code = EXIT_CANNOT_WRITE;
    }
    ilp_arena_close(arena);
    free(path);
    return code;
}

/* ---- programs ---- */

/* A name with or without ".exe", with ".dll" instead. The name that the SDK gives to the assembly
 * of a program. */
static char *dll_of(const char *program)
{
    if (!program) {
        return NULL;
    }
    size_t length = strlen(program) - (ends_with(program, ".exe") ? 4 : 0);
    return format_text("%.*s.dll", (int)length, program);
}

/* The assembly that a bundle starts has the name of a .runtimeconfig.json in it, else the
 * bundle's. */
static char *started_by_bundle(const char *path)
{
    static const char ending[] = ".runtimeconfig.json";
    struct bundle_file file;
    struct ilp_error error;
    char *found = NULL;
    if (!bundle_file_open(&file, path, &error)) {
        return NULL;
    }
    size_t count;
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(file.bundle, &count);
    for (size_t i = 0; i < count && !found; i++) {
        if (ends_with(entries[i].path, ending)) {
            size_t length = strlen(entries[i].path) - (sizeof ending - 1);
            found = format_text("%s/%.*s.dll", path, (int)length, entries[i].path);
        }
    }
    if (!found) {
        char *dll = dll_of(path_name(path));
        found = dll && ilp_bundle_find(file.bundle, dll) ? path_join(path, dll) : NULL;
        free(dll);
    }
    bundle_file_close(&file);
    return found;
}

/* An apphost has the path of its assembly compiled in; it is the name beside it unless the file was
 * renamed. */
char *started_by_host(const char *path)
{
    char *real = path_through_link(path);
    char *dll = dll_of(real);
    free(real);
    if (!file_exists(dll)) {
        free(dll);
        dll = NULL;
    }
    return dll;
}

static enum ilp_file_kind kind_of(const char *path)
{
    struct found_kind found;
    bool known = path && !is_standard(path) && find_kind(path, &found);
    return known ? found.kind : ILP_FILE_UNKNOWN;
}

char *started_assembly(const char *path, enum ilp_file_kind *kind)
{
    *kind = kind_of(path);
    switch (*kind) {
    case ILP_FILE_APPHOST: return started_by_host(path);
    case ILP_FILE_BUNDLE: return started_by_bundle(path);
    default: return NULL;
    }
}

/* A user who names App and has App.dll patched should know. */
static char *taken(const char *path, enum ilp_file_kind kind, char *owned_assembly)
{
    if (owned_assembly) {
        report_message("%s is %s: %s is taken", path, ilp_file_kind_text(kind), owned_assembly);
    }
    return owned_assembly ? owned_assembly : copy_text(path);
}

/* For commands that read: through apphosts and bundles. */
char *program_assembly(const char *path)
{
    enum ilp_file_kind kind;
    char *started = started_assembly(path, &kind);
    return taken(path, kind, started);
}

/* For commands that write: a bundle is changed as a whole, so only an apphost is followed. */
char *host_assembly(const char *path)
{
    enum ilp_file_kind kind = kind_of(path);
    return taken(path, kind, kind == ILP_FILE_APPHOST ? started_by_host(path) : NULL);
}
