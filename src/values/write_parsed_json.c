/* JSON parsed by System.Text.Json, written like JSON nodes: JsonDocument, JsonElement,
 * JsonProperty. A document has its text, and a 12-byte row for each token in it
 * (JsonDocument.DbRow, the same in all versions):
 *
 *   where the token begins in the text; of a string after its quote
 *   its length, without quotes; of an array its elements; of an object its properties, before
 *     .NET 9 its rows. The highest bit: a string has escapes, an array has arrays or objects
 *   in the highest 4 bits its kind; in the others, of an array or object, how many rows later its
 *     end is
 *
 * Both are in arrays that the program may have returned to a pool, so other code may overwrite
 * them: rows are checked against the arrays' lengths, and text against JSON's syntax. */
#include <assert.h>

#include "base/utf8.h"
#include "values/nodes.h"

enum {
    ROW_SIZE = 12,
    MOST_COUNTED = 10000, /* UTF-16 units of a string */
    NUMBER_CHARS = 1000   /* of a number, with sign, point and exponent */
};

static_assert((int)MOST_COUNTED > (int)VALUE_MOST_TEXT, "what is not counted is not shown either");

enum token_kind {
    TOKEN_OBJECT = 1,
    TOKEN_ARRAY = 3,
    TOKEN_NAME = 5,
    TOKEN_STRING = 7,
    TOKEN_NUMBER,
    TOKEN_TRUE,
    TOKEN_FALSE,
    TOKEN_NULL
};

struct token {
    enum token_kind kind;
    const uint8_t *text; /* in the document; not of arrays and objects */
    uint32_t size;       /* of the text; of arrays and objects as above */
    uint32_t row, next;  /* its own; the one after it and its contents */
};

/* The start of a string. */
struct unescaped {
    uint8_t utf16[2 * MOST_CHARS];
    int32_t count; /* of the string; up to MOST_COUNTED */
    bool more;     /* the string is longer */
};

/* A JsonDocument that is open: borrowed from its object. */
struct document {
    struct value_writer *writer;
    const uint8_t *text, *rows; /* the text is UTF-8 */
    uint32_t size, row_count;   /* of the text in bytes; rows that are in use */
    struct unescaped *string;   /* scratch for one */
};

/* ---- documents ---- */

static bool is_of_bytes(const struct known_range *range)
{
    return range->shape && range->shape->inner->kind == SHAPE_UNSIGNED &&
           range->shape->inner->size == 1;
}

/* False: it is disposed, or has an unknown form. */
static bool open_document(struct document *document, const uint8_t *object)
{
    enum { TEXT, ROWS };
    const struct value_writer *writer = document->writer;
    const struct shape *own = own_known(writer, object, KNOWN_JSON_DOCUMENT);
    const struct shape *memory = own ? own->fields[TEXT].shape : NULL;
    const struct shape *rows = own ? own->fields[ROWS].shape : NULL;
    const struct shape_field *data = rows && rows->kind == SHAPE_STRUCT
                                         ? find_reference(rows, "_data", "")
                                         : NULL;
    const struct shape_field *length = data ? shape_find_field(rows, "Length") : NULL;
    struct known_range text, range;
    if (!length || !known_is_right(length->shape, 'i') || memory->kind != SHAPE_FRAMEWORK ||
        memory->known != KNOWN_MEMORY) {
        return false;
    }
    const uint8_t *at = known_field(own, ROWS, object);
    if (!known_open_memory(writer, memory, known_field(own, TEXT, object), &text) ||
        !known_open_range(writer, read_pointer(at + data->offset), &range) || !is_of_bytes(&text) ||
        !is_of_bytes(&range)) {
        return false;
    }
    document->text = known_element(&text, text.first);
    document->size = (uint32_t)text.count;
    document->rows = known_element(&range, 0);
    document->row_count = (uint32_t)known_clamp(read_length(at + length->offset), range.length) /
                          ROW_SIZE;
    return true;
}

