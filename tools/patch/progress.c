/* Prints progress. See progress.h.
 *
 * On a terminal a line is written over the one before ("\r", erase to the end of the line), 20
 * times per second at most; as lines, once per second, so that a log stays readable. It goes to
 * standard error, and the line is erased at the end. */
#include "tools/patch/progress.h"

#include <inttypes.h>
#include <stdio.h>

#include "host/deadline.h"
#include "host/text_out.h"

#define SECOND UINT64_C(1000000000)

/* Until then, rate and remaining time are unknown. */
#define FIRST_RATE (SECOND / 2)

/* In ns, by a clock that is never set. */
static uint64_t now(void)
{
    return deadline_after(0).at;
}

void progress_begin(struct progress *progress, enum progress_form form, size_t files,
                    uint64_t bytes)
{
    *progress = (struct progress){.form = form, .files = files, .bytes = bytes, .begun = now()};
}

/* "[12/172] 35 files/s, 4 s left": the rest is estimated by bytes, since files differ in size. */
static void progress_text(const struct progress *progress, uint64_t taken, char *text, size_t size)
{
    int written = snprintf(text, size, "[%zu/%zu]", progress->files_done, progress->files);
    if (taken < FIRST_RATE || progress->files_done == 0 || progress->bytes_done == 0 ||
        progress->bytes_done > progress->bytes) {
        return;
    }
    double seconds = (double)taken / (double)SECOND;
    double rest = (double)(progress->bytes - progress->bytes_done) / (double)progress->bytes_done;
    double rate = (double)progress->files_done / seconds;
    snprintf(text + written, size - (size_t)written, " %.*f files/s, %.0f s left",
             rate < 10 ? 1 : 0, rate, rest * seconds);
}

static void print(struct progress *progress, const char *file)
{
    char text[120];
    progress_text(progress, now() - progress->begun, text, sizeof text);
    bool over = progress->form == PROGRESS_TERMINAL;
    fprintf(stderr, "%s%s ", over ? "\r\033[K" : "", text);
    text_out(stderr, file, false);
    fputs(over ? "\r" : "\n", stderr);
}

/* The counts are of files that were begun before this one. */
void progress_next(struct progress *progress, const char *file, uint64_t bytes)
{
    uint64_t moment = now();
    uint64_t each = progress->form == PROGRESS_TERMINAL ? SECOND / 20 : SECOND;
    if (progress->form != PROGRESS_NONE &&
        (progress->files_done == 0 || moment - progress->printed >= each)) {
        print(progress, file);
        progress->printed = moment;
    }
    progress->files_done++;
    progress->bytes_done += bytes;
}

/* On a terminal no trace of it stays; as lines, the last one shows that all was done. */
void progress_end(struct progress *progress)
{
    if (progress->form == PROGRESS_TERMINAL && progress->printed != 0) {
        fputs("\r\033[K", stderr);
    } else if (progress->form == PROGRESS_LINES) {
        print(progress, "done");
    }
}
