/* Summary and JSON report. docs/REPORT.md describes the JSON.
 *
 *   report_begin()           {"schema", "ilpatch", "modules": [
 *     report_module_begin()    {"file", "output", "module", "methods": [
 *       callbacks.method()         {...} for each method, also counted
 *     report_module_end()        ], summary, "written", "verified", "findings", "error"}
 *   report_end()             ], "rules": [...], "callers": [...]}
 *
 * JSON is written as it comes, so memory does not grow with the report. What belongs further down
 * but is known earlier (findings, callers) is kept as a part, text that is already JSON, and added
 * in its place. With several threads each file has a report of its own, a part of the list of
 * modules. */
#include "tools/patch/report.h"

#include <stdlib.h>
#include <string.h>

#include "tools/cmd/finding_text.h"
#include "host/schemas.h"
#include "host/text_out.h"
#include "tools/tool.h"

/* Indents of the lists of the document, and of a module. */
#define LISTS_INDENT   2u
#define MEMBERS_INDENT 6u

void report_begin(struct report *report, FILE *out, const struct request *request)
{
    struct ilp_error error;
    *report = (struct report){.json = out ? &report->writer : NULL, .request = request};
    need(ilp_arena_open(&report->arena, NULL, &error) == ILP_OK ? report->arena : NULL);
    report_rules_open(&report->rules, request);
    report->used = need(calloc(request->inspector_file_count + 1, sizeof *report->used));
    if (out) {
        ilpi_json_begin(report->json, text_out_sink(out), ILPI_JSON_SPACED);
        schema_object(report->json, SCHEMA_REPORT, ILPI_JSON_LINES);
        ilpi_json_string(report->json, "ilpatch", ilp_version());
        ilpi_json_array(report->json, "modules", ILPI_JSON_LINES_ALWAYS);
    }
}

/* Begins the object of a file, which every file has, whatever became of it.
 *
 *   "methods", "summary", ...    report_module_begin() to report_module_end()
 *   "error", "message"           report_module_failed()
 *   "left"                       report_module_left() */
static void next_module(struct report *report, const char *file)
{
    ilpi_json_object(report->json, NULL, ILPI_JSON_LINES);
    ilpi_json_string(report->json, "file", file);
}

/* For an assembly without code: whether it is a reference assembly, and where a facade's types
 * are. */
static void write_facade(const struct facade *facade, struct ilpi_json *json)
{
    if (facade->reference) {
        ilpi_json_bool(json, "referenceAssembly", true);
    }
    if (facade->target_count != 0) {
        ilpi_json_object(json, "facade", ILPI_JSON_INLINE);
        for (size_t i = 0; i < facade->target_count; i++) {
            ilpi_json_unsigned(json, facade->targets[i].name, facade->targets[i].types);
        }
        ilpi_json_end(json);
    }
}

/* Everything about the module before is dropped by building a new structure of what stays: a member
 * that is added later is reset without being named here. */
void report_module_begin(struct report *report, struct ilp_image *image, const char *file,
                         const char *output)
{
    struct ilpi_json *json = report->json;
    struct report next = {.request = report->request,
                          .json = json,
                          .writer = report->writer,
                          .part = report->part,
                          .rules = report->rules,
                          .used = report->used,
                          .arena = report->arena,
                          .image = image,
                          .modules = report->modules,
                          .all = report->all,
                          .held = report->held,
                          .callers = report->callers};
    facade_close(&report->facade);
    free(report->small_because);
    *report = next;
    facade_open(&report->facade, image);
    memset(report->used, 0, report->request->inspector_file_count * sizeof *report->used);
    if (!json) {
        return;
    }
    next_module(report, file);
    if (output) {
        ilpi_json_string(json, "output", output);
    }
    uint32_t name = ilp_cell(image, ILP_Module, 1, ILP_Module_Name);
    ilpi_json_string(json, "module", ilp_string(image, name));
    write_facade(&report->facade, json);
    ilpi_json_array(json, "methods", ILPI_JSON_LINES_ALWAYS);
}

/* A rule counts for every method that it decided about; its inspector is used only if the method
 * calls it. */
