/* Converts spools to a file of some format. See convert.h.
 *
 *   spools -> views -> ilpi_spool_open() -> struct trace -> a writer of formats.def -> OUT
 *                                              |
 *                          text, html: the calls merged to a tree (src/trace/call_tree.h)
 *                          chrome, speedscope, folded, otlp: streamed, thread by thread
 *                          lines: streamed; values: summed up per method (value_report.h)
 *
 * What is damaged is known only when everything was read, so it is reported last; what is whole has
 * been written by then, and the exit code is 1. OUT appears only when complete. */
#include "tools/export/convert.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/file_io.h"
#include "host/file_view.h"
#include "host/own_file.h"
#include "host/path.h"
#include "tools/tool.h"

bool conversion_option(struct conversion *conversion, enum option_id option, const char *value)
{
    switch (option) {
    case OPTION_FORMAT: conversion->format = value; return true;
    case OPTION_SUBTRACT_COST: conversion->subtract = true; return true;
    case OPTION_RAW_NAMES: conversion->raw_names = true; return true;
    default: return value_filter_option(&conversion->filter_options, option, value);
    }
}

/* The filter chooses values; for a tree of calls it would make the numbers wrong. */
static enum exit_code open_filter(struct conversion *conversion, const char *command)
{
    const char *given = value_filter_given(&conversion->filter_options);
    if (!given) {
        return EXIT_DONE;
    }
    if (conversion->chosen->of != FORMAT_OF_VALUES) {
        return usage_error(command,
                           "--%s selects returned values, and the format %s has calls: pass "
                           "--format lines, values, values-json or values-html",
                           given, conversion->chosen->name);
    }
    conversion->filter = need(calloc(1, sizeof *conversion->filter));
    return value_filter_open(conversion->filter, &conversion->filter_options, command);
}

/* --format, else the ending of OUT, else text. It is called before the program starts, so that a
 * wrong name costs no run. */
enum exit_code conversion_check(struct conversion *conversion, const char *command)
{
    if (conversion->format) {
        conversion->chosen = format_named(conversion->format);
    } else {
        bool values = value_filter_given(&conversion->filter_options) != NULL;
        conversion->chosen = conversion->output ? format_of_file(conversion->output)
                                                : format_named(values ? "lines" : "text");
    }
    if (conversion->chosen) {
        return open_filter(conversion, command);
    }
    return conversion->format ? usage_error(command, "no format is called '%s'", conversion->format)
                              : usage_error(command, "the format of %s is not known: pass --format",
                                            conversion->output);
}

void conversion_close(struct conversion *conversion)
{
    if (conversion->filter) {
        value_filter_close(conversion->filter);
        free(conversion->filter);
        conversion->filter = NULL;
    }
}

/* From formats.def, so a new format is in the help of each command that converts. */
void conversion_help(void)
{
    const struct format *format;
    printf("\nFormats, chosen by --format or by the ending of OUT:\n\n");
    for (size_t i = 0; (format = format_at(i)) != NULL; i++) {
        printf("  %-11s %s\n%14s%s\n", format->name, format->text, "", format->endings);
    }
}

/* ---- reading ---- */

/* `count` is the number of those to be closed: the last one may have failed. */
struct inputs {
    struct file_view *views;       /* owned */
    struct ilpi_spool_file *files; /* owned */
    size_t count;                  /* opened */
};

/* In a spool that is being written, the last chunk may be cut off: it is complete a moment later.
 * Tried again only if the file has grown meanwhile; a damaged one that does not grow is damaged. */
static enum exit_code open_input(struct inputs *inputs, const char *path)
{
    enum { MOST_TRIES = 8 };
    struct ilp_error error;
    struct file_view *view = &inputs->views[inputs->count];
    struct ilpi_spool_file *file = &inputs->files[inputs->count];
    ilp_status status = ILP_OK;
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        if (tries != 0) {
            ilpi_spool_close(file);
            file_view_close(view);
        }
        if (!file_view_open(view, path)) {
            report_message("%s: cannot read: %s", path, strerror(errno));
            return EXIT_BAD_INPUT;
        }
        status = ilpi_spool_open(file, view->bytes, NULL, &error);
        if ((status == ILP_OK && file->damaged == 0) || !file_view_has_grown(view, path)) {
            break;
        }
    }
    inputs->count++;
    if (status != ILP_OK) {
        report_file_error(path, &error);
        return exit_code_of(&error);
    }
    return EXIT_DONE;
}

/* The spool before its view: it borrows the bytes. */
static void close_inputs(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        ilpi_spool_close(&inputs->files[i]);
        file_view_close(&inputs->views[i]);
    }
    free(inputs->files);
    free(inputs->views);
}

/* Reports damaged and cut spools, which are known after everything was read. */
static enum exit_code report_damage(const struct inputs *inputs, char *const *spools)
{
    enum exit_code code = EXIT_DONE;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct ilpi_spool_file *file = &inputs->files[i];
        if (file->damaged != 0) {
            report_file_error(spools[i], &file->damage);
            report_message("%s: damaged in %" PRIu64 " place%s; all that is whole has been used",
                           spools[i], file->damaged, plural(file->damaged));
            code = EXIT_INCOMPLETE;
        }
        if (file->cut) {
            report_message(
                "%s: incomplete: a full report of its values needs more memory than the limit, "
                "1.75 "
                "times the spool and %zu MB. Record fewer methods (--rules), or select some for a "
                "report of values (--method)",
                spools[i], ILPI_REPORT_BYTES >> 20);
            code = EXIT_INCOMPLETE;
        }
    }
    return code;
}

