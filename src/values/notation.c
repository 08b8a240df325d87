/* Writes values in both notations. See notation.h.
 *
 * In JSON it is often known only afterwards what a value must be wrapped in: a number that is not
 * exact gets quotes, a text that was cut becomes an object. These are inserted by moving what is
 * written already, a leaf at most. An object's type is remembered (type_name) until its first
 * bracket is written.
 *
 *   line:  [ written            |   room for values    | reserve ]
 *                                 put_json_name() ...    put_end(): brackets, marks
 *
 * Values stop when the line is full without the reserve; what closes them may use it. Each open
 * structure needs a few bytes, the depth is limited, and check_room() stops long runs of empty
 * elements, so the reserve is enough. */
#include "values/notation.h"

enum { EXACT_DIGITS = 15 }; /* which every reader's number type has */

/* For JSON, also into the reserve. */
static inline void put_end(struct value_writer *writer, const char *json)
{
    line_put_anyway(writer->line, json, strlen(json));
}

/* Call before anything that can be written any number of times without using room for anything
 * else. */
static void check_room(struct line *line)
{
    enum { MOST_AT_ONCE = 64 };
    line->full = line->full || line->room - line->size < line->reserve + MOST_AT_ONCE;
}

static void put_json_mark(struct value_writer *writer, const char *what)
{
    put_end(writer, "{\"$\":\"");
    put_end(writer, what);
    put_end(writer, "\"}");
}

static void put_name(struct line *line, const char *name, uint32_t plain_size)
{
    if (plain_size != 0) {
        line_put_chars(line, name, plain_size);
    } else {
        line_put_name(line, name);
    }
}

/* `"Person"`, with the quotes of its context, or nothing. */
static inline bool put_json_name_of(struct value_writer *writer, const char *before,
                                    const char *name, uint32_t plain_size, const char *after)
{
    struct line *line = writer->line;
    const struct line start = *line;
    check_room(line);
    line_put(line, before);
    put_name(line, name, plain_size);
    line_put(line, after);
    /* Half a name would leave a quote open; that the line is full stays known. */
    if (line->full) {
        *line = start;
        line->full = true;
    }
    return !line->full;
}

static bool put_json_name(struct value_writer *writer, const char *before, const char *name,
                          const char *after)
{
    return put_json_name_of(writer, before, name, 0, after);
}

/* ---- marks ---- */

void put_null(struct value_writer *writer)
{
    if (writer->json) {
        put_end(writer, "null");
    } else {
        line_put(writer->line, "null");
    }
}

/* Marks are not JSON strings but objects with "$", a name that no C# member has: so they cannot be
 * taken for a value. */
static void put_mark_within(struct value_writer *writer, const char *what, const char *open,
                            const char *close)
{
    struct line *line = writer->line;
    if (!writer->json) {
        char mark[16];
        size_t size = strlen(what);
        mark[0] = open[0];
        memcpy(mark + 1, what, size);
        mark[1 + size] = close[0];
        line_put_sized(line, mark, size + 2);
        return;
    }
    const char *name = writer->type_name;
    writer->type_name = NULL;
    put_end(writer, "{\"$\":\"");
    put_end(writer, what);
    put_end(writer, "\"");
    if (name) {
        put_json_name(writer, ",\"$type\":\"", name, "\"");
    }
    put_end(writer, "}");
}

void put_mark(struct value_writer *writer, const char *what)
{
    put_mark_within(writer, what, "{", "}");
}

void put_mark_of_elements(struct value_writer *writer, const char *what)
{
    put_mark_within(writer, what, "[", "]");
}

void put_type_name(struct value_writer *writer, const char *name, uint32_t plain_size)
{
    if (writer->json) {
        writer->type_name = name;
    } else {
        put_name(writer->line, name, plain_size);
        line_put(writer->line, " ");
    }
}

/* ---- scalars ---- */

size_t scalar_begin(struct value_writer *writer)
{
    writer->scalars++;
    return writer->line->size;
}

/* Whether a reader that stores numbers as doubles preserves this one: 15 decimal digits always
 * survive that. A float's shortest digits read back as the same by definition. */