static void count_rule(struct report *report, const struct ilp_method_result *result)
{
    struct ilp_rule rule = {.action = {0}};
    if (result->rule != ILP_NO_RULE) {
        report->rules.by_rule[result->rule][result->reason]++;
        ilp_rules_get(report->request->rules, result->rule, &rule);
    }
    if (result->inspected != 0 || result->exceptions) {
        report->used[rule.action.inspector] = true;
    }
}

/* Counts always, and writes only if there is a report. */
static ilp_status take_method(void *user, ilp_token method, const struct ilp_method_result *result,
                              struct ilp_error *error)
{
    struct report *report = user;
    struct report_counts *counts = &report->module;
    (void)error;
    counts->methods++;
    counts->by_reason[result->reason]++;
    counts->sites += result->inspected;
    counts->tail_calls += result->tail_calls;
    counts->stripped += result->stripped;
    counts->nameless += result->nameless;
    counts->ids += result->id != 0;
    counts->unreachable += result->unreachable;
    counts->jumps += result->jumps;
    count_rule(report, result);
    if (report->json) {
        const struct reported_method reported = {method, result, report->affected};
        report_method(report->json, report->image, report->arena, &reported);
    }
    return ILP_OK;
}

/* For the library: the report is the receiver of methods, with or without JSON. */
struct ilp_report report_callbacks(struct report *report)
{
    return (struct ilp_report){report, take_method};
}

/* Native functions cannot be embedded, so only inspectors that are assemblies count. */
bool report_embedded(const struct report *report)
{
    bool any = false;
    for (size_t i = 0; i < report->request->inspector_file_count; i++) {
        any = any || (report->used[i] && !report->request->inspector_files[i].native);
    }
    return report->request->embed && any;
}

/* Flags of a written file, by their names in the report. */
static const struct {
    const char *key;
    size_t at;
} written_facts[] = {
    {"headersGrown", offsetof(struct ilp_write_info, headers_grown)},
    {"sectionExtended", offsetof(struct ilp_write_info, section_extended)},
    {"compacted", offsetof(struct ilp_write_info, compacted)},
    {"certificateDropped", offsetof(struct ilp_write_info, certificate_dropped)},
    {"mvidKept", offsetof(struct ilp_write_info, mvid_kept)},
    {"nativeCodeDropped", offsetof(struct ilp_write_info, native_code_dropped)},
};

/* As the JSON has them; patch_summary.c has sentences. */
static const char *const strong_name_words[] = {
    [ILP_STRONG_NAME_NONE] = "none",       [ILP_STRONG_NAME_STALE] = "stale",
    [ILP_STRONG_NAME_CLEARED] = "cleared", [ILP_STRONG_NAME_PUBLIC] = "public",
    [ILP_STRONG_NAME_SIGNED] = "signed",
};

/* ---- modules that are committed together ---- */

/* While it is not decided whether a bundle is put in place, all JSON goes to `text`, and each
 * module's "written" is noted as a range of it, so that it can be left out in the end. `modules`
 * and `all` are the counts before, to go back to. */
struct report_held {
    struct ilp_sink sink; /* the final destination */
    struct ilpi_alloc alloc;
    struct ilpi_buf text;
    struct {
        size_t start;
        size_t end;
    } * written; /* the parts of the text about written files */
    size_t count;
    uint32_t modules;
    struct report_counts all;
};

/* From here until report_release() nothing reaches the file. */
void report_hold(struct report *report)
{
    struct report_held *held = report->held = need(calloc(1, sizeof *held));
    held->modules = report->modules;
    held->all = report->all;
    ilpi_alloc_init(&held->alloc, NULL);
    held->text.alloc = &held->alloc;
    if (report->json) {
        held->sink = report->json->sink;
        ilpi_json_redirect(report->json, ilpi_buf_sink(&held->text));
    }
}

static void hold_written(struct report_held *held, size_t start, size_t end)
{
    held->written = need(grow_items(held->written, held->count + 1, sizeof *held->written));
    held->written[held->count].start = start;
    held->written[held->count++].end = end;
}

/* In place: the whole text. Not in place: the text without the noted ranges, and the counts are
 * those before. */
