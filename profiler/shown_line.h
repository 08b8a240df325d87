/* The line of a call's end: text for people, or a JSON object (--json).
 *
 *   2026-11-23T22:10:05.1234567Z 4711 Shop.Program::Sum -> 31.50 (System.Decimal)
 *   {"time":"2026-11-23T22:10:05.1234567Z","process":4700,"thread":4711,
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
 * Made where shape_put() may run (values/shape.h). */
#ifndef ILPI_SHOWN_LINE_H
#define ILPI_SHOWN_LINE_H

#include "values/activity.h"

/* A line is at most so long, its end included, with a value of the usual width: so a pipe takes it
 * whole. In JSON, arguments and a hierarchical id come to that. */
enum { SHOWN_LINE_SIZE = 4096 };

/* The name of a method, as lines have it, of at most so many UTF-16 units; as
 * data/inspector/Format.cs has it. */
enum { SHOWN_NAME_UNITS = 320 };

/* A parameter of a method whose arguments are shown. */
struct shown_argument {
    const char *name;     /* NULL: it has none */
    const char *withheld; /* what is shown of it; NULL: its value is */
};

/* A method whose values are shown. */
struct shown_method {
    size_t name_size;
    uint32_t name_units;
    const char *name; /* as shown_line_name() writes it */
    const struct shown_argument *arguments;
    uint32_t argument_count;
};

/* What is known of a call, besides what it returns. */
struct shown_call {
    const char *arguments; /* as the functions below have written them; NULL: not known */
    size_t arguments_size;
    uint32_t arguments_units;
    uint64_t duration; /* ns, */
    bool timed;        /* if that is known */
};

/* What is beside the value, before any value comes: --time, --thread, --json. */
struct shown_beside {
    bool time, thread, json;
    bool elapsed;   /* the duration of calls, after the value */
    uint32_t width; /* of a value at most; 0: the usual one */
};
void shown_line_open(struct shown_beside beside);

/* In a copy of the process (fork), which has another number. */
void shown_line_forked(void);

/* Whether lines for people have colours, and columns: off until then. */
void shown_line_paint(bool on);

/* What lines have of a method, made once: its name, which line_put_name() has written, and in JSON
 * its token. A line of its own, with so much room. */
enum { SHOWN_NAME_SIZE = SHOWN_LINE_SIZE };
void shown_line_name(struct line *line, ilp_token token, const char *name, size_t size);

/* The memory that a line is made in. */
size_t shown_line_room(void);

/* The line with its end; gives its size. `call` may be NULL, and `value` is where `end` is
 * END_VOID. */
size_t shown_line(char *to, const struct shown_method *method, const struct shown_call *call,
                  enum call_end end, const struct shaped_value *value);

/* Adds the ids of an activity to a line in JSON, which has its end; gives its size. One that is too
 * long is left out, as none of it would be the id. */
size_t shown_line_add_activity(char *to, size_t size, const struct activity *activity);

/* The arguments of a call, one after the other: "(count: 3, currency: "EUR")", in JSON an object. A
 * line of its own, with so much room. `shown` counts, from 0. A value of NULL is for what is
 * withheld. */
size_t shown_arguments_room(void);
void shown_arguments_begin(struct line *line);
void shown_arguments_add(struct line *line, const struct shown_method *method, uint32_t index,
                         uint32_t *shown, const struct shaped_value *value);
void shown_arguments_end(struct line *line);

#endif
