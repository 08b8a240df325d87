/* Returned values as text: the values of each method, their distribution, and their changes over
 * time.
 *
 *   Shop.Program.Sum
 *     int32 (class ...)                     the signature
 *     100 values, 7 different: ...          kinds, and calls without a value
 *     least 3, median 5, ... mean 5.2       of numbers
 *       [4, 8)     60  60.0 % |@@@@@@  |    a histogram
 *          20  20.0 % null                  frequent values that are not in it
 *     over time
 *       rate     |_.:-=+*#|                 a column for each slot
 *
 * Charts are of ASCII characters in files and pipes, where it is not known what reads them. */
#include "tools/export/value_report.h"

#include <inttypes.h>
#include <math.h> /* NAN, isnan() */
#include <stdlib.h>
#include <unistd.h>

#include "tools/tool.h"

#define BAR_COLUMNS  40u
#define MAX_FREQUENT 10u
#define FEW_PARTS    100u /* values with a smaller share are not listed beside numbers */

/* ---- drawing ---- */

/* The characters of charts, of `size` bytes each. Block characters only on a UTF-8 terminal. */
struct pen {
    unsigned size;
    const char *heights; /* eight bar heights */
    const char *bar;
    const char *parts; /* seven eighths for the last column of a bar; NULL: none */
};

static const struct pen ascii_pen = {.size = 1, .heights = "_.:-=+*#", .bar = "@"};
static const struct pen block_pen = {
    .size = 3,
    .heights = "▁▂▃▄▅▆▇█",
    .bar = "█",
    .parts = "▏▎▍▌▋▊▉",
};

/* One of a pen's characters, by its number. */
static void draw(FILE *out, const struct pen *pen, const char *characters, unsigned at)
{
    fwrite(characters + (size_t)at * pen->size, 1, pen->size, out);
}

/* By the variables, in the order in which setlocale() takes them: the command itself sets no
 * locale. */
static bool is_utf8_locale(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = getenv(variables[i]);
        if (value && value[0] != '\0') {
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
        }
    }
    return false;
}

static const struct pen *pen_for(FILE *out)
{
    return isatty(fileno(out)) && is_utf8_locale() ? &block_pen : &ascii_pen;
}

/* What all functions here need, for one process. */
struct drawing {
    FILE *out;
    const struct pen *pen;
    const struct value_report *report;
};

/* "|@@@@      |" With block characters the last column has eighths. */
static void write_bar(const struct drawing *text, uint64_t count, uint64_t most)
{
    const struct pen *pen = text->pen;
    unsigned steps = pen->parts ? 8 : 1;
    unsigned size = (unsigned)((double)count / (double)most * BAR_COLUMNS * steps + 0.5);
    unsigned columns = size / steps;
    fputc('|', text->out);
    for (unsigned i = 0; i < columns; i++) {
        draw(text->out, pen, pen->bar, 0);
    }
    if (size % steps != 0) {
        draw(text->out, pen, pen->parts, size % steps - 1);
        columns++;
    }
    fprintf(text->out, "%*s|\n", (int)(BAR_COLUMNS - columns), "");
}

/* Both columns have a fixed width, so that bars and values after them begin in one column. */
static void write_share(const struct drawing *text, uint64_t count, uint64_t total)
{
    fprintf(text->out, "%12" PRIu64 " %5.1f %% ", count, 100 * (double)count / (double)total);
}

/* ---- kinds of values ---- */

/* Calls of the method that gave no value, so that the numbers add up to its calls. */
static void write_ends(const struct drawing *text, const struct value_method *method)
{
    struct value_end ends[VALUE_ENDS];
    value_method_ends(method, ends);
    for (size_t i = 0; i < VALUE_ENDS; i++) {
        if (ends[i].count != 0) {
            fprintf(text->out, "; %" PRIu64 " more call%s %s", ends[i].count, plural(ends[i].count),
                    ends[i].what);
        }
    }
}

/* "100 values, 7 different: 90 numbers, 10 null; 2 more calls ended by an exception" */
static void write_kinds(const struct drawing *text, const struct value_method *method)
{
    const struct ilpi_value_summary *summary = &method->summary;
    bool exact;
    uint64_t distinct = ilpi_value_summary_distinct(summary, &exact);
    uint64_t total = summary->values.total;
    const char *before = ":";
    fprintf(text->out, "  %" PRIu64 " value%s, %s%" PRIu64 " different", total, plural(total),
            exact ? "" : "about ", distinct);
    for (unsigned i = 0; i < VALUE_KIND_COUNT; i++) {
        if (summary->kinds[i] == total) {
            fprintf(text->out, ", all %s", value_kind_text(i));
        } else if (summary->kinds[i] != 0) {
            fprintf(text->out, "%s %" PRIu64 " %s", before, summary->kinds[i], value_kind_text(i));
            before = ",";
        }
    }
    write_ends(text, method);
    fputc('\n', text->out);
}

