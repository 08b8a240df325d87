/* Returned values as a page for a browser. The page is complete without its script, which adds
 * search and sorting. Each chart has a table of its data.
 *
 *   article    a process: facts, warnings
 *     table    all methods, the busiest first, up to MAX_LISTED
 *     section  a method, up to MAX_DRAWN: facts, distribution, frequent values, over time
 *
 * Everything that comes of the spool is written by page_text(), so it cannot be markup. Charts are
 * SVG with a label, and need no library. */
#include "tools/export/page.h"
#include "tools/export/value_report.h"

#include <inttypes.h>

#include "tools/tool.h"

#define MAX_DRAWN    200u  /* methods */
#define MAX_LISTED   5000u /* the rest is a number */
#define MAX_FREQUENT 24u
#define LEAST_SHARE  1.0 /* percent */

/* What all functions here need; `method` is the current one. */
struct value_page {
    FILE *out;
    const struct trace *trace;
    const struct value_report *report;
    const struct value_method *method;
};

/* 0 of 0 is 0: a process without values has no shares. */
static double percent(uint64_t part, uint64_t whole)
{
    return whole != 0 ? 100 * (double)part / (double)whole : 0;
}

/* ---- parts of tables ---- */

static void write_count(FILE *out, uint64_t count)
{
    fprintf(out, "<td class=\"number\">%" PRIu64 "</td>", count);
}

/* A count, its share, and a bar; `most` is the count of a full bar. */
static void write_share(FILE *out, uint64_t count, uint64_t total, uint64_t most)
{
    write_count(out, count);
    fprintf(out,
            "<td class=\"number\">%.1f %%</td><td class=\"share\"><svg aria-hidden=\"true\">"
            "<rect width=\"%.2f%%\" height=\"100%%\"/></svg></td>",
            percent(count, total), percent(count, most));
}

/* The namespace, which many methods share, in a muted colour; a line may break after it. */
static void write_name(const struct value_page *page, const struct value_method *method)
{
    const struct ilpi_traced_process *process = page->report->traced.process;
    FILE *out = page->out;
    struct name name;
    struct ilp_bytes full = method_name(page->trace, process, method->method, &name);
    size_t size = namespace_size(full, &name);
    fputs("<bdi>", out);
    if (size != 0) {
        fputs("<span class=\"space\">", out);
        page_text(out, (struct ilp_bytes){full.data, size});
        fputs("</span>", out);
    }
    fputs("<span class=\"member\">", out);
    page_text(out, (struct ilp_bytes){full.data + size, full.size - size});
    fputs("</span>", out);
    fputs("</bdi>", out);
}

/* ---- kinds of values ---- */

/* A count of 0 is left out. */
static void write_fact(FILE *out, const char *what, uint64_t count)
{
    if (count != 0) {
        fprintf(out, "<dt>%s</dt><dd>%" PRIu64 "</dd>", what, count);
    }
}

/* `distinct` is a count up to a limit, beyond it an estimate ("about"). */
static void write_facts(const struct value_page *page)
{
    const struct value_method *method = page->method;
    const struct ilpi_value_summary *summary = &method->summary;
    FILE *out = page->out;
    bool exact;
    uint64_t distinct = ilpi_value_summary_distinct(summary, &exact);
    struct value_end ends[VALUE_ENDS];
    fputs("<dl>", out);
    write_fact(out, "values", summary->values.total);
    fprintf(out, "<dt>different</dt><dd>%s%" PRIu64 "</dd>", exact ? "" : "about ", distinct);
    for (unsigned i = 0; i < VALUE_KIND_COUNT; i++) {
        write_fact(out, value_kind_text(i), summary->kinds[i]);
    }
    value_method_ends(method, ends);
    for (size_t i = 0; i < VALUE_ENDS; i++) {
        write_fact(out, ends[i].what, ends[i].count);
    }
    fputs("</dl>", out);
}

/* The least and greatest are shown as they were recorded; quantiles come of a histogram with a
 * known error. */
