/* Chooses the values to show. See choice.h.
 *
 * The checks run from cheap and selective to costly: pace, the integer interval of the only
 * condition, the conditions, then the counters that threads share. A value that is left out touches
 * no memory of other threads. */
#include "profiler/choice.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "profiler/hooks/clock.h"
#include "profiler/status.h"
#include "values/operand.h"

#define SECOND 1000000000u

static const struct choice_settings everything = {.sample = 1};
static const struct choice_settings *settings = &everything;
static bool narrows; /* some values may be left out */
static uint64_t begun;

static atomic_bool rules_narrow; /* a rule has a condition */

static void forget_counts(void);

void choice_open(const struct choice_settings *given)
{
    forget_counts();
    settings = given;
    narrows = given->when || given->sample != 1 || given->rate != 0 || given->limit != 0 ||
              given->duration != 0;
    pace_open(given->method_rate, given->method_period);
    begun = hooks_clock_query();
}

void choice_close(void)
{
    narrows = false;
    settings = &everything;
    atomic_store(&rules_narrow, false);
}

void choice_expect_rules(void)
{
    atomic_store(&rules_narrow, true);
}

/* ---- threads ---- */

static struct thread_list threads = THREAD_LIST_EMPTY;
static uint64_t tested, met, unknown, left_by_pace; /* of threads that have ended */

static void add_up(struct listed_thread *listed)
{
    const struct choice_thread *thread = (const struct choice_thread *)listed;
    tested += counted_so_far(&thread->tested);
    met += counted_so_far(&thread->met);
    unknown += counted_so_far(&thread->unknown);
    left_by_pace += counted_so_far(&thread->left_by_pace);
}

void choice_thread_close(struct choice_thread *thread)
{
    thread_list_end(&threads, &thread->listed, add_up);
    ilpi_condition_scratch_close(thread->scratch);
    thread->scratch = NULL;
}

/* ---- the condition ---- */

/* Why it was first unknown: the outcome, and the column in the high half; 0: it never was. */
static _Atomic uint32_t first_unknown;

/* NULL also without memory: the condition is then unknown. */
static struct ilpi_condition_scratch *scratch_of(struct choice_thread *thread,
                                                 const struct ilpi_condition *when)
{
    if (!thread->scratch && ilpi_condition_needs_scratch(when)) {
        ilpi_condition_scratch_open(&thread->scratch, when, NULL, NULL);
    }
    return thread->scratch;
}

static void count_unknown(struct choice_thread *thread, struct ilpi_condition_result result)
{
    uint32_t first = atomic_load_explicit(&first_unknown, memory_order_relaxed);
    count_own(&thread->unknown);
    if (first == 0) { /* otherwise only read: writes would make threads wait for each other */
        atomic_compare_exchange_strong(&first_unknown, &first,
                                       (uint32_t)result.column << 16 | result.outcome);
    }
}

/* NO_VALUE is expected for a call without a value, such as one that threw: it is counted as not
 * met, and not as unknown. */
static bool meets(struct choice_thread *thread, const struct choice_method *method, uint32_t number,
                  const struct choice_call *known, enum call_end end,
                  const struct shaped_value *value)
{
    const struct ilpi_condition *when = method->when[number];
    /* of one integer comparison */
    const struct ilpi_condition_interval *intervals = ilpi_condition_intervals(when);
    bool is_signed;
    uint64_t bits;
    if (intervals && end == END_RETURNED && operand_integer(value, &is_signed, &bits)) {
        return ilpi_condition_interval_meets(&intervals[is_signed ? 0 : 1], bits);
    }
    struct operand_call call = operand_call(end, value);
    call.source.arguments = (known->outcomes ? known->outcomes : method->outcomes) +
                            method->first[number];
    call.elapsed = known->elapsed;
    call.has_elapsed = known->outcomes && method->is_timed;
    struct ilpi_condition_result result = ilpi_condition_test(when, &call.source,
                                                              scratch_of(thread, when));
    bool no_value = result.outcome == ILPI_CONDITION_NO_VALUE;
    if (no_value && known->lost) {
        result.outcome = ILPI_CONDITION_NO_MEMORY;
    }
    /* a condition on the value is naturally not met by a call without one */
    bool expected = no_value && !known->lost && end != END_RETURNED;
    if (result.outcome > ILPI_CONDITION_MET && !expected) {
        count_unknown(thread, result);
    }
    return result.outcome == ILPI_CONDITION_MET;
}

/* ---- arguments ---- */

const struct ilpi_condition *choice_condition(void)
{
    return settings->when;
}

static bool is_not_met(const struct choice_method *method, uint32_t number,
                       const struct ilpi_condition_result *outcomes)
{
    const struct ilpi_condition *when = method->when[number];
    const struct operand_call call = operand_entry(outcomes + method->first[number]);
    return when && ilpi_condition_test(when, &call.source, NULL).outcome == ILPI_CONDITION_NOT_MET;
}

/* A call whose arguments alone decide that it is not shown needs nothing more at its end. */
bool choice_pass(struct choice_thread *thread, const struct choice_method *method,
                 uint32_t argument, const struct shaped_value *value,
                 struct ilpi_condition_result *outcomes)
{
    const struct operand_call call = operand_argument(value);
    bool any = false;
    for (uint32_t i = 0; i < method->test_count; i++) {
        const struct choice_test *test = &method->tests[i];
        const struct ilpi_condition *when = method->when[test->condition];
        if (test->argument == argument) {
            outcomes[method->first[test->condition] + test->number] = ilpi_condition_test_argument(
                when, test->number, &call.source, scratch_of(thread, when));
            any = true;
        }
    }
    return !any || (!is_not_met(method, CHOICE_OF_RULE, outcomes) &&
                    !is_not_met(method, CHOICE_OF_ALL, outcomes));
}

