/* Formats lines: for text and JSON alike, into memory of the caller that has room for the longest
 * one. See shown_line.h.
 *
 *   | the line, with its arguments           | the value's text, for JSON |
 *   0            line_size() + shown_arguments_room()          shown_line_room()
 *
 * In JSON a value's text is made first in the last part, and then quoted into the line. It is free
 * again when the line is complete, so that the line may grow by the ids of an activity
 * (shown_line_add_activity()). */
#include "profiler/shown_line.h"

#include "host/process.h"
#include "host/schemas.h"
#include "profiler/hooks/clock.h"
#include "values/kinds.h"

enum { ARROW_UNITS = 8, NUMBER_UNITS = 40 };

/* The last: colour sequences of one line. */
enum { BYTES_PER_UNIT = 3, ESCAPED = 2, PAINT_ROOM = 64 };

static struct shown_beside shown;
static bool painted;
static process_id process;

void shown_line_open(struct shown_beside beside)
{
    shown = beside;
    painted = false;
    process = process_own();
}

void shown_line_forked(void)
{
    process = process_own();
}

void shown_line_paint(bool on)
{
    painted = on && !shown.json;
}

/* With a wider value that may consist of quotes. */
static size_t line_size(void)
{
    size_t wider = shown.width > VALUE_WIDTH ? shown.width - VALUE_WIDTH : 0;
    return SHOWN_LINE_SIZE + wider * BYTES_PER_UNIT * (shown.json ? ESCAPED : 1) +
           (painted ? PAINT_ROOM : 0);
}

/* The text of a value in JSON is made in memory after the line. */
size_t shown_line_room(void)
{
    return 2 * line_size() + shown_arguments_room();
}

/* From year 1 to 1970, since DateTime's ticks begin there. */
#define TICK_NS       100u
#define TICKS_TO_1970 621355968000000000u
#define UTC           ((uint64_t)1 << 62) /* the kind, as in DateTime */
#define SECOND_TICKS  10000000u

/* "2026-11-23T22:10:05.1234567Z". The text of a second is cached per thread. */
static void put_time(struct line *line)
{
    enum { TO_SECOND = sizeof "2026-11-23T22:10:05." - 1, DIGITS = 7 };
    static _Thread_local struct {
        uint64_t second;
        char text[32];
    } last;
    uint64_t ticks = hooks_clock_wall() / TICK_NS + TICKS_TO_1970;
    uint32_t rest = (uint32_t)(ticks % SECOND_TICKS);
    if (ticks - rest != last.second) {
        struct line made;
        uint64_t value = ticks | UTC;
        line_begin(&made, last.text, sizeof last.text);
        line_part(&made, sizeof last.text);
        shape_put_date_time(&made, (const uint8_t *)&value);
        last.second = ticks - rest;
    }
    for (unsigned i = DIGITS; i-- > 0; rest /= 10) {
        last.text[TO_SECOND + i] = (char)('0' + rest % 10);
    }
    line_put_sized(line, last.text, TO_SECOND + DIGITS + 1);
}

/* Cached: it is a system call, and a line may be written for every call of a method. */
static process_id own_thread(void)
{
    static _Thread_local process_id number;
    number = number != 0 ? number : process_own_thread();
    return number;
}

/* ---- text ---- */

/* Colours of terminals (ECMA-48, 8.3.117). */
#define PAINT_METHOD "\033[36m"
#define PAINT_ERROR  "\033[31m"
#define PAINT_BESIDE "\033[2m" /* faint */
#define PAINT_END    "\033[m"

static void paint(struct line *line, const char *how)
{
    if (painted) {
        line_put_made(line, how, strlen(how), 0);
    }
}

/* The minimum width of name and arguments in coloured lines, so that most values begin in one
 * column. */
enum { VALUE_COLUMN = 40 };

static void put_spaces(struct line *line, uint32_t begun)
{
    static const char spaces[VALUE_COLUMN + 1] = "                                        ";
    uint32_t taken = line->units - begun;
    if (painted && taken < VALUE_COLUMN) {
        line_put_made(line, spaces, VALUE_COLUMN - taken, VALUE_COLUMN - taken);
    }
}

/* " in 12.3us" */
static void put_elapsed(struct line *line, uint64_t ns)
{
    line_part(line, NUMBER_UNITS);
    line_put(line, " in ");
    line_put_unsigned(line, ns / 1000);
    line_put(line, ".");
    line_put_unsigned(line, ns / 100 % 10);
    line_put(line, "us");
}

