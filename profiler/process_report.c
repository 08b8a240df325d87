/* Collects and writes the report: a part of JSON for each module, which is complete when the module
 * is unloaded, and the document around them at the end. See process_report.h.
 *
 *   a method is decided  -> module.report.methods, and the partial report's file
 *   a method failed      -> module.report.failed
 *   the module goes      -> report.modules: its entry, with both lists
 *   the process ends     -> head | report.modules | rules | switchedOff -> FILE.tmpPID -> FILE
 *
 * Text is kept instead of records, because the metadata that names come from goes with the
 * module. */
#include "profiler/process_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/file_io.h"
#include "host/own_file.h"
#include "host/path.h"
#include "host/process.h"
#include "host/schemas.h"
#include "host/text_out.h"
#include "profiler/profiler.h"
#include "profiler/partial_report.h"
#include "profiler/status.h"
#include "host/profiler_environment.h"

/* Indent of its lists. */
#define MODULES_INDENT 2u
#define METHODS_INDENT 6u

struct rule_counts {
    uint32_t methods;
    uint32_t inspected;
};

/* `rules` are borrowed from the request. */
struct process_report {
    char *path;    /* owned */
    char *runtime; /* its version; owned */
    struct ilp_rules *rules;
    struct rule_counts *by_rule;
    struct ilp_arena *arena;
    struct ilpi_json_text modules;      /* finished ones: a part */
    struct ilpi_json_text switched_off; /* inspectors: a part, if there are any */
    bool any_off;
    bool failed;                    /* memory ran out, and the report is incomplete */
    struct partial_report *partial; /* NULL: none */
};

/* The document, up to the list of modules. "complete" is only written if it is not. */
static void begin_document(const struct process_report *report, struct ilpi_json *json,
                           bool complete)
{
    char *program = process_own_program();
    schema_object(json, SCHEMA_REPORT, ILPI_JSON_LINES);
    ilpi_json_string(json, "ilpatch", ilp_version());
    ilpi_json_object(json, "process", ILPI_JSON_INLINE);
    ilpi_json_signed(json, "id", getpid());
    ilpi_json_string(json, "program", program ? program : "");
    ilpi_json_string(json, "runtime", report->runtime);
    if (!complete) {
        ilpi_json_bool(json, "complete", false);
    }
    ilpi_json_end(json);
    ilpi_json_array(json, "modules", ILPI_JSON_LINES);
    free(program);
}

/* A module's entry, up to the list of methods. */
static void begin_module(const void *which, struct ilpi_json *json)
{
    const struct module *module = which;
    uint32_t name = ilp_cell(module->image, ILP_Module, 1, ILP_Module_Name);
    ilpi_json_object(json, NULL, ILPI_JSON_LINES);
    ilpi_json_string(json, "file", module->path);
    ilpi_json_string(json, "module", ilp_string(module->image, name));
    ilpi_json_array(json, "methods", ILPI_JSON_LINES_ALWAYS);
}

static void begin_partial(void *user, struct ilpi_json *json)
{
    begin_document(user, json, false);
}

/* Elements of a module's list, kept until its entry is written: *part is made if needed. */
static bool method_part(struct process_report *report, struct ilpi_json_text **part)
{
    if (!*part && (*part = new_items(1, sizeof **part)) != NULL) {
        ilpi_json_text_open(*part, ILPI_JSON_SPACED);
        ilpi_json_begin_part(&(*part)->json, (*part)->json.sink, ILPI_JSON_SPACED, METHODS_INDENT);
    }
    report->failed = report->failed || !*part;
    return *part != NULL;
}

static void add_part(struct process_report *report, struct ilpi_json *json,
                     struct ilpi_json_text *part)
{
    if (part) {
        ilpi_json_add_part(json, ilpi_json_text_bytes(part));
        report->failed = report->failed || part->json.status != ILP_OK;
        ilpi_json_text_close(part);
        free(part);
    }
}

