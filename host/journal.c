/* Writes and reads the journal of a folder. See journal.h.
 *
 * A journal is complete or not there: it is written beside its name, synced, and renamed; and its
 * last line is checked. It directs renames and removals, so one that another user may have written
 * is not followed, or only as far as the folder itself (journal_reach_of()). */
#include "host/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/line_word.h"
#include "host/path.h"
#include "host/temporary.h"

#define NAME            ".ilpatch.journal"
#define FIRST_LINE_TEXT "ilpatch journal 1"
#define LAST_LINE_TEXT  "end"
#define FIRST_LINE      FIRST_LINE_TEXT "\n"
#define LAST_LINE       LAST_LINE_TEXT "\n"
#define MOST_BYTES      (1u << 24) /* of a journal: far more than any run writes */

/* What is at a place, by size and time of change: enough to see that another program has replaced
 * it. */
bool occupant_of(const char *path, struct occupant *occupant)
{
    struct stat info;
    *occupant = (struct occupant){.there = false};
    if (lstat(path, &info) != 0) {
        return errno == ENOENT;
    }
    *occupant = (struct occupant){true, (uint64_t)info.st_size, (int64_t)info.st_mtim.tv_sec,
                                  (uint32_t)info.st_mtim.tv_nsec};
    return true;
}

bool occupant_is(const struct occupant *occupant, const struct occupant *other)
{
    return occupant->there == other->there && occupant->size == other->size &&
           occupant->seconds == other->seconds && occupant->nanoseconds == other->nanoseconds;
}

char *journal_path(const char *folder)
{
    return path_join(folder, NAME);
}

/* ---- names ---- */

/* A file of the folder by its name, another one by its full path. */
static void print_name(FILE *out, const char *folder, const char *path)
{
    char *directory = path_directory(path);
    char *full = NULL;
    const char *shown = path_name(path);
    if (directory && !file_is_same(directory, folder)) {
        full = path_full(path);
        shown = full ? full : path;
    }
    line_word_print(out, shown);
    free(full);
    free(directory);
}

/* The files that a journal is allowed to change. */
enum journal_reach { REACH_NOTHING, REACH_FOLDER, REACH_ALL };

/* NULL: it is not a name, or not allowed, or there is no memory. */
static char *read_name(const char *folder, enum journal_reach reach, char *text)
{
    if (!line_word_read(text)) {
        return NULL;
    }
    if (path_is_absolute(text)) {
        return reach == REACH_ALL ? copy_text(text) : NULL;
    }
    bool name = text[0] != '\0' && !strchr(text, '/') && strcmp(text, ".") != 0 &&
                strcmp(text, "..") != 0;
    return name ? path_join(folder, text) : NULL;
}

/* ---- writing ---- */

static void print_step(FILE *out, const char *folder, const struct transaction_step *step)
{
    fputs(step->file ? "put " : "remove ", out);
    if (step->file) {
        print_name(out, folder, step->file);
    } else {
        fputc('-', out);
    }
    if (step->was.there) {
        fprintf(out, " %" PRIu64 ":%" PRId64 ".%" PRIu32 " ", step->was.size, step->was.seconds,
                step->was.nanoseconds);
    } else {
        fputs(" - ", out);
    }
    print_name(out, folder, step->path);
    fputc('\n', out);
}

/* One line for each step, in their order:
 *
 *   ilpatch journal 1
 *   put TEMPORARY WAS PATH        rename TEMPORARY to PATH
 *   remove - WAS PATH
 *   end
 *
 * WAS is SIZE:SECONDS.NANOSECONDS of what was at PATH, "-" for nothing. */
static char *journal_text(const char *folder, const struct transaction_step *steps, size_t count)
{
    struct text_file text;
    if (!text_open(&text)) {
        return NULL;
    }
    fputs(FIRST_LINE, text.out);
    for (size_t i = 0; i < count; i++) {
        print_step(text.out, folder, &steps[i]);
    }
    fputs(LAST_LINE, text.out);
    return text_close(&text);
}

/* Anyone who could write it could have any of our files replaced. */
static bool write_private(const char *path, const char *text, int *error)
{
    struct output output;
    bool ok = output_begin(&output, path, NULL);
    output.durable = true;
    if (ok && fchmod(output.fd, 0600) != 0) {
        output.error = errno;
    }
    ok = ok && output_bytes(&output, (struct ilp_bytes){(const uint8_t *)text, strlen(text)});
    if (ok) {
        ok = output_commit(&output);
    } else {
        output_abandon(&output);
    }
    *error = output.error;
    return ok;
}

/* The folder is synchronized too, so that the name lasts as long as the contents. errno has the
 * reason. */
bool journal_write(const char *folder, const struct transaction_step *steps, size_t count)
{
    int error = ENOMEM;
    char *path = journal_path(folder);
    char *text = path ? journal_text(folder, steps, count) : NULL;
    bool written = text && write_private(path, text, &error);
    free(text);
    free(path);
    if (written && !folder_sync(folder)) {
        written = false;
        error = errno;
    }
    errno = error;
    return written;
}

/* Its removal is what makes the changes final: before it they would be completed again. */
bool journal_remove(const char *folder)
{
    char *path = journal_path(folder);
    bool removed = path && unlink(path) == 0;
    free(path);
    return removed;
}

/* ---- reading ---- */

