/* Writes the partial report. See partial_report.h. Only the end of the document changes: each write
 * begins where the last method ended, and is the new method and the closing brackets, in one
 * pwrite().
 *
 *   file    head | method | method |] } ] }           `end` is before the first bracket
 *   write                          |, method ] } ] }  longer than what it replaces
 *   file    head | method | method |, method |] } ] }
 *
 * So the file never shrinks and is never truncated, and a reader sees valid JSON before and after
 * the write. */
#include "profiler/partial_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/own_file.h"
#include "profiler/file_limit.h"
#include "profiler/status.h"
#include "host/report_parts.h"
#include "host/tool.h"

struct partial_report {
    int file; /* -1: it cannot be written any more */
    char *path;
    struct partial_report_parts parts;
    struct ilpi_json_text text;    /* permanent text that is not in the file yet */
    off_t end;                     /* of the permanent part of the file; after it the document is
                                      closed */
    bool open;                     /* a module's entry is open */
    const void *module;            /* the module; NULL: unloaded */
    struct report_summary summary; /* of that entry */
};

/* Closes the list of methods, and the entry. */
static void end_module(struct ilpi_json *json, const struct report_summary *summary)
{
    ilpi_json_end(json);
    report_module_summary(json, summary);
    ilpi_json_end(json);
}

/* A copy of the writer ends the document; the original continues. */
static ilp_status end_document(const struct partial_report *partial)
{
    struct ilpi_json json = partial->text.json;
    if (partial->open) {
        end_module(&json, &partial->summary);
    }
    ilpi_json_end(&json);
    ilpi_json_array(&json, "rules", ILPI_JSON_INLINE);
    ilpi_json_end(&json);
    ilpi_json_end(&json);
    return ilpi_json_finish(&json);
}

/* The file is removed, since a write that was cut short leaves invalid JSON. */
static void give_up(struct partial_report *partial, int error)
{
    status_line("unwritten", "the report %s: %s", partial->path, strerror(error));
    unlink(partial->path);
    close(partial->file);
    partial->file = -1;
}

/* Writes new permanent text, followed by the end of the document. */
static void put(struct partial_report *partial)
{
    struct file_limit limit;
    struct ilpi_buf *text = &partial->text.buf;
    size_t stays = ilpi_json_text_bytes(&partial->text).size;
    if (end_document(partial) != ILP_OK) {
        give_up(partial, ENOMEM);
        return;
    }
    file_limit_hold(&limit, false);
    ssize_t written = pwrite(partial->file, text->data, text->size, partial->end);
    if (written != (ssize_t)text->size) {
        give_up(partial, written < 0 ? errno : ENOSPC);
    }
    file_limit_release(&limit);
    partial->end += (off_t)stays;
    text->size = 0;
}

struct partial_report *partial_report_open(const char *report,
                                           const struct partial_report_parts *parts)
{
    struct partial_report *partial = new_items(1, sizeof *partial);
    if (!partial) {
        return NULL;
    }
    partial->path = format_text("%s.part-%ld", report, (long)getpid());
    partial->parts = *parts;
    partial->file = partial->path ? own_file_make(partial->path, 0666) : -1;
    if (partial->file < 0) { /* the report itself has the reason, except for this */
        if (partial->path && errno == EEXIST) {
            status_line("message",
                        "%s: cannot write: %s. If the process is killed, no report is kept",
                        partial->path, strerror(errno));
        }
        free(partial->path);
        free(partial);
        return NULL;
    }
    status_line("partial", "%s", partial->path);
    ilpi_json_text_open(&partial->text, ILPI_JSON_SPACED);
    parts->head(parts->user, &partial->text.json);
    put(partial);
    return partial;
}

/* Written after each method: the process may be killed at any time. */
void partial_report_method(struct partial_report *partial, const void *module,
                           struct ilp_bytes method, const struct ilp_method_result *result)
{
    if (!partial || partial->file < 0) {
        return;
    }
    struct ilpi_json *json = &partial->text.json;
    if (!partial->open || partial->module != module) {
        if (partial->open) {
            end_module(json, &partial->summary);
        }
        partial->summary = (struct report_summary){0};
        partial->parts.module(module, json);
    }
    report_summary_add(&partial->summary, result);
    ilpi_json_raw(json, NULL, method);
    partial->module = module;
    partial->open = true;
    put(partial);
}

/* The entry stays open: only the next method closes it. */
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
        ilpi_json_text_close(&partial->text);
        free(partial->path);
        free(partial);
    }
}
