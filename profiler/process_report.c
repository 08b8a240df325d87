/* The report of a process. See process_report.h. */
#include "profiler/process_report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/file_io.h"
#include "host/process.h"
#include "profiler/profiler.h"
#include "profiler/partial_report.h"
#include "profiler/status.h"
#include "host/profiler_environment.h"

struct rule_counts {
    uint32_t methods;
    uint32_t inspected;
};

struct process_report {
    char *path;    /* owned */
    char *runtime; /* its version; owned */
    struct ilp_rules *rules;
    struct rule_counts *by_rule;
    struct ilp_arena *arena;
    struct text_file modules; /* those that are done */
    bool any;
    bool failed; /* memory ran out, and something is not in it */
    struct partial_report *partial; /* NULL: none */
};

/* Text that is to be part of the report: what could not be made, or added, is missing in it. */
static char *close_part(struct process_report *report, struct text_file *part)
{
    char *text = text_close(part);
    report->failed = report->failed || !text;
    return text;
}

/* "complete" is there where it is not. */
static void write_head(const struct process_report *report, FILE *json, bool complete)
{
    char *program = process_own_program();
    fprintf(json, "{\n  \"ilpatch\": \"%s\",\n  \"process\": {\"id\": %ld", ilp_version(), (long)getpid());
    report_key(json, ", ", "program", program ? program : "");
    report_key(json, ", ", "runtime", report->runtime);
    fputs(complete ? "},\n  \"modules\": [" : ", \"complete\": false},\n  \"modules\": [", json);
    free(program);
}

/* A module's entry up to its first method. */
static void write_module(const struct module *module, FILE *json)
{
    uint32_t name = ilp_cell(module->image, ILP_Module, 1, ILP_Module_Name);
    report_key(json, "\n      ", "file", module->path);
    report_key(json, ",\n      ", "module", ilp_string(module->image, name));
    fputs(",\n      \"methods\": [", json);
}

static void begin_so_far(struct process_report *report)
{
    struct text_file file;
    if (text_open(&file)) {
        write_head(report, file.out, false);
    }
    char *head = text_close(&file);
    report->partial = partial_report_open(report->path, head);
    free(head);
}

static char *begin_of_module(const struct module *module)
{
    struct text_file begin;
    if (text_open(&begin)) {
        fputs("\n    {", begin.out);
        write_module(module, begin.out);
    }
    return text_close(&begin);
}

static void add_so_far(struct process_report *report, const struct module *module, const char *method,
                       const struct ilp_method_result *result)
{
    if (report->partial) {
        char *begin = partial_report_is_in(report->partial, module) ? NULL : begin_of_module(module);
        partial_report_method(report->partial, module, begin, method, result);
        free(begin);
    }
}

struct process_report *process_report_open(const char *path, const struct request *request, const char *runtime)
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
    report->by_rule = new_items(request->rules ? ilp_rules_count(request->rules) + 1 : 1, sizeof *report->by_rule);
    if (!report->arena || !report->path || !report->runtime || !report->by_rule || !text_open(&report->modules)) {
        process_report_close(report);
        return NULL;
    }
    begin_so_far(report);
    return report;
}

void process_report_close(struct process_report *report)
{
    if (report) {
        partial_report_end(report->partial);
        free(text_close(&report->modules));
        ilp_arena_close(report->arena);
        free(report->by_rule);
        free(report->runtime);
        free(report->path);
        free(report);
    }
}

void process_report_method(struct process_report *report, struct module *module, ilp_token method,
                           const struct ilp_method_result *result)
{
    struct module_report *own = &module->report;
    if (!report) {
        return;
    }
    struct text_file part;
    bool whole = (own->methods.out || text_open(&own->methods)) && text_open(&part);
    if (!whole) {
        report->failed = true;
        return;
    }
    whole = report_method(part.out, module->image, report->arena, method, result, NULL);
    char *text = close_part(report, &part);
    if (!whole || !text) {
        report->failed = true;
        free(text);
        return;
    }
    fprintf(own->methods.out, "%s%s", own->summary.methods != 0 ? "," : "", text);
    report_summary_add(&own->summary, result);
    add_so_far(report, module, text, result);
    free(text);
    if (result->rule != ILP_NO_RULE) {
        report->by_rule[result->rule].methods++;
        report->by_rule[result->rule].inspected += report_is_inspected(result->reason);
    }
}

