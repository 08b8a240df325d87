/* Parses the JIT's two events about tail calls. See event.h. */
#include "profiler/tail/event.h"

#include "profiler/clr/wide.h"

/* UTF-16 up to a NUL. */
static void read_text(struct ilpi_cursor *cursor, char *text)
{
    const uint8_t *start = cursor->at;
    size_t units = 0;
    while (ilpi_read_u16(cursor) != 0) {
        units++;
    }
    narrow_into(text, TAIL_TEXT_SIZE, start, cursor->status == ILP_OK ? units : 0);
}

static void read_method(struct ilpi_cursor *cursor, struct tail_method *method)
{
    read_text(cursor, method->type);
    read_text(cursor, method->name);
    read_text(cursor, method->signature);
}

/* The reason of a failure is a text, the type of a success a number; TAIL_REFUSED, above all types,
 * is used for the former. */
bool tail_event_read(struct tail_event *event, uint32_t id, struct ilp_bytes payload)
{
    struct ilpi_cursor cursor = ilpi_cursor_over(payload, 0, "event", NULL);
    uint32_t type = TAIL_REFUSED;
    read_method(&cursor, &event->compiled);
    read_method(&cursor, &event->caller);
    read_method(&cursor, &event->callee);
    event->prefixed = ilpi_read_u32(&cursor) != 0;
    event->reason[0] = '\0';
    if (id == EVENT_TAIL_CALL_FAILED) {
        read_text(&cursor, event->reason);
    } else {
        type = ilpi_read_u32(&cursor);
        if (id != EVENT_TAIL_CALL_SUCCEEDED || type >= TAIL_REFUSED) {
            return false;
        }
    }
    event->outcome = (enum tail_outcome)type;
    return cursor.status == ILP_OK;
}