static bool read_occupant(const char *word, struct occupant *occupant)
{
    int end = 0;
    occupant->there = strcmp(word, "-") != 0;
    return !occupant->there ||
           (sscanf(word, "%" SCNu64 ":%" SCNd64 ".%" SCNu32 "%n", &occupant->size,
                   &occupant->seconds, &occupant->nanoseconds, &end) == 3 &&
            word[end] == '\0');
}

/* By the folder itself, since a path may go through links. */
static bool is_in(const char *folder, const char *path)
{
    char *directory = path_directory(path);
    bool in = directory && (strcmp(directory, folder) == 0 || file_is_same(directory, folder));
    free(directory);
    return in;
}

/* Whether a run could have written this step. A journal may come from elsewhere, as in an archive,
 * so it must not move or remove arbitrary files: only a temporary file beside a place may replace
 * it, and elsewhere only originals and their records are removed. */
static bool is_likely(const char *folder, const struct transaction_step *step)
{
    if (!step->file) {
        return is_in(folder, step->path) || ends_with(step->path, ".orig") ||
               ends_with(step->path, ".ilpatch");
    }
    char *directory = path_directory(step->path);
    bool beside = directory && is_in(directory, step->file);
    free(directory);
    return beside && temporary_is_name(path_name(step->file));
}

/* One line, which is modified; false: it is invalid, or there is no memory. */
static bool read_step(const char *folder, enum journal_reach reach, char *line,
                      struct transaction_step *step)
{
    char *word[4];
    char *rest = line;
    *step = (struct transaction_step){.fd = -1};
    for (unsigned i = 0; i < 4; i++) {
        word[i] = strsep(&rest, " ");
        if (!word[i]) {
            return false;
        }
    }
    bool puts = strcmp(word[0], "put") == 0;
    if (rest || (!puts && (strcmp(word[0], "remove") != 0 || strcmp(word[1], "-") != 0)) ||
        !read_occupant(word[2], &step->was)) {
        return false;
    }
    step->file = puts ? read_name(folder, reach, word[1]) : NULL;
    step->path = read_name(folder, reach, word[3]);
    return step->path && (step->file || !puts) && is_likely(folder, step);
}

/* The last line shows that the journal is complete; without it nothing in it is trusted. What was
 * read so far is the caller's also after a failure. */
static bool read_steps(const char *folder, enum journal_reach reach, char *text,
                       struct transaction_step **steps, size_t *count)
{
    char *line = strsep(&text, "\n");
    if (!text || strcmp(line, FIRST_LINE_TEXT) != 0) {
        return false;
    }
    while (text && (line = strsep(&text, "\n")) != NULL && strcmp(line, LAST_LINE_TEXT) != 0) {
        struct transaction_step *more = grow_items(*steps, *count + 1, sizeof *more);
        if (!more) {
            return false;
        }
        *steps = more;
        if (!read_step(folder, reach, line, &more[(*count)++])) {
            return false;
        }
    }
    return text && text[0] == '\0';
}

/* All for our own or the superuser's journal; one by the folder's owner is limited to the folder. A
 * file that a group or others may write to may have been written by anyone. */
static enum journal_reach journal_reach_of(const char *folder, const struct stat *journal)
{
    struct stat home;
    if (!S_ISREG(journal->st_mode) || (journal->st_mode & 022) != 0) {
        return REACH_NOTHING;
    }
    if (journal->st_uid == geteuid() || journal->st_uid == 0) {
        return REACH_ALL;
    }
    bool of_owner = stat(folder, &home) == 0 && home.st_uid == journal->st_uid;
    return of_owner ? REACH_FOLDER : REACH_NOTHING;
}

/* Bounded, since the file may not be a journal at all. */
static char *read_text(int fd, size_t size)
{
    char *text = size <= MOST_BYTES ? new_items(size + 1, 1) : NULL;
    size_t done = 0;
    while (text && done < size) {
        ssize_t got = read(fd, text + done, size - done);
        if (got <= 0 && (got == 0 || errno != EINTR)) {
            free(text);
            return NULL;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return text;
}

/* EKEYREJECTED: by its owner or its contents it may not be followed; EILSEQ: it is damaged. */
static int read_journal(int fd, const char *folder, struct transaction_step **steps, size_t *count)
{
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return errno;
    }
    errno = EILSEQ;
    char *text = S_ISREG(info.st_mode) ? read_text(fd, (size_t)info.st_size) : NULL;
    int error = text ? 0 : errno;
    enum journal_reach reach = journal_reach_of(folder, &info);
    if (text && (reach == REACH_NOTHING || !read_steps(folder, reach, text, steps, count))) {
        error = reach == REACH_ALL ? EILSEQ : EKEYREJECTED;
    }
    free(text);
    return error;
}

/* A journal that is not there is an empty one. O_NOFOLLOW and O_NONBLOCK: the name might be a link
 * or a pipe that another user made. */
bool journal_read(const char *folder, struct transaction_step **steps, size_t *count)
{
    *steps = NULL;
    *count = 0;
    char *path = journal_path(folder);
    int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    int error = path ? errno : ENOMEM;
    free(path);
    if (fd < 0) {
        errno = error;
        return error == ENOENT;
    }
    error = read_journal(fd, folder, steps, count);
    close(fd);
    errno = error;
    return error == 0;
}