void process_report_failed(struct process_report *report, struct module *module, ilp_token method,
                           const struct ilp_error *error)
{
    struct module_report *own = &module->report;
    char *before = own->failed;
    struct text_file part;
    if (!report) {
        return;
    }
    if (text_open(&part)) {
        fprintf(part.out, "%s%s\n        {\"token\": \"0x%08X\"", before ? before : "", before ? "," : "", method);
        report_key(part.out, ", ", "message", error->message);
        fputs("}", part.out);
    }
    own->failed = close_part(report, &part);
    free(before);
}

static void begin_module(struct process_report *report)
{
    fputs(report->any ? ",\n    {" : "\n    {", report->modules.out);
    report->any = true;
}

void process_report_left(struct process_report *report, const char *path, const char *reason,
                         const struct ilp_error *error)
{
    if (report) {
        begin_module(report);
        report_key(report->modules.out, "\n      ", "file", path);
        if (error) {
            report_error(report->modules.out, error);
        } else {
            report_key(report->modules.out, ",\n      ", "left", reason);
        }
        fputs("\n    }", report->modules.out);
    }
}

/* Methods whose native code was refused. */
static void write_refused(const struct module *module, FILE *json)
{
    bool any = false;
    for (uint32_t rid = 1; rid <= module->method_count; rid++) {
        if (module->methods[rid] && module->methods[rid]->native_refused) {
            fprintf(json, "%s\"0x%08X\"", any ? ", " : ",\n      \"nativeRefused\": [", ILP_TOKEN(ILP_MethodDef, rid));
            any = true;
        }
    }
    fputs(any ? "]" : "", json);
}

void process_report_module(struct process_report *report, struct module *module)
{
    struct module_report *own = &module->report;
    if (!own->methods.out && !own->failed) {
        return;
    }
    FILE *json = report->modules.out;
    partial_report_leave(report->partial, module);
    char *methods = own->methods.out ? close_part(report, &own->methods) : NULL;
    begin_module(report);
    write_module(module, json);
    fprintf(json, "%s\n      ]", methods ? methods : "");
    if (own->failed) {
        fprintf(json, ",\n      \"failed\": [%s\n      ]", own->failed);
    }
    write_refused(module, json);
    fputs(",\n      ", json);
    report_module_summary(json, own->summary.methods, own->summary.sites, own->summary.by_reason);
    fputs("\n    }", json);
    free(own->failed);
    free(methods);
    *own = (struct module_report){.failed = NULL};
}

static void write_json(struct process_report *report, FILE *json)
{
    uint32_t rules = report->rules ? ilp_rules_count(report->rules) : 0;
    write_head(report, json, true);
    fwrite(report->modules.text, 1, report->modules.size, json);
    fputs(report->any ? "\n  ],\n  \"rules\": [" : "],\n  \"rules\": [", json);
    for (uint32_t i = 0; i < rules; i++) {
        fputs(i != 0 ? "," : "", json);
        report_rule(json, report->rules, i, report->by_rule[i].methods, report->by_rule[i].inspected);
    }
    fputs(rules != 0 ? "\n  ]\n}\n" : "]\n}\n", json);
}

/* Beside its place and then into it, with the mode that any new file has. Signals are the program's own affair, so this is
 * not file_io.h's output. */
void process_report_write(struct process_report *report)
{
    if (!report) {
        return;
    }
    char *path = path_through_link(report->path);
    char *beside = path ? format_text("%s.tmp%ld", path, (long)getpid()) : NULL;
    bool whole = beside && !report->failed && fflush(report->modules.out) == 0 && ferror(report->modules.out) == 0;
    FILE *json = whole && path_is_replaceable(path) ? fopen(beside, "wbxe") : NULL;
    bool done = json != NULL;
    if (json) {
        write_json(report, json);
        done = ferror(json) == 0;
        done = fclose(json) == 0 && done;
    }
    if (done && rename(beside, path) == 0) {
        status_line("report", "%s", report->path);
    } else {
        status_line("unwritten", "%s: %s", report->path, strerror(whole ? errno : ENOMEM));
        if (json) {
            unlink(beside);
        }
    }
    partial_report_end(report->partial);
    report->partial = NULL;
    free(beside);
    free(path);
}