void report_release(struct report *report, bool in_place)
{
    struct report_held *held = report->held;
    if (report->json) {
        size_t at = 0; /* the end of what was replayed or left out */
        ilpi_json_redirect(report->json, held->sink);
        for (size_t i = 0; i < held->count && !in_place; i++) {
            ilpi_json_replay(report->json,
                             (struct ilp_bytes){held->text.data + at, held->written[i].start - at});
            at = held->written[i].end;
        }
        ilpi_json_replay(report->json,
                         (struct ilp_bytes){held->text.data + at, held->text.size - at});
    }
    if (!in_place) {
        report->modules = held->modules;
        report->all = held->all;
    }
    report->held = NULL;
    free(held->written);
    ilpi_buf_free(&held->text);
    free(held);
}

static void write_symbols(struct ilpi_json *json, const struct report_symbols *symbols)
{
    ilpi_json_object(json, "symbols", ILPI_JSON_INLINE);
    ilpi_json_string(json, "answer", symbols->answer);
    if (symbols->output) {
        ilpi_json_string(json, "output", symbols->output);
    }
    if (symbols->why[0] != '\0') {
        ilpi_json_string(json, "why", symbols->why);
    }
    ilpi_json_end(json);
}

static void write_written(const struct report *report, const struct ilp_write_info *written)
{
    struct ilpi_json *json = report->json;
    ilpi_json_object(json, "written", ILPI_JSON_INLINE);
    ilpi_json_unsigned(json, "bytes", written->size);
    for (size_t i = 0; i < sizeof written_facts / sizeof written_facts[0]; i++) {
        ilpi_json_bool(json, written_facts[i].key,
                       *(const bool *)((const char *)written + written_facts[i].at));
    }
    if (written->not_compacted.status != ILP_OK) {
        ilpi_json_string(json, "layoutKept", written->not_compacted.message);
    }
    if (written->bound_to) {
        ilpi_json_string(json, "boundTo", written->bound_to);
    }
    ilpi_json_string(json, "strongName", strong_name_words[written->strong_name]);
    ilpi_json_bool(json, "embedded", report_embedded(report));
    write_symbols(json, &report->symbols);
    ilpi_json_end(json);
}

/* Elements of a list that is written later, on lines with this indent. */
static struct ilpi_json_text *begin_part(unsigned indent)
{
    struct ilpi_json_text *part = need(calloc(1, sizeof *part));
    ilpi_json_text_open(part, ILPI_JSON_SPACED);
    ilpi_json_begin_part(&part->json, part->json.sink, ILPI_JSON_SPACED, indent);
    return part;
}

/* NULL: none. */
static void add_part(struct ilpi_json *json, struct ilpi_json_text *part)
{
    if (part) {
        ilpi_json_add_part(json, ilpi_json_text_bytes(part));
        need(part->json.status == ILP_OK ? part : NULL);
        ilpi_json_text_close(part);
        free(part);
    }
}

/* The writer is exchanged for the time of one method; the method is counted as usual. */
char *report_method_text(struct report *report, ilp_token method,
                         const struct ilp_method_result *result)
{
    struct ilpi_json *json = report->json;
    if (!json) {
        take_method(report, method, result, NULL);
        return NULL;
    }
    struct ilpi_json_text *part = begin_part(MEMBERS_INDENT);
    report->json = &part->json;
    take_method(report, method, result, NULL);
    report->json = json;
    struct ilp_bytes bytes = ilpi_json_text_bytes(part);
    need(part->json.status == ILP_OK ? part : NULL);
    char *text = format_text("%.*s", (int)bytes.size, (const char *)bytes.data);
    ilpi_json_text_close(part);
    free(part);
    return text;
}

/* A text of report_method_text(), at the place that sorting has given it. */
void report_method_add(struct report *report, const char *text)
{
    ilpi_json_add_part(report->json, (struct ilp_bytes){(const uint8_t *)text, strlen(text)});
}

/* In our own text only: "NAME": " is looked for as it was written. */
const char *report_method_member(const char *text, const char *name, size_t *size)
{
    char *key = format_text("\"%s\": \"", name); /* quotes inside texts are escaped */
    const char *found = strstr(text, key);
    const char *start = found ? found + strlen(key) : NULL;
    free(key);
    for (*size = 0; start && start[*size] != '"'; (*size)++) {
        *size += start[*size] == '\\';
    }
    return start;
}