/* Times are shown from the start of the earliest process, whichever spool it is in. */
static struct trace trace_of(const struct inputs *inputs, const struct conversion *conversion)
{
    struct trace trace = {.files = inputs->files,
                          .count = inputs->count,
                          .subtract = conversion->subtract,
                          .raw_names = conversion->raw_names,
                          .base = UINT64_MAX,
                          .filter = conversion->filter};
    struct exported_process traced = {.file = NULL};
    while (next_process(&trace, &traced)) {
        trace.base = traced.process->start < trace.base ? traced.process->start : trace.base;
    }
    return trace;
}

/* Whether the spool has values and no calls (ilpatch run --spool). */
static bool has_values_alone(const struct trace *trace)
{
    struct exported_process traced = {.file = NULL};
    bool alone = false;
    while (next_process(trace, &traced)) {
        alone = is_path(traced.process, ILPI_PATH_OF_VALUES);
        if (!alone) {
            return false;
        }
    }
    return alone;
}

/* For values, the formats html and text have other writers. One that was given by --format stays,
 * and may be wrong. */
static enum exit_code settle_format(struct conversion *conversion, const char *spool)
{
    const struct format *chosen = conversion->chosen;
    if (!conversion->format && strcmp(chosen->name, "text") == 0) {
        conversion->chosen = format_named("values");
    } else if (!conversion->format && strcmp(chosen->name, "html") == 0) {
        conversion->chosen = format_named("values-html");
    } else if (chosen->of != FORMAT_OF_VALUES) {
        report_message("%s: holds values and no calls, which the format %s shows. Pass --format "
                       "lines, values, values-json or values-html",
                       spool, chosen->name);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

/* Whether calls were counted without times, which only one format shows. */
static bool has_counts(const struct trace *trace)
{
    struct exported_process traced = {.file = NULL};
    bool counts = false;
    while (!counts && next_process(trace, &traced)) {
        counts = traced.process->untimed;
    }
    return counts;
}

/* Counts without times have no timeline, and nothing to sum up as time. */
static enum exit_code check_counts(const struct conversion *conversion, const struct trace *trace,
                                   const char *spool)
{
    if (!has_counts(trace) || strcmp(conversion->chosen->name, FORMAT_WITHOUT_TIMES) == 0) {
        return EXIT_DONE;
    }
    report_message("%s: calls were counted without times, which the format %s needs. Pass "
                   "--format " FORMAT_WITHOUT_TIMES,
                   spool, conversion->chosen->name);
    return EXIT_USAGE;
}

/* ---- writing ---- */

/* ILP_E_CALLBACK is a failed write, for which the stream has the reason. */
static enum exit_code write_to(const struct conversion *conversion, const struct trace *trace,
                               FILE *out, const char *path)
{
    struct ilp_error error;
    __fsetlocking(out, FSETLOCKING_BYCALLER); /* no other thread writes to it */
    if (conversion->chosen->write(trace, out, &error) != ILP_OK && error.status != ILP_E_CALLBACK) {
        report_file_error(path, &error);
        return exit_code_of(&error);
    }
    int write_error = stream_error(out);
    if (write_error != 0) {
        report_message("%s: cannot write: %s", path, strerror(write_error));
        return EXIT_CANNOT_WRITE;
    }
    return EXIT_DONE;
}

/* Readable by this user alone unless it replaces a file with other rights: values may be
 * confidential. */
static enum exit_code write_file(const struct conversion *conversion, const struct trace *trace)
{
    struct output output;
    if (!own_file_begin_output(&output, conversion->output)) {
        report_message("%s: cannot write: %s", conversion->output, strerror(output.error));
        output_abandon(&output);
        return EXIT_CANNOT_WRITE;
    }
    int copy = dup(output.fd);
    FILE *out = need(copy >= 0 ? fdopen(copy, "w") : NULL);
    enum exit_code code = write_to(conversion, trace, out, conversion->output);
    fclose(out);
    if (code != EXIT_DONE) {
        output_abandon(&output);
    } else if (!output_commit(&output)) {
        report_message("%s: cannot write: %s", conversion->output, strerror(output.error));
        code = EXIT_CANNOT_WRITE;
    }
    return code;
}

/* The settled format may differ from the chosen one, so it is a copy: the caller's stays.
 *
 *   OUT is no spool > all spools are opened > the format suits what they hold > written > damage */
enum exit_code convert(const struct conversion *conversion, char *const *spools, size_t count)
{
    struct inputs inputs = {need(calloc(count, sizeof *inputs.views)),
                            need(calloc(count, sizeof *inputs.files)), 0};
    enum exit_code code = EXIT_DONE;
    for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
        if (conversion->output && file_is_same(conversion->output, spools[i])) {
            report_message("%s: cannot write: it is one of the spools", conversion->output);
            code = EXIT_CANNOT_WRITE;
        }
    }
    for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
        code = open_input(&inputs, spools[i]);
    }
    if (code == EXIT_DONE) {
        struct trace trace = trace_of(&inputs, conversion);
        struct conversion settled = *conversion;
        FILE *out = conversion->out;
        const char *stream = out == stdout ? "standard output" : "standard error";
        code = has_values_alone(&trace) ? settle_format(&settled, spools[0]) : EXIT_DONE;
        code = code == EXIT_DONE ? check_counts(&settled, &trace, spools[0]) : code;
        if (code == EXIT_DONE) {
            code = conversion->output ? write_file(&settled, &trace)
                                      : write_to(&settled, &trace, out, stream);
        }
        enum exit_code damage = report_damage(&inputs, spools);
        code = code != EXIT_DONE ? code : damage;
    }
    close_inputs(&inputs);
    return code;
}
