/* See report_so_far.h. */
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

struct report_so_far {
    int file; /* -1: it could not be written any more */
    char *path;
    off_t end;          /* of what stays; behind it the document is closed */
    bool open;          /* some module's entry is, */
    const void *module; /* of this one; NULL: it has gone */
    struct report_summary summary; /* of that entry */
};

/* Text at the end of what stays, and what closes the document behind it. */
static void put(struct report_so_far *so_far, const char *text, const char *tail)
{
    struct file_limit limit;
    char *both = format_text("%s%s", text, tail);
    size_t size = strlen(both);
    file_limit_hold(&limit, false);
    ssize_t written = so_far->file >= 0 ? pwrite(so_far->file, both, size, so_far->end) : (ssize_t)size;
    if (written != (ssize_t)size) {
        status_line("unwritten", "%s: %s", so_far->path, strerror(written < 0 ? errno : ENOSPC));
        unlink(so_far->path);
        close(so_far->file);
        so_far->file = -1;
    }
    file_limit_release(&limit);
    so_far->end += (off_t)strlen(text);
    free(both);
}

struct report_so_far *report_so_far_open(const char *report, const char *head)
{
    struct report_so_far *so_far = need(calloc(1, sizeof *so_far));
    so_far->path = format_text("%s.part-%ld", report, (long)getpid());
    so_far->file = open(so_far->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (so_far->file < 0) { /* the report itself will say why */
        free(so_far->path);
        free(so_far);
        return NULL;
    }
    status_line("partial", "%s", so_far->path);
    put(so_far, head, "],\n  \"rules\": []\n}\n");
    return so_far;
}

bool report_so_far_is_in(const struct report_so_far *so_far, const void *module)
{
    return so_far && so_far->module == module;
}

void report_so_far_method(struct report_so_far *so_far, const void *module, const char *begin, const char *method,
                          const struct ilp_method_result *result)
{
    if (!so_far || so_far->file < 0) {
        return;
    }
    char *before = NULL;
    bool same = so_far->open && so_far->module == module;
    if (so_far->open && !same) {
        char *summary = report_summary_text(&so_far->summary);
        before = format_text("\n      ],\n      %s\n    },%s", summary, begin);
        free(summary);
    }
    if (!same) {
        so_far->summary = (struct report_summary){0};
    }
    report_summary_add(&so_far->summary, result);
    char *text = format_text("%s%s", before ? before : same ? "," : begin, method);
    char *summary = report_summary_text(&so_far->summary);
    char *tail = format_text("\n      ],\n      %s\n    }\n  ],\n  \"rules\": []\n}\n", summary);
    so_far->module = module;
    so_far->open = true;
    put(so_far, text, tail);
    free(tail);
    free(summary);
    free(text);
    free(before);
}

void report_so_far_leave(struct report_so_far *so_far, const void *module)
{
    if (so_far && so_far->module == module) {
        so_far->module = NULL;
    }
}

void report_so_far_end(struct report_so_far *so_far)
{
    if (so_far) {
        if (so_far->file >= 0) {
            close(so_far->file);
            unlink(so_far->path);
        }
        free(so_far->path);
        free(so_far);
    }
}
