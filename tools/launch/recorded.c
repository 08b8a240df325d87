/* Manages the file of a spool. See recorded.h.
 *
 *   begin   FILE is made; an older spool is renamed to FILE.old-PID first
 *   end     FILE is empty   it is removed, and the old one gets its name back
 *           FILE is not     the old one is removed
 *
 * So a run that records nothing loses nothing. A temporary spool is removed at the end, unless
 * recorded_keep() gave it its name. */
#include "tools/launch/recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/path.h"
#include "host/temporary.h"
#include "host/file_view.h"
#include "trace/spool_read.h"

static bool is_spool(const char *path)
{
    struct file_view view;
    if (!file_view_open(&view, path)) {
        return false;
    }
    bool is_one = ilpi_spool_is_one(view.bytes);
    file_view_close(&view);
    return is_one;
}

/* Spools are appended to, so an existing one is renamed until it is known that there is a new one.
 * A file that is not a spool is never replaced. A command that does not wait for the end (`alone`)
 * could not give the old one its name back. */
static enum exit_code put_old_aside(struct recorded *recorded, bool alone)
{
    if (!is_spool(recorded->path)) {
        report_message("%s: cannot write: it is there already, and is not a spool", recorded->path);
        return EXIT_CANNOT_WRITE;
    }
    if (alone) {
        report_message("%s: cannot write: it is there already. Remove it, or give another name",
                       recorded->path);
        return EXIT_CANNOT_WRITE;
    }
    char *old = format_text("%s.old-%ld", recorded->path, (long)getpid());
    if (rename(recorded->path, old) != 0) {
        report_message("%s: cannot write: %s", recorded->path, strerror(errno));
        free(old);
        return EXIT_CANNOT_WRITE;
    }
    recorded->old = old;
    return EXIT_DONE;
}

/* Makes the file, for this user only if it is new. *size is 0 for other than regular files. */
static enum exit_code make(const char *path, off_t *size)
{
    struct stat info;
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || fstat(file, &info) != 0) {
        report_message("%s: cannot write: %s", path, strerror(errno));
        return EXIT_CANNOT_WRITE;
    }
    close(file);
    *size = S_ISREG(info.st_mode) ? info.st_size : 0;
    return EXIT_DONE;
}

enum exit_code recorded_begin(struct recorded *recorded, bool alone)
{
    off_t size = 0;
    recorded->path = recorded->kept ? path_full(recorded->kept) : temporary_make("ilpatch-trace-");
    if (!recorded->path) {
        return EXIT_CANNOT_WRITE;
    }
    enum exit_code code = recorded->kept ? make(recorded->path, &size) : EXIT_DONE;
    if (code == EXIT_DONE && size != 0) {
        code = put_old_aside(recorded, alone);
        code = code == EXIT_DONE ? make(recorded->path, &size) : code;
    }
    return code;
}

/* False for a file that is gone. */
bool recorded_is_empty(const struct recorded *recorded)
{
    struct stat info;
    /* devices have no size either */
    return stat(recorded->path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0;
}

void recorded_keep(struct recorded *recorded)
{
    temporary_keep(recorded->path);
    recorded->kept = recorded->path;
}

/* By whether there is a new spool, not by what was recorded. */
static void end_old(const struct recorded *recorded)
{
    if (file_exists(recorded->path)) {
        unlink(recorded->old);
    } else if (rename(recorded->old, recorded->path) != 0) {
        report_message("%s: cannot rename %s to it: %s", recorded->path, recorded->old,
                       strerror(errno));
    }
}

void recorded_end(struct recorded *recorded)
{
    if (recorded->path && !recorded->kept) {
        temporary_remove(recorded->path);
    } else if (recorded->path && recorded_is_empty(recorded)) {
        unlink(recorded->path);
    }
    if (recorded->old) {
        end_old(recorded);
    }
    free(recorded->old);
    free(recorded->path);
    *recorded = (struct recorded){.kept = NULL};
}
