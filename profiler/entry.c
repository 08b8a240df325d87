/* Collects arguments: begins a call, adds each argument's text and outcomes, and gives both to its
 * value. See entry.h. */
#include "profiler/entry.h"

#include <string.h>

#include "profiler/hooks/clock.h"

/* Appends an argument to the line; NULL: it is withheld. */
static void add_text(struct calls *calls, struct call *call, const struct entry_method *entry,
                     const struct shaped_value *value)
{
    if (entry->shows && !call->refused && call->next >= entry->first) {
        shown_arguments_add(calls_line(calls, call), entry->method, call->next - entry->first,
                            &call->shown, value);
    }
}

static bool is_timed(const struct entry_method *entry)
{
    return (entry->shows && !entry->at_end) || entry->choice->is_timed;
}

/* Appends withheld arguments up to the next passed one; after the last one the end, from which the
 * call's duration is measured. */
static void go_on(struct calls *calls, struct call *call, const struct entry_method *entry)
{
    for (; call->next < entry->argument_count && entry->arguments[call->next].withheld;
         call->next++) {
        add_text(calls, call, entry, NULL);
    }
    if (call->next < entry->argument_count) {
        return;
    }
    if (entry->shows && !call->refused) {
        shown_arguments_end(calls_line(calls, call));
    }
    calls_end_text(calls, call);
    if (is_timed(entry)) {
        call->begin = hooks_now();
    }
}

bool entry_is_needed(const struct entry_method *entry, bool only_counts)
{
    return entry->arguments &&
           (!only_counts || entry->choice->outcome_count != 0 || entry->choice->is_timed);
}

/* Without memory for the call its arguments are not collected (calls.lost). */
void entry_begin(struct calls *calls, const struct entry_method *entry, uintptr_t local, int64_t id,
                 uintptr_t frame)
{
    const struct choice_method *choice = entry->choice;
    const struct call_room room = {entry->shows ? shown_arguments_room() : 0,
                                   choice->outcome_count};
    struct call *call = calls_begin(calls, local, id, frame, room);
    if (call) {
        memcpy(calls_outcomes(calls, call), choice->outcomes,
               room.outcomes * sizeof *choice->outcomes);
        if (entry->shows) {
            shown_arguments_begin(calls_line(calls, call));
        }
        go_on(calls, call, entry);
    }
}

/* NULL also if a condition has refused the call already: then no argument has to be written. */
const struct entry_argument *entry_waits_for(const struct call *call,
                                             const struct entry_method *entry)
{
    const struct entry_argument *argument = &entry->arguments[call->next];
    return argument->kept && !call->refused ? argument : NULL;
}

/* A refused call keeps its place, without text, for its end must still find it. */
void entry_pass(struct calls *calls, struct call *call, const struct entry_method *entry,
                struct choice_thread *thread, const struct shaped_value *value)
{
    const struct entry_argument *argument = entry_waits_for(call, entry);
    if (argument && argument->tested &&
        !choice_pass(thread, entry->choice, call->next, value, calls_outcomes(calls, call))) {
        call->refused = true;
        calls_line(calls, call)->size = 0;
    }
    if (argument) {
        add_text(calls, call, entry, value);
    }
    call->next++;
    go_on(calls, call, entry);
}

/* If the call is still followed by its end (an exception that another filter may handle), it
 * stays. */
struct left_call entry_leave(struct calls *calls, const struct entry_method *entry,
                             const void *value, int64_t id, uintptr_t stack, bool threw)
{
    struct left_call left = {.choice = {.lost = calls->lost}};
    struct call *call = calls_find(calls, (uintptr_t)value, id, stack);
    if (!call) {
        return left;
    }
    const struct line *line = calls_line(calls, call);
    if (!call->refused && is_timed(entry)) {
        left.choice.elapsed = hooks_since(call->begin);
    }
    left.choice.outcomes = calls_outcomes(calls, call);
    left.choice.refused = call->refused;
    left.call = (struct shown_call){call->over ? line->to : NULL, line->size, line->units,
                                    left.choice.elapsed, !entry->at_end};
    left.shows = entry->shows;
    if (!threw || entry->at_end) {
        calls_leave(calls, call);
    }
    return left;
}
