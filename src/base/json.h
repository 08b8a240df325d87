/* JSON writer (RFC 8259): values stream to a sink; the writer adds commas, quotes, escapes and
 * nesting.
 *
 *   ilpi_json_begin(&json, sink, ILPI_JSON_SPACED);
 *   ilpi_json_object(&json, NULL, ILPI_JSON_INLINE);
 *   ilpi_json_string(&json, "name", "Shop");
 *   ilpi_json_token(&json, "token", 0x06000001);
 *   ilpi_json_end(&json);
 *   status = ilpi_json_finish(&json);              {"name": "Shop", "token": "0x06000001"}
 *
 * The first failure sticks, and later values are not written: check the status once, at the end. A
 * value has a name in an object, and NULL in an array and outside of both; anything else is
 * ILP_E_MISUSE. Nothing is allocated, and small pieces are held until ilpi_json_flush() or the end.
 * A copy of a flushed writer continues from the same state, for example to end a document that
 * another writer continues. */
#ifndef ILPI_JSON_H
#define ILPI_JSON_H

#include "base/buf.h"

#define ILPI_JSON_DEPTH 32u

enum ilpi_json_style {
    ILPI_JSON_COMPACT, /* {"a":1,"b":2}, and no line is indented */
    ILPI_JSON_SPACED   /* {"a": 1, "b": 2}, and lines are indented by two spaces per level */
};

/* How the members of an object or the elements of an array are laid out. */
enum ilpi_json_layout {
    ILPI_JSON_INLINE,
    ILPI_JSON_HANGING,     /* each on its own line, the closing bracket after the last one */
    ILPI_JSON_LINES,       /* the closing bracket on its own line as well, but [] if empty */
    ILPI_JSON_LINES_ALWAYS /* the same, also if empty */
};

/* An open object or array. */
struct ilpi_json_level {
    char closing;    /* bracket; 0 in a part: its document writes it */
    bool any;        /* it has a value, so that a comma precedes the next one */
    uint8_t layout;  /* enum ilpi_json_layout */
    uint16_t indent; /* of the line on which it began */
};

/* A writer. `pieces` is last and large: it is not cleared (ilpi_json_begin()). */
struct ilpi_json {
    struct ilp_sink sink;
    ilp_status status;
    enum ilpi_json_style style;
    bool any;        /* a value outside of any other since the last line ended */
    bool breaks;     /* the next value or bracket begins a line */
    uint16_t next;   /* of that line */
    uint16_t indent; /* of the current line */
    unsigned depth;  /* open levels; the innermost one is levels[depth - 1] */
    struct ilpi_json_level levels[ILPI_JSON_DEPTH];
    size_t held; /* bytes in `pieces` */
    uint8_t pieces[1024];
};

void ilpi_json_begin(struct ilpi_json *json, struct ilp_sink sink, enum ilpi_json_style style);

/* Elements for another document: they are written as in an array of LINES that began on a line of
 * this indent. */
void ilpi_json_begin_part(struct ilpi_json *json, struct ilp_sink sink, enum ilpi_json_style style,
                          unsigned indent);

/* Text in memory and the writer that appends to it. Do not move it: the writer refers to it. */
struct ilpi_json_text {
    struct ilpi_alloc alloc;
    struct ilpi_buf buf;
    struct ilpi_json json;
};

void ilpi_json_text_open(struct ilpi_json_text *text, enum ilpi_json_style style);
/* valid until more is written */
struct ilp_bytes ilpi_json_text_bytes(struct ilpi_json_text *text);
void ilpi_json_text_close(struct ilpi_json_text *text);

/* Passes the pieces held to the sink. */
ilp_status ilpi_json_flush(struct ilpi_json *json);

/* Later output goes to this sink. */
void ilpi_json_redirect(struct ilpi_json *json, struct ilp_sink sink);

/* Ends the line after a top-level value; then another may follow. Flushes. */
ilp_status ilpi_json_finish(struct ilpi_json *json);

/* ---- nesting ---- */

void ilpi_json_object(struct ilpi_json *json, const char *name, enum ilpi_json_layout layout);
void ilpi_json_array(struct ilpi_json *json, const char *name, enum ilpi_json_layout layout);

/* Ends the innermost object or array. */
void ilpi_json_end(struct ilpi_json *json);

/* Whatever the layout, the next value or closing bracket begins a line of this indent. */
void ilpi_json_line(struct ilpi_json *json, unsigned indent);

/* ---- values ---- */

/* Text may be any bytes: bytes that are not UTF-8 become U+FFFD; control characters, and U+2028 and
 * U+2029, which end lines in JavaScript before ES2019, are escaped. */
void ilpi_json_string(struct ilpi_json *json, const char *name, const char *text);
void ilpi_json_bytes(struct ilpi_json *json, const char *name, struct ilp_bytes text);

/* A string of up to ILPI_JSON_FORMATTED bytes; a longer one fails with ILP_E_TOO_LARGE. */
#define ILPI_JSON_FORMATTED 255u
void ilpi_json_format(struct ilpi_json *json, const char *name, const char *format, ...)
    ILPI_PRINTF(3, 4);

/* "0x06000001", as tokens are spelled in reports. */
void ilpi_json_token(struct ilpi_json *json, const char *name, ilp_token token);

void ilpi_json_unsigned(struct ilpi_json *json, const char *name, uint64_t value);
void ilpi_json_signed(struct ilpi_json *json, const char *name, int64_t value);

/* Numbers as strings, for readers that only have doubles: "18446744073709551615". */
void ilpi_json_unsigned_text(struct ilpi_json *json, const char *name, uint64_t value);
void ilpi_json_signed_text(struct ilpi_json *json, const char *name, int64_t value);

/* "00000000000000ff" */
void ilpi_json_hex(struct ilpi_json *json, const char *name, uint64_t value);

/* With enough digits to read the same number back; null for infinities and NaN, which JSON does not
 * have. */
void ilpi_json_double(struct ilpi_json *json, const char *name, double value);
void ilpi_json_bool(struct ilpi_json *json, const char *name, bool value);
void ilpi_json_null(struct ilpi_json *json, const char *name);

/* A value that is JSON already. */
void ilpi_json_raw(struct ilpi_json *json, const char *name, struct ilp_bytes value);

/* The elements of a part, zero or more, as further elements of an array of the same layout. */
void ilpi_json_add_part(struct ilpi_json *json, struct ilp_bytes elements);

/* Output of this writer that went to another sink; the writer continues after it here. */
void ilpi_json_replay(struct ilpi_json *json, struct ilp_bytes written);

#endif
