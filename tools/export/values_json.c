/* Returned values as JSON: data/values.schema.json has the form. The same summary as the other
 * formats of values, with exact numbers where these round: bounds of counts instead of "or more",
 * edges of histograms instead of texts. Times count from the start of the first process, in ns.
 *
 *   "processes": [ { facts, "methods": [
 *       { facts, "kinds", "distribution", "frequent", "series" } ] } ]
 *
 * Each process is summarized, written, and closed before the next one is read, so memory is needed
 * for one only. All methods with values are in it: unlike a page or a text, it is not meant for
 * reading, and has no limits. */
#include "tools/export/value_report.h"

#include "host/schemas.h"

/* 0 for a time before the base, which only a damaged spool has. */
static uint64_t since_base(const struct trace *trace, uint64_t time)
{
    return time > trace->base ? time - trace->base : 0;
}

/* Kinds of which there is no value are left out. */
static void write_kinds(struct ilpi_json *json, const struct ilpi_value_summary *summary)
{
    ilpi_json_object(json, "kinds", ILPI_JSON_INLINE);
    for (unsigned i = 0; i < VALUE_KIND_COUNT; i++) {
        if (summary->kinds[i] != 0) {
            ilpi_json_unsigned(json, value_kind_name(i), summary->kinds[i]);
        }
    }
    ilpi_json_end(json);
}

/* A kept value may have taken the place of a rarer one, whose count it has taken over: so its own
 * count is between "least" and "most". */
static void write_frequent(struct ilpi_json *json, const struct ilpi_values *values)
{
    ilpi_json_array(json, "frequent", ILPI_JSON_INLINE);
    for (size_t i = 0; i < values->kept.count; i++) {
        const struct ilpi_kept_value *kept = &values->kept.items[i];
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        ilpi_json_bytes(json, "value", kept->text);
        ilpi_json_bool(json, "cut", kept->cut);
        ilpi_json_unsigned(json, "least", kept->count - kept->over);
        ilpi_json_unsigned(json, "most", kept->count);
        ilpi_json_end(json);
    }
    ilpi_json_end(json);
}

static void write_histogram(struct ilpi_json *json, const struct ilpi_distribution *numbers)
{
    static const char *const scales[] = {
        [SCALE_VALUES] = "values", [SCALE_LINEAR] = "linear", [SCALE_POWERS] = "powers"};
    struct ilpi_histogram histogram;
    ilpi_histogram_make(&histogram, numbers);
    ilpi_json_object(json, "histogram", ILPI_JSON_INLINE);
    ilpi_json_string(json, "scale", scales[histogram.scale]);
    ilpi_json_array(json, "rows", ILPI_JSON_INLINE);
    for (size_t i = 0; i < histogram.count; i++) {
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        ilpi_json_double(json, "from", histogram.rows[i].from);
        ilpi_json_double(json, "to", histogram.rows[i].to);
        ilpi_json_unsigned(json, "count", histogram.rows[i].count);
        ilpi_json_end(json);
    }
    ilpi_json_end(json);
    ilpi_json_end(json);
}

/* "error" is the relative error of quantiles; the least and the greatest are exact, and are also
 * given as they were recorded. */
static void write_numbers(struct ilpi_json *json, const struct ilpi_value_summary *summary)
{
    const struct ilpi_distribution *numbers = &summary->numbers;
    ilpi_json_object(json, "distribution", ILPI_JSON_INLINE);
    ilpi_json_string(json, "unit", summary->unit == VALUE_CLOCK ? "seconds" : "");
    ilpi_json_unsigned(json, "count", numbers->count);
    ilpi_json_double(json, "least", ilpi_distribution_least(numbers));
    ilpi_json_bytes(json, "leastValue", summary->least_text);
    ilpi_json_double(json, "greatest", ilpi_distribution_greatest(numbers));
    ilpi_json_bytes(json, "greatestValue", summary->greatest_text);
    ilpi_json_double(json, "mean", numbers->sum / (double)numbers->count);
    for (size_t i = 0; i < SHOWN_QUANTILES; i++) {
        ilpi_json_double(json, shown_quantiles[i].name,
                         ilpi_distribution_quantile(numbers, shown_quantiles[i].part));
    }
    ilpi_json_double(json, "error", ilpi_distribution_error(numbers));
    write_histogram(json, numbers);
    ilpi_json_end(json);
}