/* Kept as a part: findings come after the methods, and are known before. */
void report_finding(struct report *report, struct ilp_image *patched,
                    const struct ilp_verify_finding *finding)
{
    if (report->json && report->finding_count++ < MAX_LISTED_FINDINGS) {
        report->findings = report->findings ? report->findings : begin_part(MEMBERS_INDENT);
        finding_json(&report->findings->json, patched, report->arena, finding);
    }
}

/* The list of findings is limited, and "unlisted" has the rest. */
static void write_verified(struct report *report)
{
    struct ilpi_json *json = report->json;
    if (report->verified) {
        ilpi_json_object(json, "verified", ILPI_JSON_INLINE);
        ilpi_json_unsigned(json, "unverifiable", report->unverifiable);
        ilpi_json_unsigned(json, "unknown", report->unknown);
        ilpi_json_end(json);
    }
    if (report->findings) {
        ilpi_json_array(json, "findings", ILPI_JSON_LINES);
        add_part(json, report->findings);
        ilpi_json_end(json);
        if (report->finding_count > MAX_LISTED_FINDINGS) {
            ilpi_json_unsigned(json, "unlisted", report->finding_count - MAX_LISTED_FINDINGS);
        }
        report->finding_count = 0;
        report->findings = NULL;
    }
}

static void add_counts(struct report_counts *sum, const struct report_counts *counts)
{
    sum->methods += counts->methods;
    sum->sites += counts->sites;
    sum->tail_calls += counts->tail_calls;
    sum->stripped += counts->stripped;
    sum->nameless += counts->nameless;
    sum->ids += counts->ids;
    sum->unreachable += counts->unreachable;
    sum->jumps += counts->jumps;
    for (unsigned i = 0; i < ILPI_REASON_COUNT; i++) {
        sum->by_reason[i] += counts->by_reason[i];
    }
}

/* A module of a bundle: whether it will be in place is decided later. */
static void write_held(struct report *report, const struct ilp_write_info *written)
{
    struct report_held *held = report->held;
    if (held) { /* what the writer has buffered belongs before the range */
        ilpi_json_flush(report->json);
    }
    size_t start = held ? held->text.size : 0;
    write_written(report, written);
    if (held) {
        ilpi_json_flush(report->json);
        hold_written(held, start, held->text.size);
    }
}

static struct report_summary summary_of(const struct report_counts *counts)
{
    struct report_summary summary = {.methods = counts->methods, .sites = counts->sites};
    memcpy(summary.by_reason, counts->by_reason, sizeof summary.by_reason);
    return summary;
}

/* A module with an error is not in the totals. Hints for rules need the image, which is closed
 * after this. */
void report_module_end(struct report *report, const struct ilp_write_info *written,
                       const struct ilp_error *error)
{
    struct ilpi_json *json = report->json;
    if (!error) {
        report->modules++;
        add_counts(&report->all, &report->module);
        if (report->module.methods != 0) {
            report_rules_find_hints(&report->rules, report->image);
        }
    }
    if (!json) {
        return;
    }
    ilpi_json_end(json);
    struct report_summary summary = summary_of(&report->module);
    report_module_summary(json, &summary);
    if (report->small_because) {
        ilpi_json_string(json, "smallInspector", report->small_because);
    }
    if (written) {
        write_held(report, written);
    }
    if (report->replaced_count != 0) {
        ilpi_json_array(json, "replaced", ILPI_JSON_INLINE);
        for (size_t i = 0; i < report->replaced_count; i++) {
            ilpi_json_string(json, NULL, report->replaced[i]);
        }
        ilpi_json_end(json);
    }
    write_verified(report);
    if (error) {
        report_error(json, error);
    }
    ilpi_json_end(json);
}

/* A file that cannot be opened as an image has no module, and no summary. */
void report_module_failed(struct report *report, const char *file, const struct ilp_error *error)
{
    if (report->json) {
        next_module(report, file);
        report_error(report->json, error);
        ilpi_json_end(report->json);
    }
}

/* `why` is the code of left_alone.h. */
void report_module_left(struct report *report, const char *file, const char *why)
{
    if (report->json) {
        next_module(report, file);
        ilpi_json_string(report->json, "left", why);
        ilpi_json_end(report->json);
    }
}