struct process_report *process_report_open(const char *path, const struct request *request,
                                           const char *runtime)
{
    if (!path || path[0] == '\0') {
        return NULL;
    }
    struct process_report *report = new_items(1, sizeof *report);
    if (!report) {
        return NULL;
    }
    if (ilp_arena_open(&report->arena, NULL, NULL) != ILP_OK) {
        memory_failed();
    }
    report->path = path_of_process(path, getpid());
    report->runtime = copy_text(runtime);
    report->rules = request->rules;
    report->by_rule = new_items(request->rules ? ilp_rules_count(request->rules) + 1 : 1,
                                sizeof *report->by_rule);
    if (!report->arena || !report->path || !report->runtime || !report->by_rule) {
        process_report_close(report);
        return NULL;
    }
    ilpi_json_text_open(&report->modules, ILPI_JSON_SPACED);
    ilpi_json_begin_part(&report->modules.json, report->modules.json.sink, ILPI_JSON_SPACED,
                         MODULES_INDENT);
    const struct partial_report_parts parts = {
        .head = begin_partial, .module = begin_module, .user = report};
    report->partial = partial_report_open(report->path, &parts);
    return report;
}

/* Also ends a partial report that was not replaced by the whole one. */
void process_report_close(struct process_report *report)
{
    if (report) {
        partial_report_end(report->partial);
        ilpi_json_text_close(&report->modules);
        if (report->any_off) {
            ilpi_json_text_close(&report->switched_off);
        }
        ilp_arena_close(report->arena);
        free(report->by_rule);
        free(report->runtime);
        free(report->path);
        free(report);
    }
}

/* The same text goes to the report and to the partial one. */
void process_report_method(struct process_report *report, struct module *module, ilp_token method,
                           const struct ilp_method_result *result)
{
    struct module_report *own = &module->report;
    if (!report) {
        return;
    }
    struct ilpi_json_text text;
    if (!method_part(report, &own->methods)) {
        return;
    }
    ilpi_json_text_open(&text, ILPI_JSON_SPACED);
    bool whole = report_method(&text.json, module->image, report->arena,
                               &(struct reported_method){method, result, NULL});
    struct ilp_bytes written = ilpi_json_text_bytes(&text);
    if (!whole || text.json.status != ILP_OK) {
        report->failed = true;
        ilpi_json_text_close(&text);
        return;
    }
    ilpi_json_raw(&own->methods->json, NULL, written);
    report_summary_add(&own->summary, result);
    partial_report_method(report->partial, module, written, result);
    ilpi_json_text_close(&text);
    if (result->rule != ILP_NO_RULE) {
        report->by_rule[result->rule].methods++;
        report->by_rule[result->rule].inspected += report_is_inspected(result->reason);
    }
}

/* Such methods have no result, and are not in the list of methods. */
void process_report_failed(struct process_report *report, struct module *module, ilp_token method,
                           const struct ilp_error *error)
{
    struct module_report *own = &module->report;
    if (report && method_part(report, &own->failed)) {
        struct ilpi_json *json = &own->failed->json;
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        ilpi_json_token(json, "token", method);
        ilpi_json_string(json, "message", error->message);
        ilpi_json_end(json);
    }
}

/* An assembly without any method in the report: the reason, or the error. */
void process_report_left(struct process_report *report, const char *path, const char *reason,
                         const struct ilp_error *error)
{
    if (report) {
        struct ilpi_json *json = &report->modules.json;
        ilpi_json_object(json, NULL, ILPI_JSON_LINES);
        ilpi_json_string(json, "file", path);
        if (error) {
            report_error(json, error);
        } else {
            ilpi_json_string(json, "left", reason);
        }
        ilpi_json_end(json);
    }
}

void process_report_switched_off(struct process_report *report, const char *inspector,
                                 const char *exception, const char *message)
{
    if (!report) {
        return;
    }
    struct ilpi_json *json = &report->switched_off.json;
    if (!report->any_off) {
        ilpi_json_text_open(&report->switched_off, ILPI_JSON_SPACED);
        ilpi_json_begin_part(json, json->sink, ILPI_JSON_SPACED, MODULES_INDENT);
        report->any_off = true;
    }
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "inspector", inspector);
    ilpi_json_string(json, "exception", exception);
    ilpi_json_string(json, "message", message);
    ilpi_json_end(json);
    report->failed = report->failed || json->status != ILP_OK;
}