/* Least and greatest as they were recorded; quantiles with the digits that are certain. */
static void write_statistics(const struct drawing *text, const struct ilpi_value_summary *summary)
{
    const struct ilpi_distribution *numbers = &summary->numbers;
    double error = ilpi_distribution_error(numbers);
    struct number_text number;
    FILE *out = text->out;
    fputs("  least ", out);
    text_out_bytes(out, summary->least_text, false);
    for (size_t i = 0; i < SHOWN_QUANTILES; i++) {
        double quantile = ilpi_distribution_quantile(numbers, shown_quantiles[i].part);
        fprintf(out, ", %s %s", shown_quantiles[i].name,
                number_text(&number, summary->unit, quantile, error));
    }
    fputs(", greatest ", out);
    text_out_bytes(out, summary->greatest_text, false);
    fprintf(out, "; mean %s",
            number_text(&number, summary->unit, numbers->sum / (double)numbers->count, 1e-4));
    if (error > 0) {
        fprintf(out, " (quantiles within %.2g %%)", 100 * error);
    }
    fputc('\n', out);
}

/* ---- distribution ---- */

/* The first column is as wide as its widest range, so that bars begin in one column. */
static void write_histogram(const struct drawing *text, const struct ilpi_value_summary *summary)
{
    struct ilpi_histogram histogram;
    struct range_text range;
    int width = 0;
    ilpi_histogram_make(&histogram, &summary->numbers);
    uint64_t most = ilpi_histogram_most(&histogram);
    for (size_t i = 0; i < histogram.count; i++) {
        int size = (int)strlen(range_text(&range, summary->unit, &histogram, i));
        width = size > width ? size : width;
    }
    for (size_t i = 0; i < histogram.count; i++) {
        fprintf(text->out, "    %-*s", width, range_text(&range, summary->unit, &histogram, i));
        write_share(text, histogram.rows[i].count, summary->numbers.count);
        write_bar(text, histogram.rows[i].count, most);
    }
}

/* Numbers are in the histogram; other values are listed if counts are exact, else only frequent
 * ones. */
static bool is_listed(const struct ilpi_value_summary *summary, const struct ilpi_kept_value *kept)
{
    double number;
    uint64_t count = kept->count - kept->over;
    if (summary->numbers.count > 1 && ilpi_value_kind(kept->text, &number) == summary->unit) {
        return false;
    }
    return !summary->evicted || count >= summary->values.total / FEW_PARTS;
}

/* What is not listed is one line, so that counts add up to the total. */
static void write_frequent(const struct drawing *text, const struct ilpi_value_summary *summary)
{
    const struct ilpi_values *values = &summary->values;
    size_t listed = 0;
    uint64_t rest = summary->numbers.count > 1 ? values->total - summary->numbers.count
                                               : values->total;
    for (size_t i = 0; i < values->kept.count && listed < MAX_FREQUENT; i++) {
        const struct ilpi_kept_value *kept = &values->kept.items[i];
        if (!is_listed(summary, kept)) {
            continue;
        }
        uint64_t count = kept->count - kept->over;
        fputs("    ", text->out);
        write_share(text, count, values->total);
        text_out_bytes(text->out, kept->text, false);
        fputs(kept->cut ? "..." : "", text->out);
        fputs(kept->over != 0 ? "  (or more often)\n" : "\n", text->out);
        rest -= count;
        listed++;
    }
    if (rest != 0) {
        fputs("    ", text->out);
        write_share(text, rest, values->total);
        fputs("all others\n", text->out);
    }
}

/* ---- over time ---- */

/* Heights from 0 to 1; NAN for no value. */
struct row {
    const char *name;
    double heights[ILPI_TIME_SLOTS + 1];
};

/* NAN everywhere: slots are listed only if they have a value. */
static void begin_row(struct row *row, const char *name)
{
    row->name = name;
    for (size_t i = 0; i < sizeof row->heights / sizeof row->heights[0]; i++) {
        row->heights[i] = NAN;
    }
}

/*   rate     |_.:  -=+*#|  SCALE       a blank for a slot without a value */
static void write_row(const struct drawing *text, const struct row *row, const char *scale)
{
    fprintf(text->out, "    %-9s|", row->name);
    for (uint32_t i = 0; i < text->report->slot_count; i++) {
        if (isnan(row->heights[i])) {
            fputc(' ', text->out);
        } else {
            /* the nearest of eight heights; the lowest one is not a blank */
            draw(text->out, text->pen, text->pen->heights, (unsigned)(row->heights[i] * 7 + 0.5));
        }
    }
    fprintf(text->out, "|%s%s\n", scale[0] != '\0' ? "  " : "", scale);
}

