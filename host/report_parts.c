/* The parts of a report that are the same for files and for processes. See report_parts.h. */
#include "host/report_parts.h"

#include "host/text_out.h"

void report_key(FILE *json, const char *lead, const char *key, const char *text)
{
    fprintf(json, "%s\"%s\": ", lead, key);
    json_out_string(json, text);
}

bool report_method(FILE *json, struct ilp_image *image, struct ilp_arena *arena, ilp_token method,
                   const struct ilp_method_result *result, const char *affected)
{
    const char *name = "";
    const char *signature = "";
    ilp_arena_reset(arena);
    if (ilp_method_name_text(image, method, arena, &name, NULL) != ILP_OK ||
        ilp_method_text(image, method, arena, &signature, NULL) != ILP_OK) {
        memory_failed();
        return false;
    }
    fprintf(json, "\n        {\"token\": \"0x%08X\"", method);
    report_key(json, ", ", "name", name);
    report_key(json, ", ", "signature", signature);
    if (result->rule != ILP_NO_RULE) {
        fprintf(json, ", \"rule\": %u", result->rule);
    }
    report_key(json, ", ", "answer", ilp_reason_code(result->reason));
    if (result->detail[0] != '\0') {
        report_key(json, ", ", "detail", result->detail);
    }
    if (affected) {
        report_key(json, ", ", "affectedBy", affected);
    }
    if (result->rets != 0 || result->jumps != 0) {
        fprintf(json,
                ", \"sites\": {\"ret\": %u, \"inspected\": %u, \"already\": %u, \"tailCall\": %u, "
                "\"stripped\": %u, \"unreachable\": %u, \"jmp\": %u}",
                result->rets, result->inspected, result->already, result->tail_calls,
                result->stripped, result->unreachable, result->jumps);
    }
    if (result->tail_site_count != 0) {
        fputs(", \"tailCalls\": [", json);
        for (size_t i = 0; i < result->tail_site_count; i++) {
            fprintf(json, "%s{\"offset\": %u, \"decision\": \"%s\"}", i != 0 ? ", " : "",
                    result->tail_sites[i].offset, ilp_tail_word(result->tail_sites[i].decision));
        }
        fputc(']', json);
    }
    if (result->id != 0) {
        fprintf(json, ", \"id\": %lld%s", (long long)result->id,
                result->nameless ? ", \"nameless\": true" : "");
    }
    if (result->body.size != 0) {
        fprintf(json, ", \"bytesAdded\": %lld",
                (long long)result->body.size - (long long)result->old_size);
    }
    fputc('}', json);
    return true;
}

bool report_is_inspected(enum ilp_reason reason)
{
    return reason == ILP_REASON_INSPECTED || reason == ILP_REASON_SETS_RESULT || reason == ILP_REASON_YIELDS;
}

uint32_t report_inspected(const uint32_t by_reason[ILP_REASON_COUNT])
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < ILP_REASON_COUNT; i++) {
        sum += report_is_inspected((enum ilp_reason)i) ? by_reason[i] : 0;
    }
    return sum;
}

/* The command itself is the callback that can fail: it could not read or write. */
void report_error(FILE *json, const struct ilp_error *error)
{
    report_key(json, ",\n      ", "error",
               error->status == ILP_E_CALLBACK ? "IO" : ilp_status_name(error->status));
    report_key(json, ",\n      ", "message", error->message);
    if (error->offset != UINT64_MAX) {
        fprintf(json, ",\n      \"offset\": %llu", (unsigned long long)error->offset);
    }
}

void report_module_summary(FILE *json, uint32_t methods, uint32_t sites, const uint32_t by_reason[ILP_REASON_COUNT])
{
    fprintf(json, "\"summary\": {\"methods\": %u, \"sites\": %u", methods, sites);
    for (unsigned i = 0; i < ILP_REASON_COUNT; i++) {
        fprintf(json, ", \"%s\": %u", ilp_reason_code((enum ilp_reason)i), by_reason[i]);
    }
    fputs("}", json);
}

void report_summary_add(struct report_summary *summary, const struct ilp_method_result *result)
{
    summary->methods++;
    summary->sites += result->inspected;
    summary->by_reason[result->reason]++;
}

char *report_summary_text(const struct report_summary *summary)
{
    struct text_file text;
    if (text_open(&text)) {
        report_module_summary(text.out, summary->methods, summary->sites, summary->by_reason);
    }
    return text_close(&text);
}

void report_rule(FILE *json, struct ilp_rules *rules, uint32_t number, uint32_t methods, uint32_t inspected)
{
    struct ilp_rule rule;
    ilp_rules_get(rules, number, &rule);
    fprintf(json, "\n    {\"action\": \"%s\"", rule.exclude ? "exclude" : "include");
    report_key(json, ", ", "file", rule.file);
    fprintf(json, ", \"line\": %u", rule.line);
    if (rule.name[0] != '\0') {
        report_key(json, ", ", "name", rule.name);
    }
    fprintf(json, ", \"enabled\": %s, \"methods\": %u, \"inspected\": %u}", rule.enabled ? "true" : "false", methods,
            inspected);
}
