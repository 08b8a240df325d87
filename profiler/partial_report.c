/* See partial_report.h. */
#include "profiler/partial_report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/file_limit.h"
#include "profiler/status.h"
#include "host/report_parts.h"
#include "host/tool.h"

struct partial_report {
    int file; /* -1: it could not be written any more */
    char *path;
    off_t end;          /* of what stays; behind it the document is closed */
    bool open;          /* some module's entry is, */
    const void *module; /* of this one; NULL: it has gone */
    struct report_summary summary; /* of that entry */
};

static void give_up(struct partial_report *partial, int error)
{
    status_line("unwritten", "%s: %s", partial->path, strerror(error));
    unlink(partial->path);
    close(partial->file);
    partial->file = -1;
}

/* Text at the end of what stays, and what closes the document behind it; NULL: no memory for it. */
static void put(struct partial_report *partial, const char *text, const char *tail)
{
    struct file_limit limit;
    char *both = text && tail ? format_text("%s%s", text, tail) : NULL;
    if (!both) {
        give_up(partial, ENOMEM);
        return;
    }
    size_t size = strlen(both);
    file_limit_hold(&limit, false);
    ssize_t written = partial->file >= 0 ? pwrite(partial->file, both, size, partial->end) : (ssize_t)size;
    if (written != (ssize_t)size) {
        give_up(partial, written < 0 ? errno : ENOSPC);
    }
    file_limit_release(&limit);
    partial->end += (off_t)strlen(text);
    free(both);
}

struct partial_report *partial_report_open(const char *report, const char *head)
{
    struct partial_report *partial = head ? new_items(1, sizeof *partial) : NULL;
    if (!partial) {
        return NULL;
    }
    partial->path = format_text("%s.part-%ld", report, (long)getpid());
    partial->file = !partial->path ? -1 : open(partial->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (partial->file < 0) { /* the report itself will say why */
        free(partial->path);
        free(partial);
        return NULL;
    }
    status_line("partial", "%s", partial->path);
    put(partial, head, "],\n  \"rules\": []\n}\n");
    return partial;
}

bool partial_report_is_in(const struct partial_report *partial, const void *module)
{
    return partial && partial->module == module;
}

void partial_report_method(struct partial_report *partial, const void *module, const char *begin, const char *method,
                          const struct ilp_method_result *result)
{
    if (!partial || partial->file < 0) {
        return;
    }
    char *before = NULL;
    bool same = partial->open && partial->module == module;
    if (partial->open && !same) {
        char *summary = report_summary_text(&partial->summary);
        before = summary && begin ? format_text("\n      ],\n      %s\n    },%s", summary, begin) : NULL;
        begin = before;
        free(summary);
    }
    if (!same) {
        partial->summary = (struct report_summary){0};
    }
    report_summary_add(&partial->summary, result);
    const char *lead = same ? "," : begin;
    char *text = lead ? format_text("%s%s", lead, method) : NULL;
    char *summary = report_summary_text(&partial->summary);
    char *tail = !summary ? NULL : format_text("\n      ],\n      %s\n    }\n  ],\n  \"rules\": []\n}\n", summary);
    partial->module = module;
    partial->open = true;
    put(partial, text, tail);
    free(tail);
    free(summary);
    free(text);
    free(before);
}

void partial_report_leave(struct partial_report *partial, const void *module)
{
    if (partial && partial->module == module) {
        partial->module = NULL;
    }
}

void partial_report_end(struct partial_report *partial)
{
    if (partial) {
        if (partial->file >= 0) {
            close(partial->file);
            unlink(partial->path);
        }
        free(partial->path);
        free(partial);
    }
}