/* ---- tokens ---- */

/* Only its own row has been checked; its contents may be invalid. `next` is never above the number
 * of rows, and above `row`, so a walk ends. */
static bool read_token(const struct document *document, uint32_t row, struct token *token)
{
    if (row >= document->row_count) {
        return false;
    }
    const uint8_t *at = document->rows + (size_t)row * ROW_SIZE;
    uint32_t begin = (uint32_t)read_length(at);
    uint32_t size = (uint32_t)read_length(at + 4) & INT32_MAX;
    uint32_t rest = (uint32_t)read_length(at + 8);
    uint32_t rows = rest & 0x0FFFFFFF;
    *token = (struct token){.kind = rest >> 28, .size = size, .row = row, .next = row + 1};
    if (token->kind == TOKEN_OBJECT || token->kind == TOKEN_ARRAY) {
        token->next = row + rows + 1;
        return rows != 0 && rows < document->row_count - row;
    }
    if (begin > document->size || size > document->size - begin) {
        return false;
    }
    token->text = document->text + begin;
    return true;
}

/* ---- strings ---- */

static void add_unit(struct unescaped *string, uint32_t unit)
{
    uint16_t narrow = (uint16_t)unit;
    if (string->count < MOST_CHARS) {
        memcpy(string->utf16 + 2 * (size_t)string->count, &narrow, sizeof narrow);
    }
    string->count++;
}

/* The digits after "\u"; UINT32_MAX if one of them is invalid. */
static uint32_t read_hex(const uint8_t *digits)
{
    uint32_t code = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint8_t c = digits[i], letter = c | 0x20;
        bool is_digit = c >= '0' && c <= '9', is_letter = letter >= 'a' && letter <= 'f';
        if (!is_digit && !is_letter) {
            return UINT32_MAX;
        }
        code = code << 4 | (uint32_t)(is_digit ? c - '0' : letter - 'a' + 10);
    }
    return code;
}

/* An escape, or U+FFFD for a backslash without one. */
static uint32_t next_escaped(const struct token *token, size_t *at)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const uint8_t *text = token->text + *at;
    size_t left = token->size - *at;
    const char *letter = left > 1 && text[1] != '\0' ? strchr(letters, text[1]) : NULL;
    uint32_t code = left >= 6 && text[1] == 'u' ? read_hex(text + 2) : UINT32_MAX;
    if (letter) {
        *at += 2;
        return (uint8_t)meant[letter - letters];
    }
    *at += code <= UINT16_MAX ? 6 : 1;
    return code <= UINT16_MAX ? code : 0xFFFD;
}

/* Only as much as can be shown is stored, and more is counted, up to MOST_COUNTED. */
static const struct unescaped *unescape(const struct document *document, const struct token *token)
{
    struct unescaped *string = document->string;
    size_t at = 0;
    string->count = 0;
    while (at < token->size && string->count < MOST_COUNTED) {
        uint32_t code = token->text[at] == '\\' ? next_escaped(token, &at)
                                                : ilpi_utf8_next(token->text, token->size, &at);
        if (code > UINT16_MAX) {
            add_unit(string, ilpi_utf16_high(code));
            code = ilpi_utf16_low(code);
        }
        add_unit(string, code);
    }
    string->more = at < token->size;
    return string;
}

static void put_string(const struct document *document, const struct unescaped *string)
{
    (string->more ? put_text_at_least : put_text)(document->writer, string->utf16, string->count);
}

/* Returns the secrecy of the property's value. */
static enum secrecy put_name(const struct document *document, const struct token *name)
{
    const struct unescaped *string = unescape(document, name);
    put_string(document, string);
    return redaction_of_key(document->writer->shaped->redaction, string->utf16,
                            known_clamp(string->count, MOST_CHARS));
}

/* ---- numbers ---- */

