/* Summary and JSON report. docs/REPORT.md describes the JSON. */
#include "report.h"

#include "text_out.h"

void report_begin(struct report *report, FILE *json)
{
    struct ilp_error error;
    *report = (struct report){.json = json};
    need(ilp_arena_open(&report->arena, NULL, &error) == ILP_OK ? report->arena : NULL);
    if (json) {
        fprintf(json, "{\n  \"ilpatch\": \"%s\",\n  \"modules\": [", ilp_version());
    }
}

static void key_string(FILE *json, const char *lead, const char *key, const char *text)
{
    fprintf(json, "%s\"%s\": ", lead, key);
    json_out_string(json, text);
}

static void next_module(struct report *report, const char *file)
{
    fputs(report->any_module ? ",\n    {" : "\n    {", report->json);
    report->any_module = true;
    key_string(report->json, "\n      ", "file", file);
}

void report_module_begin(struct report *report, struct ilp_image *image, const char *file,
                         const char *output)
{
    FILE *json = report->json;
    struct ilp_arena *arena = report->arena;
    bool any_module = report->any_module;
    *report = (struct report){.json = json, .arena = arena, .image = image, .any_module = any_module};
    if (!json) {
        return;
    }
    next_module(report, file);
    if (output) {
        key_string(json, ",\n      ", "output", output);
    }
    uint32_t name = ilp_cell(image, ILP_Module, 1, ILP_Module_Name);
    key_string(json, ",\n      ", "module", ilp_string(image, name));
    fputs(",\n      \"methods\": [", json);
}

static void write_method(struct report *report, ilp_token method,
                         const struct ilp_method_result *result)
{
    FILE *json = report->json;
    const char *name = "";
    const char *signature = "";
    ilp_arena_reset(report->arena);
    if (ilp_method_name_text(report->image, method, report->arena, &name, NULL) != ILP_OK ||
        ilp_method_text(report->image, method, report->arena, &signature, NULL) != ILP_OK) {
        need(NULL);
    }
    fprintf(json, "%s\n        {\"token\": \"0x%08X\"", report->any_method ? "," : "", method);
    report->any_method = true;
    key_string(json, ", ", "name", name);
    key_string(json, ", ", "signature", signature);
    key_string(json, ", ", "answer", ilp_reason_code(result->reason));
    if (result->detail[0] != '\0') {
        key_string(json, ", ", "detail", result->detail);
    }
    if (result->rets != 0 || result->jumps != 0) {
        fprintf(json,
                ", \"sites\": {\"ret\": %u, \"inspected\": %u, \"already\": %u, \"tailCall\": %u, "
                "\"unreachable\": %u, \"jmp\": %u}",
                result->rets, result->inspected, result->already, result->tail_calls,
                result->unreachable, result->jumps);
    }
    if (result->body.size != 0) {
        fprintf(json, ", \"bytesAdded\": %lld",
                (long long)result->body.size - (long long)result->old_size);
    }
    fputc('}', json);
}

static ilp_status take_method(void *user, ilp_token method, const struct ilp_method_result *result,
                              struct ilp_error *error)
{
    struct report *report = user;
    (void)error;
    report->methods++;
    report->by_reason[result->reason]++;
    report->sites += result->inspected;
    report->tail_calls += result->tail_calls;
    report->unreachable += result->unreachable;
    report->jumps += result->jumps;
    if (report->json) {
        write_method(report, method, result);
    }
    return ILP_OK;
}

struct ilp_report report_callbacks(struct report *report)
{
    return (struct ilp_report){report, take_method};
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

/* The command itself is the callback that can fail: it could not read or write. */
static void write_error(FILE *json, const struct ilp_error *error)
{
    key_string(json, ",\n      ", "error",
               error->status == ILP_E_CALLBACK ? "IO" : ilp_status_name(error->status));
    key_string(json, ",\n      ", "message", error->message);
    if (error->offset != UINT64_MAX) {
        fprintf(json, ",\n      \"offset\": %llu", (unsigned long long)error->offset);
    }
}

void report_module_end(struct report *report, const struct ilp_write_info *written,
                       const struct ilp_error *error)
{
    FILE *json = report->json;
    if (!json) {
        return;
    }
    fprintf(json, "\n      ],\n      \"summary\": {\"methods\": %u, \"sites\": %u", report->methods,
            report->sites);
    for (unsigned i = 0; i < ILP_REASON_COUNT; i++) {
        fprintf(json, ", \"%s\": %u", ilp_reason_code((enum ilp_reason)i), report->by_reason[i]);
    }
    fputc('}', json);
    if (written) {
        fprintf(json,
                ",\n      \"written\": {\"bytes\": %llu, \"headersGrown\": %s, "
                "\"sectionExtended\": %s, \"symbolsDropped\": %s, \"certificateDropped\": %s, "
                "\"strongNameStale\": %s}",
                (unsigned long long)written->size, truth(written->headers_grown),
                truth(written->section_extended), truth(written->symbols_dropped),
                truth(written->certificate_dropped), truth(written->strong_name_stale));
    }
    if (error) {
        write_error(json, error);
    }
    fputs("\n    }", json);
}

void report_module_failed(struct report *report, const char *file, const struct ilp_error *error)
{
    FILE *json = report->json;
    if (!json) {
        return;
    }
    next_module(report, file);
    write_error(json, error);
    fputs("\n    }", json);
}

void report_end(struct report *report)
{
    if (report->json) {
        fputs("\n  ]\n}\n", report->json);
    }
    ilp_arena_close(report->arena);
}

void report_summary(const struct report *report, FILE *out)
{
    const char *lead = "; left as they are: ";
    fprintf(out, "%u of %u methods inspected", report->by_reason[ILP_REASON_INSPECTED],
            report->methods);
    for (unsigned i = 0; i < ILP_REASON_COUNT; i++) {
        if (i != ILP_REASON_INSPECTED && report->by_reason[i] != 0) {
            fprintf(out, "%s%u %s", lead, report->by_reason[i], ilp_reason_code((enum ilp_reason)i));
            lead = ", ";
        }
    }
    if (report->tail_calls != 0) {
        fprintf(out, "; %u tail-call sites kept", report->tail_calls);
    }
}
