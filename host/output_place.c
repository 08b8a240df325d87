/* Protects files from being overwritten by outputs. See output_place.h. */
#include "host/output_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host/path.h"

/* A folder means a file of the same name in it. */
char *output_place_of(const char *output, const char *file)
{
    return path_is_directory(output) ? path_join(output, path_name(file)) : copy_text(output);
}

/* What a file with this extension is: replaced only by its own kind, or never. */
static const struct {
    const char *end;
    const char *kind;
    bool always; /* also if it does not exist yet */
    bool assembly;
} kinds[] = {
    {".orig", "an original that is kept", true, false},
    {".ilpatch", "the record of an original", true, false},
    {".deps.json", "a list of what a program needs", false, false},
    {".runtimeconfig.json", "what a program is started with", false, false},
    {".pdb", "symbols", false, false},
    {".mdb", "symbols", false, false},
    {".snk", "a key", false, false},
    {".dll", "an assembly", false, true},
    {".exe", "an assembly", false, true},
};

/* Some file systems treat App.dll.ORIG and App.dll.orig as equal, and a program may have a
 * Lib.DLL. */
static bool is_called(const char *path, const char *end)
{
    size_t length = strlen(path);
    size_t end_length = strlen(end);
    return length >= end_length && strcasecmp(path + length - end_length, end) == 0;
}

static const char *kind_of(const char *path, bool is_assembly)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (is_called(path, kinds[i].end) && !(is_assembly && kinds[i].assembly) &&
            (kinds[i].always || !file_is_absent(path))) {
            return kinds[i].kind;
        }
    }
    return NULL;
}

/* By the name, and by that of the file to which a link at the place refers. */
const char *output_place_kind(const char *path, bool is_assembly)
{
    char *end = path_link_end(path);
    const char *kind = kind_of(path, is_assembly);
    if (!kind && end) {
        kind = kind_of(end, is_assembly);
    }
    free(end);
    return kind;
}

const char *output_place_kept(const char *path)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].always && is_called(path, kinds[i].end) && !file_is_absent(path)) {
            return kinds[i].kind;
        }
    }
    return NULL;
}

/* A wrong name is a mistake of the command line (EXIT_USAGE), a place that cannot be written is
 * not. */
static enum exit_code check_place(const char *path, bool (*is_usable)(const char *path))
{
    const char *kind = path ? output_place_kind(path, false) : NULL;
    if (kind) {
        report_message("%s: cannot write: a file of this name is %s. Choose another name", path,
                       kind);
        return EXIT_USAGE;
    }
    if (!path || is_usable(path)) {
        return EXIT_DONE;
    }
    report_message("%s: cannot write: %s", path, strerror(errno));
    return EXIT_CANNOT_WRITE;
}

enum exit_code output_check(const char *path)
{
    return check_place(path, path_is_replaceable);
}

enum exit_code output_check_stream(const char *path)
{
    return check_place(path, path_is_writable);
}
