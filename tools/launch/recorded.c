/* Manages the file of a spool. See recorded.h.
 *
 *   begin   FILE is made, and locked; an older spool is renamed to FILE.old-PID first
 *   end     FILE is empty   it is removed, and the old one gets its name back
 *           FILE is not     the old one is removed
 *
 * So a run that records nothing loses nothing. The lock is the command's and not the program's: it
 * protects the names FILE and FILE.old-PID from another command. A temporary spool is removed at
 * the end, unless recorded_keep() gave it its name. */
#include "tools/launch/recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/file_lock.h"
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

/* Opens the file, for this user only if it is new, and locks it; -1: not possible, which was
 * reported. It stays open to the end: a pipe whose last writer closes it has ended for its reader.
 * Another command may have renamed the file before it was locked, so its name is looked at again.
 * *is_written: it is a regular file that has bytes. */
static int take(const char *path, bool *is_written)
{
    struct stat info;
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    bool is_known = file >= 0 && fstat(file, &info) == 0;
    if (!is_known) {
        report_message("%s: cannot write: %s", path, strerror(errno));
    } else if (S_ISREG(info.st_mode) &&
               (file_lock_try(file) == FILE_LOCKED_BY_ANOTHER || !file_is_at(file, path))) {
        report_message("%s: cannot write: another ilpatch command records to it. Wait until it has "
                       "ended, or give another name",
                       path);
    } else {
        *is_written = S_ISREG(info.st_mode) && info.st_size != 0;
        return file;
    }
    if (file >= 0) {
        close(file);
    }
    return -1;
}

/* Spools are appended to, so an existing one is renamed until it is known that there is a new one.
 * A file that is not a spool is never replaced. A command that does not wait for the end (`alone`)
 * could not give the old one its name back. */
static bool put_old_aside(struct recorded *recorded, bool was_spool, bool alone)
{
    if (!was_spool) {
        report_message("%s: cannot write: it is there already, and is not a spool", recorded->path);
        return false;
    }
    if (alone) {
        report_message("%s: cannot write: it is there already. Remove it, or give another name",
                       recorded->path);
        return false;
    }
    char *old = format_text("%s.old-%ld", recorded->path, (long)getpid());
    if (rename(recorded->path, old) != 0) {
        report_message("%s: cannot write: %s", recorded->path, strerror(errno));
        free(old);
        return false;
    }
    recorded->old = old;
    return true;
}

/* What the file is, is read before it is locked: to close any descriptor of it would release the
 * lock (file_lock.h). The old one stays locked until the new one is. */
static int begin_kept(struct recorded *recorded, bool alone)
{
    bool was_spool = path_is_file_or_free(recorded->path) && is_spool(recorded->path);
    bool is_written = false;
    int file = take(recorded->path, &is_written);
    if (file >= 0 && is_written) {
        int old = file;
        file = put_old_aside(recorded, was_spool, alone) ? take(recorded->path, &is_written) : -1;
        close(old);
    }
    return file;
}

enum exit_code recorded_begin(struct recorded *recorded, bool alone)
{
    recorded->file = -1;
    recorded->path = recorded->kept ? path_full(recorded->kept) : temporary_make("ilpatch-trace-");
    if (recorded->path && recorded->kept) {
        recorded->file = begin_kept(recorded, alone);
    }
    bool is_made = recorded->path && (!recorded->kept || recorded->file >= 0);
    return is_made ? EXIT_DONE : EXIT_CANNOT_WRITE;
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

/* By whether there is a new spool, not by what was recorded. The lock may be lost by now, since
 * reading the spool for a report has released it (file_lock.h): another command may have renamed
 * this one's file and made its own, which is left alone. */
static void end_kept(const struct recorded *recorded)
{
    struct stat info;
    bool is_made = fstat(recorded->file, &info) == 0;
    bool is_written = is_made && !(S_ISREG(info.st_mode) && info.st_size == 0);
    bool has_name = is_made && file_is_at(recorded->file, recorded->path);
    if (!recorded->old) {
        if (has_name && !is_written) {
            unlink(recorded->path);
        }
    } else if (is_written && file_exists(recorded->path)) {
        unlink(recorded->old);
    } else if (!has_name && file_exists(recorded->path)) {
        report_message("%s: another ilpatch command records to it now; the earlier spool is %s",
                       recorded->path, recorded->old);
    } else if (rename(recorded->old, recorded->path) != 0) {
        report_message("%s: cannot rename %s to it: %s", recorded->path, recorded->old,
                       strerror(errno));
    }
}

void recorded_end(struct recorded *recorded)
{
    if (recorded->path && recorded->kept) {
        end_kept(recorded);
    } else if (recorded->path) {
        temporary_remove(recorded->path);
    }
    if (recorded->path && recorded->file >= 0) {
        close(recorded->file);
    }
    free(recorded->old);
    free(recorded->path);
    *recorded = (struct recorded){.kept = NULL};
}
