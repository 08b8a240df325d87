/* Which values and exceptions are shown: --when and the `when` of rules, --sample, --rate, --limit
 * and --for, in this order:
 *
 *   conditions -> duration -> each Nth -> rate per method -> rate -> total limit
 *
 * Values are counted per thread, so that a value that is not shown costs only its comparison.
 * Conditions on arguments are tested when these are passed; the outcomes are kept for the value. */
#ifndef ILPI_CHOICE_H
#define ILPI_CHOICE_H

#include "host/choice_options.h"
#include "profiler/choice_method.h"
#include "profiler/thread_list.h"
#include "values/read.h"
#include "values/shape.h"

/* Call it before any value; `settings` is borrowed until choice_close(). */
void choice_open(const struct choice_settings *settings);
void choice_close(void);

/* Announces that a rule has a condition: then values that meet both are counted. */
void choice_expect_rules(void);

/* The state of one thread; zeroed before its first value, and closed by the thread itself. */
struct choice_thread {
    struct listed_thread listed;
    struct ilpi_condition_scratch *scratch;
    /* written by the thread alone; read at the end */
    _Atomic uint64_t tested, met, unknown, left_by_pace;
    uint32_t calls; /* pace_count() */
};
void choice_thread_close(struct choice_thread *thread);

/* The condition on all values; NULL: none. */
const struct ilpi_condition *choice_condition(void);

/* What is known of a call at its entry. */
struct choice_call {
    const struct ilpi_condition_result *outcomes; /* NULL: its entry is unknown */
    bool lost;                                    /* for lack of memory */
    bool refused;                                 /* choice_pass() returned false */
    uint64_t elapsed;                             /* ns, if the method is timed */
};

/* These two run under the rules of shape_put() (values/shape.h). */

/* Tests an argument of a call that begins, by its number among the passed ones; NULL: it cannot be
 * read. Before the first one, `outcomes` must be the method's. False: a condition is not met,
 * whatever follows. */
bool choice_pass(struct choice_thread *thread, const struct choice_method *method,
                 uint32_t argument, const struct shaped_value *value,
                 struct ilpi_condition_result *outcomes);

/* Whether some values of a method may be left out. */
bool choice_narrows(const struct choice_method *method);

/* Whether the end of a call is shown, with its value. */
bool choice_takes(struct choice_thread *thread, const struct choice_method *method,
                  const struct choice_call *call, enum call_end end,
                  const struct shaped_value *value);

/* A quick pre-check: true if a returned value, which is not null, is an integer that does not meet
 * the only condition. */
static inline bool choice_leaves(struct choice_thread *thread, const struct choice_method *method,
                                 const void *value, uint32_t size)
{
    if (!method->interval || size != method->integer_size || !thread->listed.listed) {
        return false;
    }
    uint64_t bits = method->integer_signed ? (uint64_t)read_signed(value, size)
                                           : read_unsigned(value, size);
    if (ilpi_condition_interval_meets(method->interval, bits)) {
        return false;
    }
    count_own(&thread->tested);
    return true;
}

/* A quick pre-check: true for any value if the method has used up its rate for now. */
static inline bool choice_is_over(struct choice_thread *thread, const struct choice_method *method)
{
    if (!method->is_paced_at_once || !pace_is_over(method->pace) || !thread->listed.listed) {
        return false;
    }
    pace_count(method->pace, &thread->calls);
    count_own(&thread->left_by_pace);
    return true;
}

/* Counts a call for --max-cost, whatever happens to its value. */
static inline void choice_count_call(struct choice_thread *thread,
                                     const struct choice_method *method)
{
    if (method->pace) {
        pace_count(method->pace, &thread->calls);
    }
}

/* Counts a value left out by that. */
void choice_leave_paced(struct choice_thread *thread);

/* Allocates its pace, if it has one; errors are for memory. After choice_method_open(). */
ilp_status choice_pace_method(struct choice_method *method, struct ilp_arena *arena,
                              struct ilp_error *error);

/* At the end: reports how many were left out, and why. */
void choice_report_end(void);

#endif