static void write_statistics(const struct value_page *page)
{
    const struct ilpi_value_summary *summary = &page->method->summary;
    const struct ilpi_distribution *numbers = &summary->numbers;
    double error = ilpi_distribution_error(numbers);
    struct number_text text;
    FILE *out = page->out;
    fputs("<dl><dt>least</dt><dd>", out);
    page_text(out, summary->least_text);
    for (size_t i = 0; i < SHOWN_QUANTILES; i++) {
        double quantile = ilpi_distribution_quantile(numbers, shown_quantiles[i].part);
        fprintf(out, "</dd><dt>%s</dt><dd>%s", shown_quantiles[i].name,
                number_text(&text, summary->unit, quantile, error));
    }
    fputs("</dd><dt>greatest</dt><dd>", out);
    page_text(out, summary->greatest_text);
    fprintf(out, "</dd><dt>mean</dt><dd>%s</dd></dl>",
            number_text(&text, summary->unit, numbers->sum / (double)numbers->count, 1e-4));
    if (error > 0) {
        fprintf(out, "<p class=\"hint\">Quantiles are within %.2g %%.</p>", 100 * error);
    }
}

/* A table whose bars are relative to the longest one. */
static void write_histogram(const struct value_page *page)
{
    const struct ilpi_value_summary *summary = &page->method->summary;
    struct ilpi_histogram histogram;
    struct range_text range;
    ilpi_histogram_make(&histogram, &summary->numbers);
    uint64_t most = ilpi_histogram_most(&histogram);
    fputs("<div><h3>Distribution</h3>", page->out);
    write_statistics(page);
    fprintf(page->out, "<table><caption>%" PRIu64 " %s</caption><tbody>", summary->numbers.count,
            value_kind_text(summary->unit));
    for (size_t i = 0; i < histogram.count; i++) {
        fprintf(page->out, "<tr><th scope=\"row\" class=\"range\">%s</th>",
                range_text(&range, summary->unit, &histogram, i));
        write_share(page->out, histogram.rows[i].count, summary->numbers.count, most);
        fputs("</tr>\n", page->out);
    }
    fputs("</tbody></table></div>\n", page->out);
}

/* If not all values were kept, only frequent ones are listed. The count of a kept value may be too
 * high by `over`, so its lower bound decides. */
static bool is_listed(const struct ilpi_value_summary *summary, size_t at)
{
    const struct ilpi_kept_value *kept = &summary->values.kept.items[at];
    return at < MAX_FREQUENT &&
           (!summary->evicted ||
            percent(kept->count - kept->over, summary->values.total) >= LEAST_SHARE);
}