/* Methods whose native code was rejected. */
static void write_refused(const struct module *module, struct ilpi_json *json)
{
    bool any = false;
    for (uint32_t rid = 1; rid <= module->method_count; rid++) {
        if (module->methods[rid] && module->methods[rid]->native_refused) {
            if (!any) {
                ilpi_json_array(json, "nativeRefused", ILPI_JSON_INLINE);
            }
            ilpi_json_token(json, NULL, ILP_TOKEN(ILP_MethodDef, rid));
            any = true;
        }
    }
    if (any) {
        ilpi_json_end(json);
    }
}

/* Methods and failures were collected as parts while the module was inspected, in any order; the
 * module is written once. */
void process_report_module(struct process_report *report, struct module *module)
{
    struct module_report *own = &module->report;
    if (!own->methods && !own->failed) {
        return;
    }
    struct ilpi_json *json = &report->modules.json;
    partial_report_leave(report->partial, module);
    begin_module(module, json);
    add_part(report, json, own->methods);
    ilpi_json_end(json);
    if (own->failed) {
        ilpi_json_array(json, "failed", ILPI_JSON_LINES_ALWAYS);
        add_part(report, json, own->failed);
        ilpi_json_end(json);
    }
    write_refused(module, json);
    report_module_summary(json, &own->summary);
    ilpi_json_end(json);
    *own = (struct module_report){.methods = NULL};
}

static bool write_json(struct process_report *report, FILE *out)
{
    uint32_t rules = report->rules ? ilp_rules_count(report->rules) : 0;
    struct ilpi_json json;
    ilpi_json_begin(&json, text_out_sink(out), ILPI_JSON_SPACED);
    begin_document(report, &json, true);
    ilpi_json_add_part(&json, ilpi_json_text_bytes(&report->modules));
    ilpi_json_end(&json);
    ilpi_json_array(&json, "rules", ILPI_JSON_LINES);
    for (uint32_t i = 0; i < rules; i++) {
        report_rule(&json, report->rules, i, report->by_rule[i].methods,
                    report->by_rule[i].inspected);
    }
    ilpi_json_end(&json);
    if (report->any_off) {
        ilpi_json_array(&json, "switchedOff", ILPI_JSON_LINES);
        ilpi_json_add_part(&json, ilpi_json_text_bytes(&report->switched_off));
        ilpi_json_end(&json);
    }
    ilpi_json_end(&json);
    return ilpi_json_finish(&json) == ILP_OK;
}

/* NULL, with errno: it exists, or cannot be made. */
static FILE *make(const char *path)
{
    int file = own_file_make(path, 0666);
    FILE *out = file >= 0 ? fdopen(file, "wb") : NULL;
    if (file >= 0 && !out) {
        close(file);
        unlink(path);
        errno = ENOMEM;
    }
    return out;
}

/* Writes a temporary file beside it and renames that, with the mode of any new file. Not by
 * file_io.h's output, which installs signal handlers: those belong to the program. */
void process_report_write(struct process_report *report)
{
    if (!report) {
        return;
    }
    char *path = path_through_link(report->path);
    char *beside = path ? format_text("%s.tmp%ld", path, (long)getpid()) : NULL;
    bool whole = beside && !report->failed && ilpi_json_flush(&report->modules.json) == ILP_OK;
    FILE *json = whole && path_is_replaceable(path) ? make(beside) : NULL;
    bool done = json != NULL;
    if (json) {
        done = write_json(report, json);
        int error = errno;
        bool closed = fclose(json) == 0;
        errno = done ? errno : error;
        done = done && closed;
    }
    if (done && rename(beside, path) == 0) {
        status_line("report", "%s", report->path);
    } else {
        status_line("unwritten", "the report %s: %s", report->path,
                    strerror(whole ? errno : ENOMEM));
        if (json) {
            unlink(beside);
        }
    }
    partial_report_end(report->partial);
    report->partial = NULL;
    free(beside);
    free(path);
}
