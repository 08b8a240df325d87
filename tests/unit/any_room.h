/* A value in as little room as may be: its text has to stay within, its JSON has to be whole. */
#ifndef ANY_ROOM_H
#define ANY_ROOM_H

#include "metadata_test.h"

#include <jansson.h>

#include "values/notation.h"

/* In exactly so much memory, so that a sanitizer sees what is written past it. */
static inline void fits_as_text(const struct shaped_value *shaped, size_t room)
{
    char *text = malloc(room + 1);
    struct line line;
    assert_non_null(text);
    assert_true(shape_write(shaped, text, room) <= room);
    line_begin(&line, text, room);
    line_part(&line, 300);
    shape_put_within(&line, shaped);
    assert_true(line.size <= room);
    free(text);
}

static inline void fits_as_json(const struct shaped_value *shaped, size_t room,
                                void (*put)(struct line *line, const struct shaped_value *shaped))
{
    char *text = malloc(room);
    struct line line;
    json_error_t error;
    assert_non_null(text);
    line_begin(&line, text, room);
    put(&line, shaped);
    assert_true(line.size <= room);
    json_t *parsed = json_loadb(text, line.size, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (!parsed) {
        fail_msg("%zu: %.*s: %s", room, (int)line.size, text, error.text);
    }
    json_decref(parsed);
    free(text);
}

static inline void fits_any_room(const struct shaped_value *shaped)
{
    for (size_t room = 0; room < 120; room++) {
        fits_as_text(shaped, room);
    }
    for (size_t room = NOTATION_RESERVE; room < NOTATION_RESERVE + 400; room += 3) {
        fits_as_json(shaped, room, shape_put_json);
    }
    fits_as_json(shaped, NOTATION_RESERVE + 400, shape_put_within_json);
}

#endif
