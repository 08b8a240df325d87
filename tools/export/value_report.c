/* Sums up the returned values of a process. See value_report.h.
 *
 *   spool -> calls of each thread -> leave() -> struct value_method -> summary, slots of time
 *                                                     sorted by the number of values
 *
 * Summaries have a bounded size (src/trace/value_summary.h), but there may be many methods, so all
 * of them share the memory that a report of this spool may take. When it is used up, further
 * methods are left out, and file->cut says so. */
#include "tools/export/value_report.h"

#include <inttypes.h>
#include <math.h> /* frexp(), of the C library itself */
#include <stdlib.h>

const struct shown_quantile shown_quantiles[SHOWN_QUANTILES] = {
    {"median", 0.5}, {"p90", 0.9}, {"p99", 0.99}};

/* ---- time ---- */

/* 1, 2 or 5 times a power of ten, at least `least`. So that a reader can tell what time a slot
 * begins at. */
static uint64_t nice_width(uint64_t least)
{
    uint64_t width = 1;
    while (width < least && width <= UINT64_MAX / 10) {
        if (2 * width >= least || 5 * width >= least) {
            return (2 * width >= least ? 2 : 5) * width;
        }
        width *= 10;
    }
    return width;
}

/* All methods have the same slots: their charts can be compared. There are at most ILPI_TIME_SLOTS
 * of them, since a slot is wider than that part of the span. */
static void divide_time(struct value_report *report)
{
    report->begin = report->traced.process->start;
    report->end = ilpi_traced_end(report->traced.file, report->traced.process);
    uint64_t span = report->end - report->begin;
    report->slot = nice_width(span / ILPI_TIME_SLOTS + 1);
    report->slot_count = (uint32_t)(span / report->slot) + 1;
}

/* Times outside, which only a damaged spool has, count for the first or the last slot. */
static uint32_t slot_of(const struct value_report *report, uint64_t time)
{
    uint64_t slot = time > report->begin ? (time - report->begin) / report->slot : 0;
    return slot < report->slot_count ? (uint32_t)slot : report->slot_count - 1;
}

/* ---- reading ---- */

/* What summaries get in any case, however deep calls are nested. */
#define LEAST_ROOM ((size_t)1 << 18)

/* What leave() needs besides the report. `room` is the memory for summaries and open calls
 * together. */
struct reading {
    struct value_report *report;
    const struct trace *trace;
    struct ilpi_alloc *alloc; /* of the summaries */
    size_t room;
    size_t deepest; /* the largest number of open calls until now: `alloc` leaves room for them */
};

/* *found is NULL if there is no room for another method. */
static ilp_status find_method(struct reading *reading, uint32_t method, struct value_method **found,
                              struct ilp_error *error)
{
    /* in the table: a number without a definition is methods.count (trace/calls.h) */
    struct value_method **place = &reading->report->of_method[method];
    if (!*place) {
        *place = ilpi_resize(reading->alloc, NULL, 0, sizeof **place);
        if (!*place) {
            *found = NULL;
            return reading->alloc->full ? ILP_OK : ilpi_fail_memory(error, sizeof **place);
        }
        **place = (struct value_method){.method = method};
    }
    *found = *place;
    return ILP_OK;
}

/* With a filter, calls without a value are not wanted: nothing of them can be compared. */
static bool is_wanted(const struct reading *reading, uint32_t method,
                      const struct ilpi_call_ending *ending)
{
    return !reading->trace->filter ||
           (ending->value.data && takes_value(reading->trace, reading->report->traced.process,
                                              method, ending->time, ending->value));
}

/* Open calls use some of the memory, too. */
static void go_deeper(struct reading *reading, size_t depth)
{
    size_t taken = depth * sizeof(struct ilpi_call) + LEAST_ROOM;
    reading->deepest = depth;
    reading->alloc->hook.limit = reading->room > taken ? reading->room - taken : LEAST_ROOM;
}

/* Ends are counted for all calls, values are added for those that returned one. The value of a call
 * that threw is its exception, which is not a value of the method. */
static ilp_status leave(void *user, const struct ilpi_call *calls, size_t depth,
                        const struct ilpi_call_ending *ending, struct ilp_error *error)
{
    struct reading *reading = user;
    struct value_method *method;
    if (depth > reading->deepest) {
        go_deeper(reading, depth);
    }
    if (!is_wanted(reading, calls[depth - 1].method, ending)) {
        return ILP_OK;
    }
    ILPI_TRY(find_method(reading, calls[depth - 1].method, &method, error));
    if (!method) {
        return ILP_OK;
    }
    switch (ending->how) {
    case CALL_RETURNED: method->returned++; break;
    case CALL_TAILCALLED: method->tailcalls++; break;
    case CALL_UNWOUND: method->unwound++; break;
    default: method->unseen++; break;
    }
    if (!ending->value.data || ending->how == CALL_UNWOUND) {
        return ILP_OK;
    }
    return ilpi_value_summary_add(&method->summary, reading->alloc, ending->value,
                                  slot_of(reading->report, ending->time), error);
}