/* In colour: the name, and an exception's arrow. Time, thread, other arrows and types are faint. */
static void put_text(struct line *line, const struct shown_method *method,
                     const struct shown_call *call, enum call_end end,
                     const struct shaped_value *value)
{
    static const char *const arrows[] = {
        [END_RETURNED] = " -> ", [END_THREW] = " threw ", [END_VOID] = " -> void"};
    line_part(line, 2 * NUMBER_UNITS);
    paint(line, shown.time || shown.thread ? PAINT_BESIDE : "");
    if (shown.time) {
        put_time(line);
        line_put(line, " ");
    }
    if (shown.thread) {
        line_put_signed(line, own_thread());
        line_put(line, " ");
    }
    paint(line, shown.time || shown.thread ? PAINT_END PAINT_METHOD : PAINT_METHOD);
    uint32_t begun = line->units;
    line_put_made(line, method->name, method->name_size, method->name_units);
    paint(line, PAINT_END);
    if (call && call->arguments) {
        line_put_made(line, call->arguments, call->arguments_size, call->arguments_units);
    }
    put_spaces(line, begun);
    line_part(line, ARROW_UNITS);
    paint(line, end == END_THREW ? PAINT_ERROR : PAINT_BESIDE);
    line_put(line, arrows[end]);
    paint(line, PAINT_END);
    if (end != END_VOID) {
        shape_put(line, value);
        paint(line, PAINT_BESIDE);
        shape_put_type(line, value);
        paint(line, PAINT_END);
    }
    if (shown.elapsed && call && call->timed) {
        put_elapsed(line, call->duration);
    }
}

/* ---- JSON ---- */

/* Each key begins a part of its own, so that it is never cut by what a value has used up. */
static inline void put_key(struct line *line, const char *key)
{
    line_part(line, NUMBER_UNITS);
    line_put(line, key);
}

/* A string from text that has neither control characters nor lone surrogates. */
static void put_quoted(struct line *line, const char *text, size_t size)
{
    line_part(line, UINT16_MAX);
    line_put(line, "\"");
    for (size_t at = 0; at < size;) {
        size_t plain = 0;
        while (at + plain < size && text[at + plain] != '"' && text[at + plain] != '\\') {
            plain++;
        }
        line_put_sized(line, text + at, plain);
        at += plain;
        if (at < size) {
            line_put_sized(line, text[at] == '"' ? "\\\"" : "\\\\", 2);
            at++;
        }
    }
    line_put(line, "\"");
}

static void put_token(struct line *line, ilp_token token)
{
    char digits[8];
    for (unsigned i = 0; i < sizeof digits; i++) {
        digits[i] = "0123456789ABCDEF"[token >> (28 - 4 * i) & 0xF];
    }
    line_put(line, "\"0x");
    line_put_sized(line, digits, sizeof digits);
    line_put(line, "\"");
}

void shown_line_name(struct line *line, ilp_token token, const char *name, size_t size)
{
    if (!shown.json) {
        line_put_made(line, name, size, 0);
        return;
    }
    put_quoted(line, name, size);
    put_key(line, ",\"token\":");
    put_token(line, token);
}

/* " (System.Int32)" without the blank and the brackets; null for null. */
static void put_type(struct line *line, const char *text, size_t size)
{
    if (size > 3) {
        put_quoted(line, text + 2, size - 3);
    } else {
        put_key(line, "null");
    }
}

/* The text is made in the memory after the line. */
static void put_json_value(struct line *line, const struct shaped_value *value)
{
    char *text = line->to + line_size() + shown_arguments_room();
    struct line plain;
    line_begin(&plain, text, line_size());
    shape_put(&plain, value);
    size_t value_size = plain.size;
    shape_put_type(&plain, value);
    put_key(line, "\"type\":");
    put_type(line, text + value_size, plain.size - value_size);
    put_key(line, ",\"value\":");
    put_quoted(line, text, value_size);
    put_key(line, ",\"data\":");
    shape_put_json(line, value);
}

static void put_json(struct line *line, const struct shown_method *method,
                     const struct shown_call *call, enum call_end end,
                     const struct shaped_value *value)
{
    put_key(line, "{\"schema\":");
    line_put_unsigned(line, schema_version(SCHEMA_LINE));
    put_key(line, ",\"time\":\"");
    put_time(line);
    put_key(line, "\",\"process\":");
    line_put_signed(line, process);
    put_key(line, ",\"thread\":");
    line_put_signed(line, own_thread());
    put_key(line, ",\"method\":");
    line_put_made(line, method->name, method->name_size, method->name_units);
    if (call && call->arguments) {
        put_key(line, ",\"args\":");
        line_put_made(line, call->arguments, call->arguments_size, call->arguments_units);
    }
    if (call && call->arguments && call->timed) {
        put_key(line, ",\"duration\":");
        line_put_unsigned(line, call->duration);
    }
    if (end == END_VOID) {
        line_part(line, 2 * NUMBER_UNITS);
        line_put(line, ",\"type\":\"System.Void\",\"value\":\"void\",\"data\":null}");
        return;
    }
    put_key(line, end == END_THREW ? ",\"exception\":{" : ",");
    put_json_value(line, value);
    put_key(line, end == END_THREW ? "}}" : "}");
}

/* ,"trace":"","span":"" */
enum { IDS_SIZE = 22 + ACTIVITY_TRACE_DIGITS + ACTIVITY_SPAN_DIGITS };

static void put_digits(struct line *line, const uint8_t *utf16, unsigned count)
{
    char digits[ACTIVITY_TRACE_DIGITS];
    for (unsigned i = 0; i < count; i++) {
        digits[i] = (char)utf16[2 * i]; /* the low byte: they are ASCII */
    }
    line_put_sized(line, digits, count);
}

