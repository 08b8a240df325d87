/* Which values are shown, as --when and the `when` of rules, --sample, --rate, --limit and --for
 * say, one after the other:
 *
 *   met by the conditions -> each Nth -> so many a second -> so many in all -> for so long
 *
 * Values are counted per thread, so that a value that is not shown costs its comparison. */
#ifndef ILPI_CHOICE_H
#define ILPI_CHOICE_H

#include "host/choice_options.h"
#include "values/shape.h"

/* Before any value comes; `settings` is borrowed until choice_close(). */
void choice_open(const struct choice_settings *settings);
void choice_close(void);

/* A rule has a condition of its own: what is counted is met by both. */
void choice_expect_rules(void);

/* What one thread needs; zeroed before its first value, and closed by the thread itself. */
struct choice_thread {
    struct ilpi_condition_scratch *scratch;
    struct choice_thread *next;
    /* written by the thread alone; read at the end */
    _Atomic uint64_t tested, met, unknown;
    bool counted; /* it is one of those that are counted at the end */
};
void choice_thread_close(struct choice_thread *thread);

/* Whether some values may not be shown; `own` as below. */
bool choice_narrows(const struct ilpi_condition *own);

/* Whether a value is shown; `own` is the condition of its rule, NULL: it has none. It runs where
 * shape_put() does (values/shape.h). */
bool choice_takes(struct choice_thread *thread, const struct ilpi_condition *own,
                  const struct shaped_value *value);

/* At the end: how many were not shown, and why. */
void choice_tell_end(void);

#endif
