/* Which values and exceptions are shown, as --when and the `when` of rules, --sample, --rate,
 * --limit and --for say, one after the other:
 *
 *   met by the conditions -> for so long -> each Nth -> so many a second of its method -> so many a
 *   second -> so many in all
 *
 * Values are counted per thread, so that a value that is not shown costs its comparison. What
 * conditions say of arguments is found when these are passed, and waits for the value. */
#ifndef ILPI_CHOICE_H
#define ILPI_CHOICE_H

#include "host/choice_options.h"
#include "profiler/choice_method.h"
#include "profiler/thread_list.h"
#include "values/read.h"
#include "values/shape.h"

/* Before any value comes; `settings` is borrowed until choice_close(). */
void choice_open(const struct choice_settings *settings);
void choice_close(void);

/* A rule has a condition of its own: what is counted is met by both. */
void choice_expect_rules(void);

/* What one thread needs; zeroed before its first value, and closed by the thread itself. */
struct choice_thread {
    struct listed_thread listed;
    struct ilpi_condition_scratch *scratch;
    /* written by the thread alone; read at the end */
    _Atomic uint64_t tested, met, unknown, left_by_pace;
    uint32_t calls; /* pace_count() */
};
void choice_thread_close(struct choice_thread *thread);

/* The condition of all values; NULL: there is none. */
const struct ilpi_condition *choice_condition(void);

/* What is known of a call besides its value: what was found at its entry. */
struct choice_call {
    const struct ilpi_condition_result *outcomes; /* NULL: its entry is not known, */
    bool lost;                                    /* perhaps for want of memory */
    bool refused;                                 /* choice_pass() was false */
    uint64_t elapsed;                             /* ns, if the method is timed */
};

/* These two run where shape_put() does (values/shape.h). */

/* An argument of a call that begins, by its number among those that are passed; NULL: it cannot be
 * read. `outcomes` were those of the method before the first one. False: a condition is not met,
 * whatever comes. */
bool choice_pass(struct choice_thread *thread, const struct choice_method *method,
                 uint32_t argument, const struct shaped_value *value,
                 struct ilpi_condition_result *outcomes);

/* Whether some values of a method may not be shown. */
bool choice_narrows(const struct choice_method *method);

/* Whether the end of a call is shown, with its value. */
bool choice_takes(struct choice_thread *thread, const struct choice_method *method,
                  const struct choice_call *call, enum call_end end,
                  const struct shaped_value *value);

/* The same answer sooner: true where a value, which has been returned and is not null, is an
 * integer that does not meet the one condition that there is. */
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

/* The same where a method has shown as many values as it may for now: true for any. */
static inline bool choice_is_over(struct choice_thread *thread, const struct choice_method *method)
{
    if (!method->is_paced_at_once || !pace_is_over(method->pace) || !thread->listed.listed) {
        return false;
    }
    pace_count(method->pace, &thread->calls);
    count_own(&thread->left_by_pace);
    return true;
}

/* A call whose cost counts, whatever becomes of its value. */
static inline void choice_count_call(struct choice_thread *thread,
                                     const struct choice_method *method)
{
    if (method->pace) {
        pace_count(method->pace, &thread->calls);
    }
}

/* One more that is left out so. */
void choice_leave_paced(struct choice_thread *thread);

/* Memory for its pace, if it has one; errors are for that. After choice_method_open(). */
ilp_status choice_pace_method(struct choice_method *method, struct ilp_arena *arena,
                              struct ilp_error *error);

/* At the end: how many were not shown, and why. */
void choice_tell_end(void);

#endif