/* Inserts it before the final "}\n". The memory of the value's text is free by now. */
size_t shown_line_add_activity(char *to, size_t size, const struct activity *activity)
{
    static const char end[] = "}\n";
    struct line line;
    size_t at = size - (sizeof end - 1);
    bool whole = true;
    line_begin(&line, to + at, shown_line_room() - at - (sizeof end - 1));
    line_part(&line, UINT16_MAX);
    line.json = true;
    line.longest = UINT16_MAX;
    if (activity->trace) {
        line_put(&line, ",\"trace\":\"");
        put_digits(&line, activity->trace, ACTIVITY_TRACE_DIGITS);
        line_put(&line, "\",\"span\":\"");
        put_digits(&line, activity->span, ACTIVITY_SPAN_DIGITS);
        line_put(&line, "\"");
    } else if (activity->id) {
        line_put(&line, ",\"activity\":");
        whole = line_put_json_string(&line, activity->id, activity->id_length);
    }
    at += whole && !line.full ? line.size : 0;
    memcpy(to + at, end, sizeof end - 1);
    return at + sizeof end - 1;
}

/* The newline has room of its own, however long the line is. */
size_t shown_line(char *to, const struct shown_method *method, const struct shown_call *call,
                  enum call_end end, const struct shaped_value *value)
{
    struct line line;
    size_t more = call && call->arguments ? call->arguments_size : 0;
    line_begin(&line, to, line_size() + more - 1 - (shown.json ? IDS_SIZE : 0));
    (shown.json ? put_json : put_text)(&line, method, call, end, value);
    to[line.size] = '\n';
    return line.size + 1;
}

/* ---- arguments ---- */

/* As in Format.cs. */
enum { ARGUMENTS_UNITS = 320, MOST_ARGUMENTS = 16 };

/* For JSON: no further argument begins beyond the first; closing brackets always fit. */
enum { JSON_ENOUGH = 1024, JSON_ROOM = 4096, NAME_UNITS = 128 };
static const char json_more[] = "\"$more\":true";
static const char json_end[] = "}";

size_t shown_arguments_room(void)
{
    return shown.json ? JSON_ROOM + sizeof json_more + sizeof json_end
                      : (ARGUMENTS_UNITS + ARROW_UNITS) * BYTES_PER_UNIT;
}

void shown_arguments_begin(struct line *line)
{
    if (shown.json) {
        line->room = JSON_ROOM;
        put_key(line, "{");
    } else {
        line_part(line, ARGUMENTS_UNITS - 1);
        line_put(line, "(");
    }
}

/* The position of an argument without a name. */
static void put_argument_name(struct line *line, const struct shown_method *method, uint32_t index)
{
    const char *name = method->arguments[index].name;
    if (name) {
        line_put_name(line, name);
    } else {
        line_put(line, "#");
        line_put_unsigned(line, index + 1);
    }
}

/* *count UINT32_MAX: "$more" is there already. */
static void add_json(struct line *line, const struct shown_method *method, uint32_t index,
                     uint32_t *count, const struct shaped_value *value)
{
    char text[NAME_UNITS * BYTES_PER_UNIT + sizeof "..."];
    struct line name;
    if (line->size > JSON_ENOUGH || *count == UINT32_MAX) {
        if (*count != UINT32_MAX) {
            line->room += sizeof json_more;
            put_key(line, ",");
            put_key(line, json_more);
        }
        *count = UINT32_MAX;
        return;
    }
    line_begin(&name, text, sizeof text);
    line_part(&name, NAME_UNITS);
    put_argument_name(&name, method, index);
    put_key(line, (*count)++ == 0 ? "" : ",");
    put_quoted(line, text, name.size);
    put_key(line, ":");
    if (value) {
        shape_put_within_json(line, value);
    } else {
        const char *withheld = method->arguments[index].withheld;
        put_key(line, "{\"$\":\"");
        line_put(line, withheld && withheld[0] != '{' ? withheld : "...");
        line_put(line, "\"}");
    }
}

void shown_arguments_add(struct line *line, const struct shown_method *method, uint32_t index,
                         uint32_t *count, const struct shaped_value *value)
{
    if (shown.json) {
        add_json(line, method, index, count, value);
        return;
    }
    if (*count > MOST_ARGUMENTS || line->full) {
        return;
    }
    line_put(line, *count == 0 ? "" : ", ");
    if ((*count)++ == MOST_ARGUMENTS) {
        line_put(line, "...");
    }
    if (line->full || *count > MOST_ARGUMENTS) {
        return;
    }
    put_argument_name(line, method, index);
    line_put(line, ": ");
    if (value) {
        shape_put_within(line, value);
    } else {
        const char *withheld = method->arguments[index].withheld;
        line_put(line, withheld ? withheld : "{...}");
    }
}

void shown_arguments_end(struct line *line)
{
    if (shown.json) {
        line->room += sizeof json_end;
        put_key(line, json_end);
    } else {
        line_part(line, 1);
        line_put(line, ")");
    }
}