/* ---- counters ---- */

static _Atomic uint64_t past_condition;  /* number of values, of which --sample takes some */
static _Atomic uint64_t period_and_rate; /* the number of the period << 32 | its values */
static _Atomic uint64_t taken;
static _Atomic uint64_t left_by_sample, left_by_rate, left_by_limit, left_by_time;

/* Resets counters of an earlier watch. */
static void forget_counts(void)
{
    _Atomic uint64_t *const counts[] = {&past_condition, &period_and_rate, &taken,
                                        &left_by_sample, &left_by_rate,    &left_by_limit,
                                        &left_by_time};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        atomic_store(counts[i], 0);
    }
    tested = met = unknown = left_by_pace = 0;
    atomic_store(&first_unknown, 0);
}

/* Period and count are one word, so that threads can agree with one compare-and-swap: the first of
 * a new period resets the count. */
static bool is_within_rate(void)
{
    uint64_t period = (hooks_clock_query() - begun) / settings->period;
    uint64_t old = atomic_load(&period_and_rate);
    uint64_t new;
    do {
        bool same = old >> 32 == (period & UINT32_MAX);
        if (same && (old & UINT32_MAX) >= settings->rate) {
            return false;
        }
        new = same ? old + 1 : period << 32 | 1;
    } while (!atomic_compare_exchange_weak(&period_and_rate, &old, new));
    return true;
}

static bool leave(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
    return false;
}

static bool is_over(void)
{
    return settings->duration != 0 && hooks_clock_query() - begun >= settings->duration;
}

/* Counting costs as much as leaving a call out, so it matters only if the calls themselves are
 * costly. */
static bool is_paced(const struct choice_method *method)
{
    return method->pace && (settings->method_rate != 0 || !settings->count);
}

bool choice_narrows(const struct choice_method *method)
{
    return narrows || method->when[CHOICE_OF_RULE] || is_paced(method);
}

/* Also counts calls for --max-cost. */
ilp_status choice_pace_method(struct choice_method *method, struct ilp_arena *arena,
                              struct ilp_error *error)
{
    if (settings->method_rate == 0 && settings->max_cost == 0) {
        return ILP_OK;
    }
    method->pace = ilpi_arena_array(arena, 1, sizeof *method->pace);
    method->is_paced_at_once = method->pace && settings->sample == 1 &&
                               !method->when[CHOICE_OF_RULE] && !method->when[CHOICE_OF_ALL];
    return method->pace ? ILP_OK : ilpi_fail_memory(error, sizeof *method->pace);
}

void choice_leave_paced(struct choice_thread *thread)
{
    thread_list_add(&threads, &thread->listed);
    count_own(&thread->left_by_pace);
}

/* The order is that of the options in docs/PROFILER.md: a value counts for --sample only if it
 * meets the conditions, and for --limit only if nothing before has left it out. */
bool choice_takes(struct choice_thread *thread, const struct choice_method *method,
                  const struct choice_call *call, enum call_end end,
                  const struct shaped_value *value)
{
    choice_count_call(thread, method);
    if (!choice_narrows(method)) {
        return true;
    }
    thread_list_add(&threads, &thread->listed);
    count_own(&thread->tested);
    if (call->refused) {
        return false;
    }
    for (uint32_t i = 0; i < CHOICE_CONDITIONS; i++) {
        if (method->when[i] && !meets(thread, method, i, call, end, value)) {
            return false;
        }
    }
    count_own(&thread->met);
    if (is_over()) {
        return leave(&left_by_time);
    }
    if (settings->sample != 1 && atomic_fetch_add(&past_condition, 1) % settings->sample != 0) {
        return leave(&left_by_sample);
    }
    if (is_paced(method) && !pace_take(method->pace)) {
        count_own(&thread->left_by_pace);
        return false;
    }
    if (settings->rate != 0 && !is_within_rate()) {
        return leave(&left_by_rate);
    }
    return settings->limit == 0 || atomic_fetch_add(&taken, 1) < settings->limit ||
           leave(&left_by_limit);
}

/* ---- the end ---- */

static void report_left_out(const char *option, uint64_t left)
{
    if (left != 0) {
        status_line("chosen", "%s left out %" PRIu64 " value%s", option, left,
                    left == 1 ? "" : "s");
    }
}

void choice_report_end(void)
{
    thread_list_sum(&threads, add_up);
    bool rules = atomic_load(&rules_narrow);
    const char *conditions = !rules           ? "--when was"
                             : settings->when ? "--when and when= were"
                                              : "when= was";
    if (settings->when || rules) {
        status_line("chosen", "%s met by %" PRIu64 " of %" PRIu64 " values", conditions, met,
                    tested);
    }
    uint32_t why = atomic_load(&first_unknown);
    if (unknown != 0) {
        status_line("values",
                    "%s neither met nor not met by %" PRIu64
                    " of them; the first: %s (column %" PRIu32 ")",
                    conditions, unknown, ilpi_condition_outcome_text(why & UINT16_MAX), why >> 16);
    }
    report_left_out("--sample", atomic_load(&left_by_sample));
    report_left_out("--method-rate", left_by_pace);
    report_left_out("--rate", atomic_load(&left_by_rate));
    report_left_out("--limit", atomic_load(&left_by_limit));
    report_left_out("--for", atomic_load(&left_by_time));
}
