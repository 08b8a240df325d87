/* The line for the end of a call: text, or a JSON object (--json).
 *
 *   2026-11-23T22:10:05.1234567Z 4711 Shop.Program::Sum -> 31.50 (System.Decimal)
 *   {"schema":1,"time":"2026-11-23T22:10:05.1234567Z","process":4700,"thread":4711,
 *    "method":"Shop.Program::Sum","token":"0x06000005","type":"System.Decimal","value":"31.50"}
 *
 *   Shop.Program::Sum threw {Message="x"} (System.Exception)
 *   {..., "exception":{"type":"System.Exception","value":"{Message="x"}"}}
 *
 *   Shop.Cart::Add(count: 3) -> void
 *   {..., "type":"System.Void","value":"void"}
 *
 * With the ids of an activity, if one is current: {..., "trace":"4bf9...","span":"00f0..."}, or
 * {..., "activity":"|a000.1."}.
 *
 * Made under the rules of shape_put() (values/shape.h). */
#ifndef ILPI_SHOWN_LINE_H
#define ILPI_SHOWN_LINE_H

#include "values/activity.h"

/* The maximum length of a line with a value of the default width: so a pipe accepts it whole. In
 * JSON, arguments and a hierarchical id come on top. */
enum { SHOWN_LINE_SIZE = 4096 };

/* The maximum length of a method's name in lines; the same as data/inspector/Format.cs. */
enum { SHOWN_NAME_UNITS = 320 };

/* A parameter of a method whose arguments are shown. */
struct shown_argument {
    const char *name;     /* NULL: none */
    const char *withheld; /* what is shown instead; NULL: its value */
};

/* A method whose values are shown. */
struct shown_method {
    size_t name_size;
    uint32_t name_units;
    const char *name; /* as written by shown_line_name() */
    const struct shown_argument *arguments;
    uint32_t argument_count;
};

/* What is known of a call besides its value. */
struct shown_call {
    const char *arguments; /* as written by the functions below; NULL: unknown */
    size_t arguments_size;
    uint32_t arguments_units;
    uint64_t duration; /* ns */
    bool timed;        /* whether it is known */
};

/* What is shown beside the value, set before any value: --time, --thread, --json. */
struct shown_beside {
    bool time, thread, json;
    bool elapsed;   /* the duration of calls, after the value */
    uint32_t width; /* of a value at most; 0: the default */
};
void shown_line_open(struct shown_beside beside);

/* In a forked copy of the process, which has another number. */
void shown_line_forked(void);

/* Whether text lines have colours and columns: off by default. */
void shown_line_paint(bool on);

/* A method's part of lines, made once: its name, as written by line_put_name(), and in JSON its
 * token. A line of its own, with that much room. */
enum { SHOWN_NAME_SIZE = SHOWN_LINE_SIZE };
void shown_line_name(struct line *line, ilp_token token, const char *name, size_t size);

/* The memory needed for a line. */
size_t shown_line_room(void);

/* The line with its end; returns its size. `call` may be NULL, and so may `value` with END_VOID. */
size_t shown_line(char *to, const struct shown_method *method, const struct shown_call *call,
                  enum call_end end, const struct shaped_value *value);

/* Adds the ids of an activity to a complete JSON line; returns its size. An id that is too long is
 * left out, since a part would not be the id. */
size_t shown_line_add_activity(char *to, size_t size, const struct activity *activity);

/* The arguments of a call, one by one: "(count: 3, currency: "EUR")", in JSON an object. A line of
 * its own, with that much room. `shown` counts from 0. A value of NULL is withheld. */
size_t shown_arguments_room(void);
void shown_arguments_begin(struct line *line);
void shown_arguments_add(struct line *line, const struct shown_method *method, uint32_t index,
                         uint32_t *shown, const struct shaped_value *value);
void shown_arguments_end(struct line *line);

#endif