static ilp_status read_threads(struct value_report *report, const struct trace *trace,
                               struct ilp_error *error)
{
    struct ilpi_spool_file *file = report->traced.file;
    struct ilpi_traced_process *process = report->traced.process;
    struct reading reading = {
        .report = report, .trace = trace, .alloc = &report->alloc, .room = ilpi_report_room(file)};
    const struct ilpi_call_visitor visitor = {.user = &reading, .leave = leave};
    for (size_t i = 0; i < process->threads.count; i++) {
        struct ilpi_thread_story story;
        ILPI_TRY(ilpi_visit_calls(file, process, &process->threads.items[i], trace->subtract,
                                  &visitor, &story, error));
        report->lost += story.lost;
    }
    file->cut = file->cut || report->alloc.full;
    return ILP_OK;
}

/* ---- sorting ---- */

/* Busiest first; equal ones by number, so that the order is the same in each run. */
static int compare(const void *left, const void *right)
{
    const struct value_method *a = *(struct value_method *const *)left;
    const struct value_method *b = *(struct value_method *const *)right;
    uint64_t more = a->summary.values.total;
    uint64_t less = b->summary.values.total;
    return more != less ? (more < less ? 1 : -1)
                        : (a->method > b->method) - (a->method < b->method);
}

/* Methods that returned without a value are only counted (`silent`). */
static ilp_status sort_methods(struct value_report *report, struct ilp_error *error)
{
    struct ilpi_alloc *alloc = &report->traced.file->alloc;
    for (size_t i = 0; i <= report->traced.process->methods.count; i++) {
        struct value_method *method = report->of_method[i];
        if (method && method->summary.values.total != 0) {
            ilpi_values_sort(&method->summary.values);
            report->values += method->summary.values.total;
            ILPI_TRY(ILPI_LIST_ADD(alloc, &report->methods, method, error));
        } else if (method && method->returned != 0) {
            report->silent++;
        }
    }
    if (report->methods.count != 0) {
        qsort(report->methods.items, report->methods.count, sizeof *report->methods.items, compare);
    }
    return ILP_OK;
}

/* One more than there are definitions: for calls of a method whose definition is lost. */
static size_t size_of_table(const struct value_report *report)
{
    return (report->traced.process->methods.count + 1) * sizeof *report->of_method;
}

/* The table of methods comes from the file's memory, summaries from a part of it with a limit of
 * its own: the list of methods can still be made when they have used it up. */
ilp_status value_report_open(struct value_report *report, const struct trace *trace,
                             const struct exported_process *traced, struct ilp_error *error)
{
    *report = (struct value_report){.trace = trace, .traced = *traced};
    size_t size = size_of_table(report);
    report->of_method = ilpi_resize(&traced->file->alloc, NULL, 0, size);
    if (!report->of_method) {
        return ilpi_fail_memory(error, size);
    }
    memset(report->of_method, 0, size);
    ilpi_alloc_init_within(&report->alloc, &traced->file->alloc, LEAST_ROOM);
    divide_time(report);
    ILPI_TRY(read_threads(report, trace, error));
    return sort_methods(report, error);
}

/* Also after value_report_open() has failed, wherever it has stopped. */
void value_report_close(struct value_report *report)
{
    struct ilpi_alloc *alloc = &report->traced.file->alloc;
    size_t count = report->of_method ? report->traced.process->methods.count + 1 : 0;
    for (size_t i = 0; i < count; i++) {
        if (report->of_method[i]) {
            ilpi_value_summary_free(&report->of_method[i]->summary, &report->alloc);
            ilpi_resize(&report->alloc, report->of_method[i], sizeof *report->of_method[i], 0);
        }
    }
    ilpi_resize(alloc, report->of_method, count != 0 ? size_of_table(report) : 0, 0);
    ILPI_LIST_FREE(alloc, &report->methods);
}

void value_method_ends(const struct value_method *method, struct value_end ends[VALUE_ENDS])
{
    ends[0] = (struct value_end){method->returned - method->summary.values.total,
                                 "returned without a value"};
    ends[1] = (struct value_end){method->unwound, "ended by an exception"};
    ends[2] = (struct value_end){method->tailcalls, "ended by a tail call"};
    ends[3] = (struct value_end){method->unseen, "had no end"};
}