/* Relative to the busiest slot; slots without values stay blank. */
static void write_rate(const struct drawing *text, const struct ilpi_value_summary *summary)
{
    uint64_t most = ilpi_value_summary_busiest(summary);
    struct number_text width;
    struct row row;
    char scale[96];
    begin_row(&row, "rate");
    for (size_t i = 0; i < summary->slots.count; i++) {
        row.heights[summary->slots.items[i].index] = (double)summary->slots.items[i].returns /
                                                     (double)most;
    }
    snprintf(scale, sizeof scale, "at most %" PRIu64 " in %s", most,
             duration_text(&width, text->report->slot));
    write_row(text, &row, scale);
}

/* Three rows, on the scale of the histogram above them. */
static void write_numbers(const struct drawing *text, const struct ilpi_value_summary *summary)
{
    struct row least;
    struct row median;
    struct row greatest;
    struct ilpi_histogram histogram;
    ilpi_histogram_make(&histogram, &summary->numbers);
    begin_row(&least, "least");
    begin_row(&median, "median");
    begin_row(&greatest, "greatest");
    for (size_t i = 0; i < summary->slots.count; i++) {
        const struct ilpi_distribution *numbers = &summary->slots.items[i].numbers;
        uint32_t at = summary->slots.items[i].index;
        if (numbers->count != 0) {
            least.heights[at] = ilpi_histogram_place(&histogram, ilpi_distribution_least(numbers));
            median.heights[at] = ilpi_histogram_place(&histogram,
                                                      ilpi_distribution_quantile(numbers, 0.5));
            greatest.heights[at] = ilpi_histogram_place(&histogram,
                                                        ilpi_distribution_greatest(numbers));
        }
    }
    write_row(text, &least, histogram.scale == SCALE_POWERS ? "higher by powers, as above" : "");
    write_row(text, &median, "");
    write_row(text, &greatest, "");
}

/* ---- methods ---- */

/* A distribution needs two numbers, a course of time two slots and two values. */
static void write_method(const struct drawing *text, const struct value_method *method)
{
    const struct ilpi_traced_process *process = text->report->traced.process;
    const struct ilpi_value_summary *summary = &method->summary;
    struct name name;
    fputc('\n', text->out);
    text_out_bytes(text->out, method_name(text->report->trace, process, method->method, &name),
                   false);
    if (method->method < process->methods.count &&
        process->methods.items[method->method].signature.size != 0) {
        fputs("\n  ", text->out);
        text_out_bytes(text->out, process->methods.items[method->method].signature, false);
    }
    fputc('\n', text->out);
    write_kinds(text, method);
    if (summary->numbers.count > 1) {
        write_statistics(text, summary);
        write_histogram(text, summary);
    }
    write_frequent(text, summary);
    if (text->report->slot_count > 1 && summary->values.total > 1) {
        fputs("  over time\n", text->out);
        write_rate(text, summary);
        if (summary->numbers.count > 1) {
            write_numbers(text, summary);
        }
    }
}

/* What is missing is in the head, before the numbers that it qualifies. */
static void write_head(const struct drawing *text, const struct trace *trace)
{
    const struct value_report *report = text->report;
    const struct ilpi_traced_process *process = report->traced.process;
    struct number_text begin;
    struct number_text end;
    struct number_text slot;
    struct name name;
    FILE *out = text->out;
    fprintf(out, "process %u: ", process->number);
    text_out_bytes(out, process_name(process, &name), false);
    if (process->runtime.size != 0) {
        fputs("\n  ", out);
        text_out_bytes(out, process->runtime, false);
    }
    fprintf(out,
            "\n  %" PRIu64 " value%s of %zu method%s, from %s to %s; a column over time is %s\n",
            report->values, plural(report->values), report->methods.count,
            plural(report->methods.count), duration_text(&begin, report->begin - trace->base),
            duration_text(&end, report->end - trace->base), duration_text(&slot, report->slot));
    if (report->silent != 0) {
        fprintf(out, "  %" PRIu64 " more method%s returned, of which no value was recorded\n",
                report->silent, plural(report->silent));
    }
    if (report->lost != 0) {
        fprintf(out, "  %" PRIu64 " records were lost\n", report->lost);
    }
    if (report->values == 0) {
        fputs("  ilpatch trace --values records values\n", out);
    }
}

ilp_status write_values_text(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    struct exported_process traced = {.file = NULL};
    while (next_process(trace, &traced)) {
        struct value_report report;
        struct drawing text = {out, pen_for(out), &report};
        fputs(traced.number != 0 ? "\n" : "", out);
        ilp_status status = value_report_open(&report, trace, &traced, error);
        if (status == ILP_OK) {
            write_head(&text, trace);
            for (size_t i = 0; i < report.methods.count; i++) {
                write_method(&text, report.methods.items[i]);
            }
        }
        value_report_close(&report);
        ILPI_TRY(status);
    }
    return ILP_OK;
}