static bool is_exact(const char *text, size_t size, enum scalar scalar)
{
    unsigned digits = 0;
    bool number = size != 0 && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
    for (size_t i = 0; i < size && number; i++) {
        number = memchr("0123456789.-+E", text[i], 14) != NULL;
        digits += text[i] >= '0' && text[i] <= '9';
    }
    return number && (scalar == SCALAR_REAL || digits <= EXACT_DIGITS);
}

/* A scalar inside another is part of that one. The mark of unknown text becomes a mark of JSON, and
 * a scalar that was cut is replaced by one, because half a number would be wrong. */
void scalar_end(struct value_writer *writer, size_t begin, enum scalar scalar)
{
    struct line *line = writer->line;
    char *text = line->to + begin;
    size_t size = line->size - begin;
    /* An inner scalar is a part of the outer one's text: in 1..^2 both ends are scalars. */
    if (--writer->scalars != 0 || !writer->json) {
        return;
    }
    if (line->full || (size == 5 && memcmp(text, "{...}", 5) == 0)) {
        line->size = begin;
        put_json_mark(writer, "...");
    } else if (scalar != SCALAR_LITERAL &&
               (scalar == SCALAR_WORD || !is_exact(text, size, scalar))) {
        /* Two bytes of room, which the text is then moved into. */
        put_end(writer, "\"\"");
        memmove(text + 1, text, size);
        text[0] = text[size + 1] = '"';
    }
}

/* In JSON a cut text becomes {"$text":"...","$length":n}. That it is cut shows only when it is
 * written, so it is moved then: put_end() makes the room at the end, and what it wrote there is
 * overwritten. */
static void put_text_of(struct value_writer *writer, const uint8_t *utf16, int32_t length,
                        bool at_least)
{
    struct line *line = writer->line;
    size_t begin = line->size;
    if (!writer->json) {
        line_put_string(line, utf16, length, at_least);
        return;
    }
    if (line_put_json_string(line, utf16, length)) {
        return;
    }
    static const char before[] = "{\"$text\":";
    size_t size = line->size - begin;
    put_end(writer, before);
    memmove(line->to + begin + sizeof before - 1, line->to + begin, size);
    memcpy(line->to + begin, before, sizeof before - 1);
    put_end(writer, ",\"$length\":");
    line_put_count_anyway(line, length);
    put_end(writer, at_least ? ",\"$more\":true}" : "}");
}

void put_text(struct value_writer *writer, const uint8_t *utf16, int32_t length)
{
    put_text_of(writer, utf16, length, false);
}

void put_text_at_least(struct value_writer *writer, const uint8_t *utf16, int32_t length)
{
    put_text_of(writer, utf16, length, true);
}

/* ---- objects ---- */

void object_begin(struct value_writer *writer)
{
    if (!writer->json) {
        line_put(writer->line, "{");
        return;
    }
    const char *name = writer->type_name;
    writer->type_name = NULL;
    put_end(writer, "{");
    if (name) {
        put_json_name(writer, "\"$type\":\"", name, "\"");
    }
}

static bool is_first_in_json(const struct line *line)
{
    char last = line->size != 0 ? line->to[line->size - 1] : '{';
    return last == '{' || last == '[';
}

/* The form of most members, written at once. */
static inline bool put_plain_member(struct line *line, const char *name, uint32_t size, bool first)
{
    char *to = line->to + line->size;
    if (size == 0 || size > ILPI_SHORT || !line_has_room(line, size + sizeof ", =" - 1)) {
        return false;
    }
    if (!first) {
        *to++ = ',';
        *to++ = ' ';
    }
    ilpi_copy_short(to, name, size);
    to += size;
    *to++ = '=';
    size = (uint32_t)(to - (line->to + line->size));
    line->size += size;
    line->units += size;
    return true;
}

/* Names are unique within an object: the second field of one name gets "$2" appended, which no C#
 * name contains. */
