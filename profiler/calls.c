/* Tracks calls: a stack of open ones, and the texts and outcomes that they keep, each in a stack of
 * its own. See calls.h. Calls that have ended are recognised by the stack pointer when the next one
 * begins, so no end has to be reported. */
#include "profiler/calls.h"

#include <stdlib.h>
#include <string.h>

void calls_close(struct calls *calls)
{
    free(calls->items);
    free(calls->text);
    free(calls->outcomes);
    *calls = (struct calls){.count = 0};
}

/* What a dropped call has kept is at the end of both stacks, so their sizes are cut with it. */
static void drop(struct calls *calls, size_t count)
{
    if (count < calls->count) {
        calls->count = count;
        calls->text_size = calls->items[count].at;
        calls->outcome_count = calls->items[count].outcomes;
    }
}

/* Drops calls whose frames are below the used part of the stack. */
static void drop_below(struct calls *calls, uintptr_t stack)
{
    size_t count = calls->count;
    while (count > 0 && calls->items[count - 1].frame < stack) {
        count--;
    }
    drop(calls, count);
}

/* Drops an earlier call with this local in this frame, and those that began after it. */
static void drop_replaced(struct calls *calls, uintptr_t local, uintptr_t frame)
{
    for (size_t i = calls->count; i-- > 0 && calls->items[i].frame == frame;) {
        if (calls->items[i].local == local) {
            drop(calls, i);
        }
    }
}

/* Memory for `more` items after `count`: the old one, or larger; NULL: no memory. */
static void *grow(void *items, size_t item, size_t count, size_t more, size_t *room)
{
    enum { FIRST_ITEMS = 16 };
    if (items && *room - count >= more) {
        return items;
    }
    size_t larger = 2 * (count + more) + FIRST_ITEMS;
    void *grown = realloc(items, larger * item);
    *room = grown ? larger : *room;
    return grown;
}

static bool has_room(struct calls *calls, struct call_room room)
{
    struct call *items = grow(calls->items, sizeof *items, calls->count, 1, &calls->room);
    calls->items = items ? items : calls->items;
    char *text = grow(calls->text, 1, calls->text_size, room.text, &calls->text_room);
    calls->text = text ? text : calls->text;
    struct ilpi_condition_result *outcomes = grow(calls->outcomes, sizeof *outcomes,
                                                  calls->outcome_count, room.outcomes,
                                                  &calls->outcome_room);
    calls->outcomes = outcomes ? outcomes : calls->outcomes;
    return items && text && outcomes;
}

/* Without room for one more all are forgotten, and `lost` is set: their values are then shown
 * without arguments, and a condition on them is not known. */
struct call *calls_begin(struct calls *calls, uintptr_t local, int64_t id, uintptr_t frame,
                         struct call_room room)
{
    drop_below(calls, frame);
    drop_replaced(calls, local, frame);
    if (!has_room(calls, room)) {
        drop(calls, 0);
        calls->lost = true;
        return NULL;
    }
    struct call *call = &calls->items[calls->count++];
    *call = (struct call){.local = local,
                          .frame = frame,
                          .id = id,
                          .at = calls->text_size,
                          .outcomes = calls->outcome_count};
    calls->text_size += room.text;
    calls->outcome_count += room.outcomes;
    line_begin(&call->line, calls->text + call->at, room.text);
    return call;
}

/* The youngest call, if it is of this method and still gets arguments. */
struct call *calls_last(struct calls *calls, int64_t id, uintptr_t stack)
{
    drop_below(calls, stack);
    struct call *last = calls->count != 0 ? &calls->items[calls->count - 1] : NULL;
    return last && last->id == id && !last->over ? last : NULL;
}

/* The text may have moved since: its memory grows with other calls. */
struct line *calls_line(const struct calls *calls, struct call *call)
{
    call->line.to = calls->text + call->at;
    return &call->line;
}

struct ilpi_condition_result *calls_outcomes(const struct calls *calls, const struct call *call)
{
    return calls->outcomes + call->outcomes;
}

/* What the text did not need of its room is left to the next call. */
void calls_end_text(struct calls *calls, struct call *call)
{
    call->over = true;
    if (call == &calls->items[calls->count - 1]) {
        calls->text_size = call->at + call->line.size;
    }
}

struct call *calls_find(struct calls *calls, uintptr_t local, int64_t id, uintptr_t stack)
{
    drop_below(calls, stack);
    for (size_t i = calls->count; i-- > 0;) {
        struct call *call = &calls->items[i];
        if (call->id == id && (local == 0 || call->local == local)) {
            return call;
        }
    }
    return NULL;
}

void calls_leave(struct calls *calls, const struct call *call)
{
    drop(calls, (size_t)(call - calls->items));
}