/* Counts are lower bounds; where one may be higher, "or more often" says so. */
static void write_frequent(const struct value_page *page)
{
    const struct ilpi_value_summary *summary = &page->method->summary;
    const struct ilpi_values *values = &summary->values;
    uint64_t rest = values->total;
    FILE *out = page->out;
    if (!is_listed(summary, 0)) {
        return;
    }
    fprintf(out,
            "<div class=\"frequent\"><h3>Most frequent values</h3><table><caption>of %" PRIu64
            "</caption><tbody>",
            values->total);
    for (size_t i = 0; i < values->kept.count; i++) {
        const struct ilpi_kept_value *kept = &values->kept.items[i];
        uint64_t count = kept->count - kept->over;
        if (!is_listed(summary, i)) {
            continue;
        }
        fputs("<tr><th scope=\"row\"><code>", out);
        page_text(out, kept->text);
        fprintf(out, "%s</code>%s</th>", kept->cut ? "…" : "",
                kept->over != 0 ? " <span class=\"hint\">or more often</span>" : "");
        write_share(out, count, values->total, values->total);
        fputs("</tr>\n", out);
        rest -= count;
    }
    if (rest != 0) {
        fputs("<tr><th scope=\"row\">all others</th>", out);
        write_share(out, rest, values->total, values->total);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* ---- over time ---- */

/* The beginning of a slot, from the start of the first process. */
static const char *slot_time(const struct value_page *page, uint32_t slot, struct number_text *text)
{
    const struct value_report *report = page->report;
    return duration_text(text, report->begin - page->trace->base + slot * report->slot);
}

/* "1.2 s: 40 values, 3 to 9, median 5" */
static void write_slot_text(const struct value_page *page, const struct ilpi_time_slot *slot)
{
    const struct ilpi_distribution *numbers = &slot->numbers;
    enum ilpi_value_kind unit = page->method->summary.unit;
    struct number_text text;
    FILE *out = page->out;
    fprintf(out, "<title>%s: %" PRIu64 " value%s", slot_time(page, slot->index, &text),
            slot->returns, plural(slot->returns));
    if (numbers->count != 0) {
        fprintf(out, ", %s", number_text(&text, unit, ilpi_distribution_least(numbers), 1e-4));
        fprintf(out, " to %s", number_text(&text, unit, ilpi_distribution_greatest(numbers), 1e-4));
        fprintf(out, ", median %s",
                number_text(&text, unit, ilpi_distribution_quantile(numbers, 0.5), 1e-4));
    }
    fputs("</title>", out);
}

/* Begins a chart with a height of 100 units and one unit of width per slot. The picture is
 * stretched to the width of the page, so positions need no measuring in the browser. */
static void begin_chart(const struct value_page *page, const char *kind, const char *label,
                        const char *top, const char *bottom)
{
    fprintf(page->out,
            "<div class=\"chart %s\"><div class=\"axis\" aria-hidden=\"true\"><span>%s</span>"
            "<span>%s</span></div>"
            "<svg role=\"img\" aria-label=\"%s\" viewBox=\"0 0 %u 100\" "
            "preserveAspectRatio=\"none\">\n",
            kind, top, bottom, label, page->report->slot_count);
}

/* The vertical scale is that of the histogram, linear or by powers, so that both parts of the page
 * agree. 98 of 100 units: the median is a bar of 2.
 *
 *   y     0   the greatest edge      SVG counts downwards, so a place p of 0 to 98 is at 98 - p
 *        98   the least edge, under which a bar of 2 has room */
static void write_numbers_chart(const struct value_page *page)
{
    const struct ilpi_value_summary *summary = &page->method->summary;
    const struct ilpi_distribution *all = &summary->numbers;
    struct ilpi_histogram histogram;
    struct number_text top;
    struct number_text bottom;
    ilpi_histogram_make(&histogram, all);
    bool edges = histogram.scale != SCALE_VALUES;
    begin_chart(page, "numbers", "Least, median and greatest number over time",
                number_text(&top, summary->unit,
                            edges ? histogram.rows[histogram.count - 1].to
                                  : ilpi_distribution_greatest(all),
                            1e-4),
                number_text(&bottom, summary->unit, histogram.rows[0].from, 1e-4));
    for (size_t i = 0; i < summary->slots.count; i++) {
        const struct ilpi_time_slot *slot = &summary->slots.items[i];
        const struct ilpi_distribution *numbers = &slot->numbers;
        if (numbers->count == 0) {
            continue;
        }
        double least = 98 * ilpi_histogram_place(&histogram, ilpi_distribution_least(numbers));
        double median = 98 *
                        ilpi_histogram_place(&histogram, ilpi_distribution_quantile(numbers, 0.5));
        double greatest = 98 *
                          ilpi_histogram_place(&histogram, ilpi_distribution_greatest(numbers));
        fputs("<g>", page->out);
        write_slot_text(page, slot);
        fprintf(page->out,
                "<rect class=\"band\" x=\"%u.05\" width=\".9\" y=\"%.1f\" height=\"%.1f\"/>"
                "<rect class=\"median\" x=\"%u\" width=\"1\" y=\"%.1f\" height=\"2\"/></g>\n",
                slot->index, 98 - greatest, greatest - least + 2, slot->index, 98 - median);
    }
    fputs("</svg></div>\n", page->out);
}

/* Relative to the busiest slot of this method. */
static void write_rate_chart(const struct value_page *page)
{
    const struct ilpi_value_summary *summary = &page->method->summary;
    uint64_t most = ilpi_value_summary_busiest(summary);
    char top[32];
    snprintf(top, sizeof top, "%" PRIu64, most);
    begin_chart(page, "rate", "How many values over time", top, "0");
    for (size_t i = 0; i < summary->slots.count; i++) {
        const struct ilpi_time_slot *slot = &summary->slots.items[i];
        double height = percent(slot->returns, most);
        fputs("<g>", page->out);
        write_slot_text(page, slot);
        fprintf(page->out,
                "<rect class=\"band\" x=\"%u.05\" width=\".9\" y=\"%.1f\" height=\"%.1f\"/></g>\n",
                slot->index, 100 - height, height);
    }
    fputs("</svg></div>\n", page->out);
}

/* The numbers of the charts, for those who cannot see them. */
static void write_series(const struct value_page *page)
{
    const struct ilpi_value_summary *summary = &page->method->summary;
    bool numbers = summary->numbers.count > 1;
    struct number_text text;
    FILE *out = page->out;
    fprintf(
        out,
        "<details><summary>As a table</summary><div class=\"scroll\"><table><thead><tr>"
        "<th scope=\"col\">from</th><th scope=\"col\" class=\"number\">values</th>%s</tr></thead>"
        "<tbody>",
        numbers ? "<th scope=\"col\" class=\"number\">least</th>"
                  "<th scope=\"col\" class=\"number\">median</th>"
                  "<th scope=\"col\" class=\"number\">greatest</th>"
                : "");
    for (size_t i = 0; i < summary->slots.count; i++) {
        const struct ilpi_time_slot *slot = &summary->slots.items[i];
        fprintf(out, "<tr><th scope=\"row\">%s</th>", slot_time(page, slot->index, &text));
        write_count(out, slot->returns);
        if (numbers && slot->numbers.count != 0) {
            const double shown[] = {ilpi_distribution_least(&slot->numbers),
                                    ilpi_distribution_quantile(&slot->numbers, 0.5),
                                    ilpi_distribution_greatest(&slot->numbers)};
            for (size_t k = 0; k < 3; k++) {
                fprintf(out, "<td class=\"number\">%s</td>",
                        number_text(&text, summary->unit, shown[k], 1e-4));
            }
        } else if (numbers) {
            fputs("<td></td><td></td><td></td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div></details>", out);
}

/* Numbers over time only if there are at least two; the rate always. */
static void write_time(const struct value_page *page)
{
    const struct value_report *report = page->report;
    struct number_text begin;
    struct number_text slot;
    struct number_text last;
    fprintf(page->out, "<div class=\"wide\"><h3>Over time</h3>");
    if (page->method->summary.numbers.count > 1) {
        fputs("<p class=\"legend\" aria-hidden=\"true\"><span class=\"band\"></span> least to "
              "greatest <span class=\"median\"></span> median</p>",
              page->out);
        write_numbers_chart(page);
    }
    write_rate_chart(page);
    fprintf(page->out,
            "<div class=\"times\" aria-hidden=\"true\"><span>%s</span><span>values, in %s each"
            "</span><span>%s</span></div>",
            slot_time(page, 0, &begin), duration_text(&slot, report->slot),
            slot_time(page, report->slot_count, &last));
    write_series(page);
    fputs("</div>\n", page->out);
}

/* ---- methods ---- */

/* A distribution needs two numbers, a course of time two slots. */
static void write_method(struct value_page *page, size_t number, size_t at)
{
    const struct ilpi_traced_process *process = page->report->traced.process;
    const struct value_method *method = page->report->methods.items[at];
    FILE *out = page->out;
    page->method = method;
    fprintf(out, "<section id=\"m%zu-%zu\"><h2>", number, at);
    write_name(page, method);
    fputs("</h2>", out);
    if (method->method < process->methods.count) {
        fputs("<p class=\"facts\"><bdi>", out);
        page_text(out, process->methods.items[method->method].signature);
        fputs("</bdi> · <bdi>", out);
        page_text(out, process->methods.items[method->method].module);
        fputs("</bdi></p>", out);
    }
    fputs("<div class=\"parts\"><div><h3>Values</h3>", out);
    write_facts(page);
    fputs("</div>", out);
    if (method->summary.numbers.count > 1) {
        write_histogram(page);
    }
    write_frequent(page);
    if (page->report->slot_count > 1 && method->summary.values.total > 1) {
        write_time(page);
    }
    fputs("</div></section>\n", out);
}

/* Medians are sorted by data-sort: their text is rounded, and may have a unit. */
static void write_list_row(const struct value_page *page, size_t number, size_t at)
{
    const struct value_method *method = page->report->methods.items[at];
    const struct ilpi_value_summary *summary = &method->summary;
    FILE *out = page->out;
    bool exact;
    struct number_text text;
    fputs("<tr><th scope=\"row\">", out);
    if (at < MAX_DRAWN) {
        fprintf(out, "<a href=\"#m%zu-%zu\">", number, at);
    }
    write_name(page, method);
    fputs(at < MAX_DRAWN ? "</a></th>" : "</th>", out);
    write_share(out, summary->values.total, page->report->values,
                page->report->methods.items[0]->summary.values.total);
    write_count(out, ilpi_value_summary_distinct(summary, &exact));
    if (method->unwound != 0) {
        write_count(out, method->unwound);
    } else {
        fputs("<td class=\"number\"></td>", out); /* some spools lack them */
    }
    if (summary->numbers.count != 0) {
        double median = ilpi_distribution_quantile(&summary->numbers, 0.5);
        fprintf(out, "<td class=\"number\" data-sort=\"%.17g\">%s</td></tr>\n", median,
                number_text(&text, summary->unit, median, 1e-4));
    } else {
        fputs("<td class=\"number\"></td></tr>\n", out);
    }
}

/* The share is of all values of the process, and a full bar is the busiest method's. */
static void write_list(const struct value_page *page, size_t number)
{
    const struct value_report *report = page->report;
    size_t count = report->methods.count < MAX_LISTED ? report->methods.count : MAX_LISTED;
    FILE *out = page->out;
    fputs("<div class=\"scroll\"><table class=\"list\"><thead><tr><th scope=\"col\">Method</th>"
          "<th scope=\"col\" class=\"number\">Values</th><th scope=\"col\" class=\"number\">Share"
          "</th><td></td><th scope=\"col\" class=\"number\">Different</th>"
          "<th scope=\"col\" class=\"number\">Exceptions</th>"
          "<th scope=\"col\" class=\"number\">Median</th></tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < count; i++) {
        write_list_row(page, number, i);
    }
    fputs("</tbody></table></div>\n", out);
}

/* ---- the process ---- */

/* What is missing, before any number. */
static void write_warnings(const struct value_page *page)
{
    const struct value_report *report = page->report;
    const uint64_t all = report->methods.count;
    const struct {
        uint64_t count;
        const char *one;
        const char *many;
    } counts[] = {{report->lost, "record was lost.", "records were lost."},
                  {report->silent, "more method returned, of which no value was recorded.",
                   "more methods returned, of which no value was recorded."},
                  {all > MAX_DRAWN ? all - MAX_DRAWN : 0,
                   "method, with fewer values than the others, is only listed.",
                   "methods, with fewer values than the others, are only listed."},
                  {all > MAX_LISTED ? all - MAX_LISTED : 0, "of them is not listed either.",
                   "of them are not listed either."}};
    fputs("<ul class=\"warnings\" aria-label=\"What this report does not show\">", page->out);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (counts[i].count != 0) {
            fprintf(page->out, "<li>%" PRIu64 " %s</li>", counts[i].count,
                    counts[i].count == 1 ? counts[i].one : counts[i].many);
        }
    }
    if (!report->traced.process->ended) {
        fputs("<li>The process did not end in order: what it did until then is here.</li>",
              page->out);
    }
    fputs("</ul>", page->out);
}

/* Facts and warnings, the list, then methods in the same order. */
static void write_report(struct value_page *page)
{
    const struct value_report *report = page->report;
    const struct ilpi_traced_process *process = report->traced.process;
    size_t number = report->traced.number;
    struct number_text begin;
    struct number_text end;
    struct name name;
    FILE *out = page->out;
    fputs("<article><header><h1><bdi>", out);
    page_text(out, process_name(process, &name));
    fprintf(out, "</bdi></h1><p class=\"facts\">process %u · <bdi>", process->number);
    page_text(out, process->runtime);
    fprintf(out, "</bdi> · %" PRIu64 " value%s of %zu method%s, from %s to %s</p>", report->values,
            plural(report->values), report->methods.count, plural(report->methods.count),
            duration_text(&begin, report->begin - page->trace->base),
            duration_text(&end, report->end - page->trace->base));
    write_warnings(page);
    fputs("</header>\n", out);
    if (report->values == 0) {
        fputs("<p class=\"empty\">No values were recorded: <code>ilpatch trace --values</code> "
              "records them.</p>",
              out);
    } else {
        write_list(page, number);
    }
    for (size_t i = 0; i < report->methods.count && i < MAX_DRAWN; i++) {
        write_method(page, number, i);
    }
    fputs("</article>\n", out);
}

/* One page for all processes, an article for each. */
ilp_status write_values_html(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    struct exported_process traced = {.file = NULL};
    page_begin(out, page_of_values());
    while (next_process(trace, &traced)) {
        struct value_report report;
        struct value_page page = {.out = out, .trace = trace, .report = &report};
        ilp_status status = value_report_open(&report, trace, &traced, error);
        if (status == ILP_OK) {
            write_report(&page);
        }
        value_report_close(&report);
        ILPI_TRY(status);
    }
    page_end(out, page_of_values());
    return ILP_OK;
}