/* What was requested and could not be done is exit code 1; what is skipped, or has nothing to
 * inspect, is as requested. */
bool report_refused(const struct report *report)
{
    for (unsigned i = 0; i < ILPI_REASON_COUNT; i++) {
        if (report->module.by_reason[i] != 0 &&
            ilp_reason_kind((enum ilp_reason)i) == ILP_REASON_REFUSED) {
            return true;
        }
    }
    return false;
}

/* In the list at the end of the document: it concerns a file that may be no module of it. */
void report_caller(struct report *report, const struct report_caller *caller)
{
    if (!report->json) {
        return;
    }
    report->callers = report->callers ? report->callers : begin_part(LISTS_INDENT);
    struct ilpi_json *json = &report->callers->json;
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "file", caller->file);
    ilpi_json_string(json, "reason", caller->reason);
    ilpi_json_array(json, "of", ILPI_JSON_INLINE);
    for (size_t i = 0; i < caller->of_count; i++) {
        ilpi_json_string(json, NULL, caller->of[i]);
    }
    ilpi_json_end(json);
    ilpi_json_bool(json, "dropped", caller->dropped);
    ilpi_json_end(json);
}

static void write_callers(struct report *report)
{
    ilpi_json_array(report->json, "callers", ILPI_JSON_LINES);
    add_part(report->json, report->callers);
    ilpi_json_end(report->json);
}

static void report_close(struct report *report)
{
    facade_close(&report->facade);
    report_rules_close(&report->rules);
    free(report->small_because);
    free(report->used);
    ilp_arena_close(report->arena);
}

/* A failed write is the concern of the file's owner, who removes the report; here only memory
 * counts. */
void report_end(struct report *report)
{
    if (report->json) {
        ilpi_json_end(report->json);
        report_rules_write(&report->rules, report->json);
        write_callers(report);
        ilpi_json_end(report->json);
        ilp_status status = ilpi_json_finish(report->json);
        /* failures of the file itself are found by its owner */
        need(status == ILP_OK || status == ILP_E_CALLBACK ? report : NULL);
    }
    report_close(report);
}

/* ---- parts ---- */

/* Parts are complete elements of the list of modules, so whatever order threads have, they are
 * added in the order of the files. */
void report_part_begin(struct report *part, const struct report *whole,
                       const struct request *request)
{
    report_begin(part, NULL, request);
    if (whole->json) {
        /* report_begin() without a file begins no document: a part has elements of its list only */
        part->part = begin_part(LISTS_INDENT);
        part->json = &part->part->json;
    }
}

void report_part_end(struct report *part, struct report *whole)
{
    if (part->callers) {
        whole->callers = whole->callers ? whole->callers : begin_part(LISTS_INDENT);
        add_part(&whole->callers->json, part->callers);
    }
    add_part(whole->json, part->part);
    report_rules_add(&part->rules, &whole->rules);
    add_counts(&whole->all, &part->all);
    whole->modules += part->modules;
    report_close(part);
}

/* For people, on one line: only outcomes that occur, in the order of reasons.def. */
void report_summary(const struct report_counts *counts, FILE *out)
{
    const char *lead = "; left as they are: ";
    fprintf(out, "%u of %u method%s inspected", report_inspected(counts->by_reason),
            counts->methods, plural(counts->methods));
    for (unsigned i = 0; i < ILPI_REASON_COUNT; i++) {
        if (!report_is_inspected((enum ilp_reason)i) && counts->by_reason[i] != 0) {
            fprintf(out, "%s%u %s", lead, counts->by_reason[i],
                    ilp_reason_code((enum ilp_reason)i));
            lead = ", ";
        }
    }
    if (counts->tail_calls != 0) {
        fprintf(out, "; %u tail-call site%s kept", counts->tail_calls, plural(counts->tail_calls));
    }
    if (counts->stripped != 0) {
        fprintf(out, "; %u tail-call site%s stripped", counts->stripped, plural(counts->stripped));
    }
    if (counts->nameless != 0) {
        fprintf(out, "; ids instead of %u name%s, since #US is full", counts->nameless,
                plural(counts->nameless));
    }
}