/* ---- texts ---- */

static const struct {
    const char *json;
    const char *text;
} kinds[] = {
#define KIND(name, json, text) {json, text},
#include "trace/value_kinds.def"
#undef KIND
};

const char *value_kind_name(enum ilpi_value_kind kind)
{
    return kinds[kind].json;
}

const char *value_kind_text(enum ilpi_value_kind kind)
{
    return kinds[kind].text;
}

/* Units of seconds. */
static const struct {
    double least;  /* the unit is for this number and larger ones */
    double factor; /* from seconds to the unit */
    const char *name;
} units[] = {{1, 1, " s"}, {1e-3, 1e3, " ms"}, {1e-6, 1e6, " us"}, {0, 1e9, " ns"}};

static double size_of(double number)
{
    return number < 0 ? -number : number;
}

#define MOST_INTEGER 9007199254740992.0 /* 2^53: up to it doubles represent all integers */

/* As many digits as a relative error leaves: 2 for 1 and above, 15 for none. */
static int digits_within(double error)
{
    int digits = 2;
    while (digits < 15 && error < 1) {
        error *= 10;
        digits++;
    }
    return digits;
}

/* Larger integers get 15 digits, then zeroes. */
static void put_integer(struct number_text *text, double number)
{
    char digits[32];
    if (size_of(number) <= MOST_INTEGER) {
        snprintf(text->text, sizeof text->text, "%" PRId64, (int64_t)number);
        return;
    }
    snprintf(digits, sizeof digits, "%.14e", size_of(number));
    /* 14 digits after the point are there; an integer has as many as the exponent says */
    int zeroes = atoi(strchr(digits, 'e') + 1) - 14;
    snprintf(text->text, sizeof text->text, "%s%c%.14s%.*s", number < 0 ? "-" : "", digits[0],
             digits + 2, zeroes, "000000000000");
}

/* Times in the largest unit of which there is at least one; the text is in *text.
 *
 *   a time                       1.5 ms
 *   an integer without error     all digits; above 2^53 15 of them, then zeroes
 *   another number               the digits that are certain: %g with digits_within() */
const char *number_text(struct number_text *text, enum ilpi_value_kind unit, double number,
                        double error)
{
    int digits = digits_within(error);
    size_t i = 0;
    if (unit == VALUE_CLOCK) {
        while (number != 0 && size_of(number) < units[i].least) {
            i++;
        }
        snprintf(text->text, sizeof text->text, "%.*g%s", digits, number * units[i].factor,
                 units[i].name);
    } else if (digits == 15 && size_of(number) < 1e19 &&
               (size_of(number) > MOST_INTEGER || number == (double)(int64_t)number)) {
        put_integer(text, number);
    } else {
        snprintf(text->text, sizeof text->text, "%.*g", digits, number);
    }
    return text->text;
}

/* Powers of two with many decimal digits are written with their exponents. As times, they are
 * rounded. */
static void edge_text(struct number_text *text, enum ilpi_value_kind unit, enum ilpi_scale scale,
                      double edge)
{
    int exponent;
    /* a power of two is 0.5 * 2^exponent, thus exponent - 1 in the text */
    double part = frexp(edge, &exponent);
    bool is_power = scale == SCALE_POWERS && size_of(part) == 0.5 && unit != VALUE_CLOCK;
    if (is_power && (exponent > 21 || exponent < -9)) {
        snprintf(text->text, sizeof text->text, "%s2^%d", part < 0 ? "-" : "", exponent - 1);
    } else {
        number_text(text, unit, edge, scale == SCALE_POWERS && unit == VALUE_CLOCK ? 1e-4 : 0);
    }
}

/* A row of single values has no range. */
const char *range_text(struct range_text *text, enum ilpi_value_kind unit,
                       const struct ilpi_histogram *histogram, size_t row)
{
    struct number_text from;
    struct number_text to;
    edge_text(&from, unit, histogram->scale, histogram->rows[row].from);
    edge_text(&to, unit, histogram->scale, histogram->rows[row].to);
    if (histogram->scale == SCALE_VALUES) {
        snprintf(text->text, sizeof text->text, "%s", from.text);
    } else {
        snprintf(text->text, sizeof text->text, "[%s, %s)", from.text, to.text);
    }
    return text->text;
}

const char *duration_text(struct number_text *text, uint64_t nanoseconds)
{
    return number_text(text, VALUE_CLOCK, (double)nanoseconds / 1e9, 1e-4);
}