static size_t skip_digits(const char *text, size_t at)
{
    return at + strspn(text + at, "0123456789");
}

/* Whether it is a JSON number (RFC 8259, 6); a NUL follows it. */
static bool is_number(const char *text, size_t size)
{
    size_t first = text[0] == '-', at = skip_digits(text, first);
    /* A single digit, or several that do not begin with 0. */
    bool right = at == first + 1 || (at > first && text[first] != '0');
    if (text[at] == '.') {
        size_t end = skip_digits(text, at + 1);
        right &= end > at + 1;
        at = end;
    }
    if (text[at] == 'e' || text[at] == 'E') {
        size_t begin = at + 1 + (text[at + 1] == '+' || text[at + 1] == '-');
        at = skip_digits(text, begin);
        right &= at > begin;
    }
    return right && at == size;
}

/* With the digits of the text; with an exponent not every reader takes it as a number. */
static void put_number(struct value_writer *writer, const struct token *token)
{
    char text[NUMBER_CHARS + 1];
    uint32_t size = token->size < NUMBER_CHARS ? token->size : NUMBER_CHARS;
    memcpy(text, token->text, size);
    text[size] = '\0';
    if (size != token->size || !is_number(text, size)) {
        put_hidden(writer);
        return;
    }
    size_t begin = scalar_begin(writer);
    line_put_chars(writer->line, text, size);
    scalar_end(writer, begin, strpbrk(text, "eE") ? SCALAR_WORD : SCALAR_INTEGER);
}

static void put_truth(struct value_writer *writer, bool truth)
{
    size_t begin = scalar_begin(writer);
    line_put(writer->line, truth ? "true" : "false");
    scalar_end(writer, begin, SCALAR_LITERAL);
}

/* ---- containers ---- */

static void put_token(const struct document *document, const struct token *token, unsigned depth);

/* The row of an array has its number of elements; each is at least one row, so a count above the
 * rows there are is invalid. */
static void put_array(const struct document *document, const struct token *array, unsigned depth)
{
    struct elements elements = {.writer = document->writer, .depth = depth};
    struct token item = {.next = array->row + 1};
    uint32_t end = array->next - 1;
    if (array->size > end - item.next) {
        put_hidden(document->writer);
        return;
    }
    if (!elements_begin(&elements, (int32_t)array->size, false, NULL, 0)) {
        return;
    }
    bool goes_on = true;
    while (goes_on && elements.shown < elements.count && item.next < end &&
           read_token(document, item.next, &item)) {
        goes_on = elements_next(&elements);
        if (goes_on) {
            put_token(document, &item, depth + 1);
        }
    }
    end_elements(&elements, goes_on);
}

/* Under a secret name numbers and bools are hidden, too: in JSON nodes they are objects, which are
 * hidden. */
static void put_property(const struct document *document, const struct token *name,
                         const struct token *value, unsigned depth)
{
    struct value_writer *writer = document->writer;
    pair_begin(writer);
    enum secrecy secrecy = put_name(document, name);
    pair_between(writer);
    if (secrecy != SECRECY_NONE && value->kind != TOKEN_NULL) {
        put_mark(writer, REDACTED);
    } else {
        put_token(document, value, depth + 1);
    }
    pair_end(writer);
}

/* The property that begins at a row before `end`. */
static bool read_property(const struct document *document, uint32_t row, uint32_t end,
                          struct token *name, struct token *value)
{
    return row < end && read_token(document, row, name) && name->kind == TOKEN_NAME &&
           name->next < end && read_token(document, name->next, value);
}

/* Before .NET 9 an object's row has its number of rows instead, which is greater. */
static int32_t count_properties(const struct document *document, const struct token *object,
                                bool *more)
{
    struct token name, value = {.next = object->row + 1};
    uint32_t end = object->next - 1;
    int32_t count = 0;
    *more = false;
    if (object->size != end - object->row) {
        return (int32_t)object->size;
    }
    while (count < MAX_COUNT && read_property(document, value.next, end, &name, &value)) {
        count++;
    }
    /* Rows remain after as many properties as are counted. */
    *more = count == MAX_COUNT && value.next < end;
    return count;
}