static bool put_json_member(struct value_writer *writer, const char *name, uint32_t plain_size,
                            uint32_t again)
{
    char after[16] = "\":";
    if (again != 0) {
        struct line number;
        line_begin(&number, after, sizeof after - 1);
        line_part(&number, sizeof after);
        line_put(&number, "$");
        line_put_unsigned(&number, again + 1);
        line_put(&number, "\":");
        after[number.size] = '\0';
    }
    return put_json_name_of(writer, is_first_in_json(writer->line) ? "\"" : ",\"", name, plain_size,
                            after);
}

/* In text a member is `name=value`; the value follows in any case, so its result is always true. */
static bool put_member(struct value_writer *writer, const char *name, uint32_t plain_size,
                       bool first)
{
    struct line *line = writer->line;
    if (put_plain_member(line, name, plain_size, first)) {
        return true;
    }
    if (!first) {
        line_put(line, ", ");
    }
    put_name(line, name, plain_size);
    line_put(line, "=");
    return true;
}

bool object_member(struct value_writer *writer, const char *name, bool first)
{
    return writer->json ? put_json_member(writer, name, 0, 0) : put_member(writer, name, 0, first);
}

bool object_field(struct value_writer *writer, const struct shape_field *field, bool first)
{
    return writer->json ? put_json_member(writer, field->name, field->plain_size, field->again)
                        : put_member(writer, field->name, field->plain_size, first);
}

/* In JSON the mark is a member, so that the document stays valid: {"X":1,"$more":true}. */
void object_end(struct value_writer *writer, bool more)
{
    struct line *line = writer->line;
    if (!writer->json) {
        line_put(line, more ? ", ...}" : "}");
        return;
    }
    if (more || line->full) {
        put_end(writer, is_first_in_json(line) ? "\"$more\":true" : ",\"$more\":true");
    }
    put_end(writer, "}");
}

/* ---- elements ---- */

static void put_lengths(struct line *line, const int32_t *lengths, unsigned rank, bool json)
{
    for (unsigned i = 0; i < rank; i++) {
        if (json) {
            line_put_anyway(line, ",", i != 0);
            line_put_count_anyway(line, lengths[i]);
        } else {
            line_put(line, i == 0 ? "" : ",");
            line_put_signed(line, lengths[i]);
        }
    }
}

/* "[5: 1, 2, 3, 4, 5]", "[2,3: ...]" for several dimensions, "[0]" for none. */
static bool begin_text(struct elements *elements, bool at_least, const int32_t *lengths,
                       unsigned rank)
{
    struct line *line = elements->writer->line;
    line_put(line, "[");
    put_lengths(line, lengths, rank, false);
    line_put(line, at_least ? "+" : "");
    if (elements->count == 0 || is_too_deep(elements->writer, elements->depth)) {
        line_put(line, elements->count == 0 ? "]" : ": ...]");
        return false;
    }
    line_put(line, ": ");
    return true;
}

/* The forms of a collection in JSON:
 *
 *   [1,2]                              complete, not empty
 *   {"$count":9,"$items":[1,2]}        some are left out
 *   {"$count":3}                       too deep
 *   {"$lengths":[2,3],"$items":[...]}  several indexes */
static bool begin_json(struct elements *elements, bool at_least, const int32_t *lengths,
                       unsigned rank)
{
    struct value_writer *writer = elements->writer;
    bool deep = elements->count != 0 && is_too_deep(writer, elements->depth);
    elements->wrapped = rank > 1 || at_least || deep ||
                        elements->count > shown_elements(writer, elements->count);
    if (!elements->wrapped) {
        put_end(writer, elements->count == 0 ? "[]" : "[");
        return elements->count != 0;
    }
    put_end(writer, rank > 1 ? "{\"$lengths\":[" : "{\"$count\":");
    put_lengths(writer->line, lengths, rank, true);
    put_end(writer, rank > 1 ? "]" : "");
    put_end(writer, at_least ? ",\"$more\":true" : "");
    if (deep) {
        put_end(writer, "}");
        return false;
    }
    put_end(writer, elements->count == 0 ? ",\"$items\":[]}" : ",\"$items\":[");
    return elements->count != 0;
}

/* Decides for both notations whether elements follow. In JSON an array is a plain one if it is
 * complete; else it is inside an object with the count, since a reader could not see otherwise that
 * elements are missing. */