/* Slots without a value are left out, so each has its index. */
static void write_series(struct ilpi_json *json, const struct ilpi_value_summary *summary)
{
    ilpi_json_array(json, "series", ILPI_JSON_INLINE);
    for (size_t i = 0; i < summary->slots.count; i++) {
        const struct ilpi_time_slot *slot = &summary->slots.items[i];
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        ilpi_json_unsigned(json, "slot", slot->index);
        ilpi_json_unsigned(json, "values", slot->returns);
        if (slot->numbers.count != 0) {
            ilpi_json_double(json, "least", ilpi_distribution_least(&slot->numbers));
            ilpi_json_double(json, "median", ilpi_distribution_quantile(&slot->numbers, 0.5));
            ilpi_json_double(json, "greatest", ilpi_distribution_greatest(&slot->numbers));
        }
        ilpi_json_end(json);
    }
    ilpi_json_end(json);
}

/* A method that the spool only has by number (its definition was lost) has neither module nor
 * signature. */
static void write_method(struct ilpi_json *json, const struct value_report *report,
                         const struct value_method *method)
{
    const struct ilpi_traced_process *process = report->traced.process;
    const struct ilpi_value_summary *summary = &method->summary;
    bool defined = method->method < process->methods.count;
    bool exact;
    uint64_t distinct = ilpi_value_summary_distinct(summary, &exact);
    struct name name;
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_bytes(json, "name", raw_method_name(process, method->method, &name));
    struct ilp_bytes readable = readable_method_name(report->trace, process, method->method, &name);
    if (readable.data) {
        ilpi_json_bytes(json, "readable", readable);
    }
    ilpi_json_bytes(json, "module",
                    defined ? process->methods.items[method->method].module : bytes_of(""));
    ilpi_json_bytes(json, "signature",
                    defined ? process->methods.items[method->method].signature : bytes_of(""));
    ilpi_json_unsigned(json, "values", summary->values.total);
    ilpi_json_unsigned(json, "returned", method->returned);
    ilpi_json_unsigned(json, "exceptions", method->unwound);
    ilpi_json_unsigned(json, "tailCalls", method->tailcalls);
    ilpi_json_unsigned(json, "unseen", method->unseen);
    ilpi_json_unsigned(json, "different", distinct);
    ilpi_json_bool(json, "differentIsExact", exact);
    write_kinds(json, summary);
    if (summary->numbers.count != 0) {
        write_numbers(json, summary);
    }
    write_frequent(json, &summary->values);
    write_series(json, summary);
    ilpi_json_end(json);
}

/* The start is a text, as its nanoseconds since 1970 do not fit into a double. */
static void write_report(struct ilpi_json *json, const struct trace *trace,
                         const struct value_report *report)
{
    const struct ilpi_traced_process *process = report->traced.process;
    struct name name;
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_bytes(json, "name", process_name(process, &name));
    ilpi_json_unsigned(json, "process", process->number);
    ilpi_json_bytes(json, "runtime", process->runtime);
    ilpi_json_unsigned_text(json, "startUnixNano", process->wall);
    ilpi_json_unsigned(json, "begin", since_base(trace, report->begin));
    ilpi_json_unsigned(json, "end", since_base(trace, report->end));
    ilpi_json_unsigned(json, "slot", report->slot);
    ilpi_json_unsigned(json, "slots", report->slot_count);
    ilpi_json_bool(json, "ended", process->ended);
    ilpi_json_unsigned(json, "lostRecords", report->lost);
    ilpi_json_unsigned(json, "methodsWithoutValues", report->silent);
    ilpi_json_unsigned(json, "values", report->values);
    ilpi_json_array(json, "methods", ILPI_JSON_HANGING);
    for (size_t i = 0; i < report->methods.count; i++) {
        write_method(json, report, report->methods.items[i]);
    }
    ilpi_json_end(json);
    ilpi_json_end(json);
}

/* A failure in the middle leaves JSON that is not closed; OUT is then not put in place
 * (convert.c). */
ilp_status write_values_json(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    struct exported_process traced = {.file = NULL};
    struct ilpi_json json;
    ilpi_json_begin(&json, text_out_sink(out), ILPI_JSON_COMPACT);
    schema_object(&json, SCHEMA_VALUES, ILPI_JSON_INLINE);
    ilpi_json_format(&json, "writer", "ilpatch %s", ilp_version());
    ilpi_json_array(&json, "processes", ILPI_JSON_HANGING);
    while (next_process(trace, &traced)) {
        struct value_report report;
        ilp_status status = value_report_open(&report, trace, &traced, error);
        if (status == ILP_OK) {
            write_report(&json, trace, &report);
        }
        value_report_close(&report);
        ILPI_TRY(status);
    }
    ilpi_json_end(&json);
    ilpi_json_end(&json);
    ilpi_json_finish(&json);
    return json_status(&json, error);
}