/* The rows of an object are its names and values in turn, then one for its end. A property takes
 * two rows at least, so a greater count is damage. */
static void put_object(const struct document *document, const struct token *object, unsigned depth)
{
    struct elements elements = {.writer = document->writer, .depth = depth};
    struct token name, value = {.next = object->row + 1};
    uint32_t end = object->next - 1;
    bool more;
    int32_t count = count_properties(document, object, &more);
    if ((uint32_t)count > (end - value.next) / 2) {
        put_hidden(document->writer);
        return;
    }
    if (!elements_begin(&elements, count, more, NULL, 0)) {
        return;
    }
    bool goes_on = true;
    while (goes_on && elements.shown < elements.count &&
           read_property(document, value.next, end, &name, &value)) {
        goes_on = elements_next(&elements);
        if (goes_on) {
            put_property(document, &name, &value, depth);
        }
    }
    end_elements(&elements, goes_on);
}

static void put_token(const struct document *document, const struct token *token, unsigned depth)
{
    struct value_writer *writer = document->writer;
    switch (token->kind) {
    case TOKEN_OBJECT: put_object(document, token, depth); break;
    case TOKEN_ARRAY: put_array(document, token, depth); break;
    case TOKEN_STRING: put_string(document, unescape(document, token)); break;
    case TOKEN_NUMBER: put_number(writer, token); break;
    case TOKEN_TRUE: put_truth(writer, true); break;
    case TOKEN_FALSE: put_truth(writer, false); break;
    case TOKEN_NULL: put_null(writer); break;
    default: put_hidden(writer);
    }
}

/* ---- as values ---- */

void known_put_json_document(struct value_writer *writer, const struct shape *shape,
                             const uint8_t *base, unsigned depth)
{
    struct unescaped string;
    struct document document = {.writer = writer, .string = &string};
    struct token root;
    (void)shape;
    if (open_document(&document, base) && read_token(&document, 0, &root)) {
        put_token(&document, &root, depth);
    } else {
        put_hidden(writer);
    }
}

/* An element is a document and an offset in its rows. */
static bool open_element(struct document *document, const struct shape *shape, const uint8_t *base,
                         struct token *token)
{
    enum { PARENT, OFFSET };
    int32_t offset = known_number(shape, OFFSET, base);
    return offset >= 0 && offset % ROW_SIZE == 0 &&
           open_document(document, known_reference(shape, PARENT, base)) &&
           read_token(document, (uint32_t)offset / ROW_SIZE, token);
}

void known_put_json_element(struct value_writer *writer, const struct shape *shape,
                            const uint8_t *base, unsigned depth)
{
    struct unescaped string;
    struct document document = {.writer = writer, .string = &string};
    struct token token;
    if (open_element(&document, shape, base, &token)) {
        put_token(&document, &token, depth);
    } else {
        put_hidden(writer);
    }
}

/* An element of an object, preceded by its name. */
void known_put_json_property(struct value_writer *writer, const struct shape *shape,
                             const uint8_t *base, unsigned depth)
{
    const struct shape *element = shape->fields[0].shape;
    struct unescaped string;
    struct document document = {.writer = writer, .string = &string};
    struct token name, value;
    if (!is_too_deep(writer, depth) && element->kind == SHAPE_FRAMEWORK &&
        element->known == KNOWN_JSON_ELEMENT &&
        open_element(&document, element, known_field(shape, 0, base), &value) && value.row != 0 &&
        read_token(&document, value.row - 1, &name) && name.kind == TOKEN_NAME) {
        put_property(&document, &name, &value, depth);
    } else {
        put_hidden(writer);
    }
}