bool elements_begin(struct elements *elements, int32_t count, bool at_least, const int32_t *lengths,
                    unsigned rank)
{
    elements->count = count;
    elements->shown = 0;
    lengths = rank == 0 ? &count : lengths;
    rank = rank == 0 ? 1 : rank;
    return (elements->writer->json ? begin_json : begin_text)(elements, at_least, lengths, rank);
}

/* In text the mark of what is left out belongs to the list; in JSON it is the count that shows
 * it. */
bool elements_next(struct elements *elements)
{
    struct value_writer *writer = elements->writer;
    int32_t most = (int32_t)writer->limits->elements;
    bool full = writer->line->full;
    if (writer->json) {
        check_room(writer->line);
        if (elements->shown == most || writer->line->full) {
            return false;
        }
        put_end(writer, elements->shown != 0 ? "," : "");
    } else {
        line_put(writer->line, elements->shown != 0 ? ", " : "");
        line_put(writer->line, elements->shown == most ? "..." : "");
        full = writer->line->full;
    }
    return !full && elements->shown++ < most;
}

/* There may be fewer elements than were announced: another thread changes a collection while it is
 * read, or the line became full. */
void elements_end(struct elements *elements)
{
    struct value_writer *writer = elements->writer;
    bool missing = elements->shown < shown_elements(writer, elements->count);
    if (!writer->json) {
        if (missing) {
            line_put(writer->line, elements->shown > 0 ? ", ..." : "...");
        }
        line_put(writer->line, "]");
        return;
    }
    if (missing) {
        put_end(writer, elements->shown > 0 ? "," : "");
        put_json_mark(writer, "...");
    }
    put_end(writer, elements->wrapped ? "]}" : "]");
}

/* ---- lists and pairs ---- */

/* F# unions, tuples and the like: "Case(1, 2)" in text, {"$case":"Case","$fields":[1,2]} in
 * JSON. */
void list_begin(struct value_writer *writer, const char *name)
{
    if (!writer->json) {
        if (name) {
            line_put_name(writer->line, name);
        }
        line_put(writer->line, "(");
    } else if (!name) {
        put_end(writer, "[");
    } else {
        put_end(writer, "{");
        put_end(writer, put_json_name(writer, "\"$case\":\"", name, "\"") ? "," : "");
        put_end(writer, "\"$fields\":[");
    }
}

void list_next(struct value_writer *writer, bool first)
{
    if (writer->json) {
        check_room(writer->line);
        put_end(writer, first ? "" : ",");
    } else {
        line_put(writer->line, first ? "" : ", ");
    }
}

void list_more(struct value_writer *writer)
{
    if (writer->json) {
        put_json_mark(writer, "...");
    } else {
        line_put(writer->line, "...");
    }
}

void list_end(struct value_writer *writer, const char *name)
{
    if (writer->json) {
        put_end(writer, name ? "]}" : "]");
    } else {
        line_put(writer->line, ")");
    }
}

void methods_begin(struct value_writer *writer, int32_t count)
{
    object_begin(writer);
    if (writer->json) {
        put_end(writer, is_first_in_json(writer->line) ? "\"$methods\":[" : ",\"$methods\":[");
    } else if (count > 1) {
        line_put_signed(writer->line, count);
        line_put(writer->line, ": ");
    }
}

void methods_end(struct value_writer *writer, bool more)
{
    if (writer->json) {
        put_end(writer, "]");
        object_end(writer, more);
    } else {
        line_put(writer->line, more ? ", " : ""); /* separators, as in elements_next() */
        line_put(writer->line, more ? "..." : "");
        line_put(writer->line, "}");
    }
}

void pair_begin(struct value_writer *writer)
{
    put_end(writer, writer->json ? "{\"$key\":" : "");
}

void pair_between(struct value_writer *writer)
{
    if (writer->json) {
        put_end(writer, ",\"$value\":");
    } else {
        line_put(writer->line, "=");
    }
}

void pair_end(struct value_writer *writer)
{
    put_end(writer, writer->json ? "}" : "");
}
