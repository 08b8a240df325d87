/* See calls.h. */
#include "profiler/calls.h"

#include <stdlib.h>
#include <string.h>

void calls_close(struct calls *calls)
{
    free(calls->items);
    free(calls->text);
    *calls = (struct calls){NULL, 0, 0, NULL, 0, 0};
}

static void drop(struct calls *calls, size_t count)
{
    if (count < calls->count) {
        calls->count = count;
        calls->text_size = calls->items[count].at;
    }
}

static void drop_below(struct calls *calls, uintptr_t stack)
{
    size_t count = calls->count;
    while (count > 0 && calls->items[count - 1].local < stack) {
        count--;
    }
    drop(calls, count);
}

static bool has_room(struct calls *calls, size_t room)
{
    enum { FIRST_CALLS = 16 };
    if (calls->count == calls->room) {
        size_t more = calls->room != 0 ? 2 * calls->room : FIRST_CALLS;
        struct call *items = realloc(calls->items, more * sizeof *items);
        if (!items) {
            return false;
        }
        calls->items = items;
        calls->room = more;
    }
    if (calls->text_room - calls->text_size < room) {
        size_t more = 2 * (calls->text_size + room);
        char *text = realloc(calls->text, more);
        if (!text) {
            return false;
        }
        calls->text = text;
        calls->text_room = more;
    }
    return true;
}

struct call *calls_begin(struct calls *calls, uintptr_t local, int64_t id, uintptr_t stack,
                         size_t room)
{
    drop_below(calls, stack);
    if (calls->count != 0 && calls->items[calls->count - 1].local == local) {
        drop(calls, calls->count - 1);
    }
    if (!has_room(calls, room)) {
        return NULL;
    }
    struct call *call = &calls->items[calls->count++];
    *call = (struct call){.local = local, .id = id, .at = calls->text_size};
    calls->text_size += room;
    line_begin(&call->line, calls->text + call->at, room);
    return call;
}

struct call *calls_last(struct calls *calls, int64_t id, uintptr_t stack)
{
    drop_below(calls, stack);
    struct call *last = calls->count != 0 ? &calls->items[calls->count - 1] : NULL;
    return last && last->id == id && !last->over ? last : NULL;
}

struct line *calls_line(const struct calls *calls, struct call *call)
{
    call->line.to = calls->text + call->at;
    return &call->line;
}

void calls_end_text(struct calls *calls, struct call *call)
{
    call->over = true;
    if (call == &calls->items[calls->count - 1]) {
        calls->text_size = call->at + call->line.size;
    }
}

struct call *calls_find(const struct calls *calls, uintptr_t local, int64_t id)
{
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
