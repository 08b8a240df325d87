/* Writes the parts of a report that are the same for files and processes. See report_parts.h.
 * Members that say nothing (no rule, no detail) are left out.
 *
 *   {"token", "name", "signature", "rule", "answer", "detail", "affectedBy",
 *    "sites": {...}, "tailCalls": [...], "id", "arguments", "exceptions", "bytesAdded"} */
#include "host/report_parts.h"

/* All members, also those with 0: together they say what became of each exit of the method. */
static void write_sites(struct ilpi_json *json, const struct ilp_method_result *result)
{
    ilpi_json_object(json, "sites", ILPI_JSON_INLINE);
    ilpi_json_unsigned(json, "ret", result->rets);
    ilpi_json_unsigned(json, "inspected", result->inspected);
    ilpi_json_unsigned(json, "already", result->already);
    ilpi_json_unsigned(json, "tailCall", result->tail_calls);
    ilpi_json_unsigned(json, "stripped", result->stripped);
    ilpi_json_unsigned(json, "unreachable", result->unreachable);
    ilpi_json_unsigned(json, "jmp", result->jumps);
    ilpi_json_end(json);
}

/* By rising offsets: for each `tail.` before an inspected ret, whether it was kept, and why. */
static void write_tail_calls(struct ilpi_json *json, const struct ilp_method_result *result)
{
    ilpi_json_array(json, "tailCalls", ILPI_JSON_INLINE);
    for (size_t i = 0; i < result->tail_site_count; i++) {
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        ilpi_json_unsigned(json, "offset", result->tail_sites[i].offset);
        ilpi_json_string(json, "decision", ilp_tail_word(result->tail_sites[i].decision));
        ilpi_json_end(json);
    }
    ilpi_json_end(json);
}

/* The changes to its body. */
static void write_changes(struct ilpi_json *json, const struct ilp_method_result *result)
{
    if (result->rets != 0 || result->jumps != 0) {
        write_sites(json, result);
    }
    if (result->tail_site_count != 0) {
        write_tail_calls(json, result);
    }
    if (result->id != 0) {
        ilpi_json_signed(json, "id", result->id);
        if (result->nameless) {
            ilpi_json_bool(json, "nameless", true);
        }
    }
    if (result->arguments) {
        ilpi_json_bool(json, "arguments", true);
        if (result->withheld != 0) {
            ilpi_json_unsigned(json, "withheld", result->withheld);
        }
    } else if (result->without_arguments) {
        ilpi_json_string(json, "withoutArguments", result->without_arguments);
    }
    if (result->exceptions) {
        ilpi_json_bool(json, "exceptions", true);
    } else if (result->without_exceptions) {
        ilpi_json_string(json, "withoutExceptions", result->without_exceptions);
    }
    if (result->body.size != 0) {
        ilpi_json_signed(json, "bytesAdded",
                         (int64_t)result->body.size - (int64_t)result->old_size);
    }
}

/* Names are made in the arena, which is reset for each method. */
bool report_method(struct ilpi_json *json, struct ilp_image *image, struct ilp_arena *arena,
                   const struct reported_method *method)
{
    const struct ilp_method_result *result = method->result;
    const char *name = "";
    const char *signature = "";
    ilp_arena_reset(arena);
    if (ilp_method_name_text(image, method->token, arena, &name, NULL) != ILP_OK ||
        ilp_method_text(image, method->token, arena, &signature, NULL) != ILP_OK) {
        memory_failed();
        return false;
    }
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_token(json, "token", method->token);
    ilpi_json_string(json, "name", name);
    ilpi_json_string(json, "signature", signature);
    if (result->rule != ILP_NO_RULE) {
        ilpi_json_unsigned(json, "rule", result->rule);
    }
    ilpi_json_string(json, "answer", ilp_reason_code(result->reason));
    if (result->detail[0] != '\0') {
        ilpi_json_string(json, "detail", result->detail);
    }
    if (method->affected) {
        ilpi_json_string(json, "affectedBy", method->affected);
    }
    write_changes(json, result);
    ilpi_json_end(json);
    return true;
}

/* All outcomes whose values are shown, each with its own word. */
bool report_is_inspected(enum ilp_reason reason)
{
    return reason == ILP_REASON_INSPECTED || reason == ILP_REASON_SETS_RESULT ||
           reason == ILP_REASON_YIELDS;
}

/* ILPI_REASON_COUNT for a word that is none. */
enum ilp_reason report_reason_of(const char *code, size_t size)
{
    enum ilp_reason reason = 0;
    while (reason < ILPI_REASON_COUNT && (strlen(ilp_reason_code(reason)) != size ||
                                          strncmp(ilp_reason_code(reason), code, size) != 0)) {
        reason++;
    }
    return reason;
}

uint32_t report_inspected(const uint32_t by_reason[ILPI_REASON_COUNT])
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < ILPI_REASON_COUNT; i++) {
        sum += report_is_inspected((enum ilp_reason)i) ? by_reason[i] : 0;
    }
    return sum;
}

/* The failing callback is the command's: it could not read or write. */
void report_error(struct ilpi_json *json, const struct ilp_error *error)
{
    ilpi_json_string(json, "error",
                     error->status == ILP_E_CALLBACK ? "IO" : ilp_status_name(error->status));
    ilpi_json_string(json, "message", error->message);
    if (error->offset != UINT64_MAX) {
        ilpi_json_unsigned(json, "offset", error->offset);
    }
}

/* All reasons, also those with 0: a reader finds the same members in each module. */
void report_module_summary(struct ilpi_json *json, const struct report_summary *summary)
{
    ilpi_json_object(json, "summary", ILPI_JSON_INLINE);
    ilpi_json_unsigned(json, "methods", summary->methods);
    ilpi_json_unsigned(json, "sites", summary->sites);
    for (unsigned i = 0; i < ILPI_REASON_COUNT; i++) {
        ilpi_json_unsigned(json, ilp_reason_code((enum ilp_reason)i), summary->by_reason[i]);
    }
    ilpi_json_end(json);
}

/* By reason, so that the number of methods is the sum of `by_reason`. */
void report_summary_add(struct report_summary *summary, const struct ilp_method_result *result)
{
    summary->methods++;
    summary->sites += result->inspected;
    summary->by_reason[result->reason]++;
}

/* A rule has no id of its own: in methods, "rule" is its index in this list. */
void report_rule(struct ilpi_json *json, struct ilp_rules *rules, uint32_t number, uint32_t methods,
                 uint32_t inspected)
{
    struct ilp_rule rule;
    ilp_rules_get(rules, number, &rule);
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "action", rule.exclude ? "exclude" : "include");
    ilpi_json_string(json, "file", rule.file);
    ilpi_json_unsigned(json, "line", rule.line);
    if (rule.name[0] != '\0') {
        ilpi_json_string(json, "name", rule.name);
    }
    ilpi_json_bool(json, "enabled", rule.enabled);
    ilpi_json_unsigned(json, "methods", methods);
    ilpi_json_unsigned(json, "inspected", inspected);
    ilpi_json_end(json);
}
