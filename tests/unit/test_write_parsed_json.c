/* Documents of System.Text.Json (src/values/write_parsed_json.c), among them such as are not as
 * they should be. What real ones look like is in tests/inspector/cases.txt. A parser of this file's
 * own makes the rows; arrays are as long as they say, so that sanitizers see what is read after
 * them. */
#include "metadata_test.h"

#include <jansson.h>

#include "tests/unit/own_shapes.h"

/* ---- the program's objects ---- */

struct bytes {
    const struct shape *type;
    int32_t length, padding;
    uint8_t items[];
};

struct document {
    const struct shape *type;
    const struct bytes *text; /* of a ReadOnlyMemory: object, index, length */
    int32_t index, count;
    int32_t length, padding; /* of a MetadataDb: Length, _data */
    struct bytes *rows;
};

struct element {
    const void *parent;
    int32_t offset, padding;
};

static const struct shape int32 = {.kind = SHAPE_SIGNED, .size = 4, .name = "System.Int32"};
static const struct shape byte = {.kind = SHAPE_UNSIGNED, .size = 1, .name = "System.Byte"};
static const struct shape bytes = {
    .kind = SHAPE_ELEMENTS, .inner = &byte, .data = offsetof(struct bytes, items)};
static const struct shape numbers = {
    .kind = SHAPE_ELEMENTS, .inner = &int32, .data = offsetof(struct bytes, items)};

#define MEMORY_AT(member) offsetof(struct document, member) - offsetof(struct document, text)
static const struct shape_field memory_fields[] = {FIELD("_object", MEMORY_AT(text), &any),
                                                   FIELD("_length", MEMORY_AT(count), &int32),
                                                   FIELD("_index", MEMORY_AT(index), &int32)};
static const struct shape memory = {.kind = SHAPE_FRAMEWORK,
                                    .known = KNOWN_MEMORY,
                                    .size = 16,
                                    .inner = &byte,
                                    .fields = memory_fields,
                                    .field_count = COUNT(memory_fields)};
static const struct shape_field table_fields[] = {FIELD("Length", 0, &int32),
                                                  FIELD("_data", 8, &any)};
static const struct shape table = {
    .kind = SHAPE_STRUCT, .size = 16, .fields = table_fields, .field_count = COUNT(table_fields)};
static const struct shape_field document_fields[] = {
    FIELD("_utf8Json", offsetof(struct document, text), &memory),
    FIELD("_parsedData", offsetof(struct document, length), &table)};
static const struct shape document_shape = {.kind = SHAPE_FRAMEWORK,
                                            .known = KNOWN_JSON_DOCUMENT,
                                            .is_class = true,
                                            .size = sizeof(struct document),
                                            .fields = document_fields,
                                            .field_count = COUNT(document_fields)};
static const struct shape_field element_fields[] = {
    FIELD("_parent", offsetof(struct element, parent), &any),
    FIELD("_idx", offsetof(struct element, offset), &int32)};
static const struct shape element_shape = {.kind = SHAPE_FRAMEWORK,
                                           .known = KNOWN_JSON_ELEMENT,
                                           .size = sizeof(struct element),
                                           .fields = element_fields,
                                           .field_count = COUNT(element_fields)};
static const struct shape_field property_fields[] = {FIELD("Value", 0, &element_shape)};
static const struct shape property_shape = {.kind = SHAPE_FRAMEWORK,
                                            .known = KNOWN_JSON_PROPERTY,
                                            .size = sizeof(struct element),
                                            .fields = property_fields,
                                            .field_count = 1};

/* ---- parsing ---- */

enum { ROW = 12, START_OBJECT = 1, END_OBJECT, START_ARRAY, END_ARRAY, NAME, STRING = 7, NUMBER };

struct parser {
    const char *json, *at;
    struct bytes *rows;
    bool old; /* as before .NET 9 */
};

static struct bytes *make_bytes(size_t size)
{
    struct bytes *made = calloc(1, sizeof *made + size);
    assert_non_null(made);
    made->type = &bytes;
    made->length = (int32_t)size;
    return made;
}

static void set_row(struct bytes *rows, uint32_t row, uint32_t begin, uint32_t size, uint32_t kind,
                    uint32_t held)
{
    const uint32_t words[] = {begin, size, kind << 28 | held};
    assert_true(ROW * (row + 1) <= (uint32_t)rows->length);
    memcpy(rows->items + (size_t)ROW * row, words, sizeof words);
}

static uint32_t append_row(struct parser *parser, uint32_t size, uint32_t kind)
{
    uint32_t row = (uint32_t)parser->rows->length / ROW;
    parser->rows = realloc(parser->rows, sizeof *parser->rows + (size_t)parser->rows->length + ROW);
    assert_non_null(parser->rows);
    parser->rows->length += ROW;
    set_row(parser->rows, row, (uint32_t)(parser->at - parser->json), size, kind, 0);
    return row;
}

static void parse_string(struct parser *parser, uint32_t kind)
{
    uint32_t size = 0;
    parser->at++;
    while (parser->at[size] != '"') {
        size += parser->at[size] == '\\' ? 2 : 1;
    }
    append_row(parser, size, kind);
    parser->at += size + 1;
}

static void parse(struct parser *parser);

static void parse_items(struct parser *parser, uint32_t kind, char end)
{
    uint32_t begin = (uint32_t)(parser->at - parser->json), count = 0;
    uint32_t row = append_row(parser, 0, kind);
    for (parser->at++; *parser->at != end; parser->at += *parser->at == ',') {
        if (kind == START_OBJECT) {
            parse_string(parser, NAME);
            parser->at++; /* ':' */
        }
        parse(parser);
        count++;
    }
    uint32_t last = append_row(parser, 1, kind + 1);
    parser->at++;
    set_row(parser->rows, row, begin, parser->old && kind == START_OBJECT ? last - row : count,
            kind, last - row);
}

static void parse(struct parser *parser)
{
    switch (*parser->at) {
    case '{': parse_items(parser, START_OBJECT, '}'); break;
    case '[': parse_items(parser, START_ARRAY, ']'); break;
    case '"': parse_string(parser, STRING); break;
    default: {
        static const char literals[] = "tfn"; /* kinds after NUMBER */
        const char *literal = strchr(literals, *parser->at);
        uint32_t size = (uint32_t)strcspn(parser->at, ",]}");
        append_row(parser, size, literal ? NUMBER + 1 + (uint32_t)(literal - literals) : NUMBER);
        parser->at += size;
    }
    }
}

static struct document parsed(const char *json, bool old)
{
    size_t size = strlen(json);
    struct bytes *text = make_bytes(size);
    struct parser parser = {.json = json, .at = json, .rows = make_bytes(0), .old = old};
    parse(&parser);
    assert_int_equal(*parser.at, '\0');
    memcpy(text->items, json, size);
    return (struct document){.type = &document_shape,
                             .text = text,
                             .count = (int32_t)size,
                             .length = parser.rows->length,
                             .rows = parser.rows};
}

static void close_document(struct document *document)
{
    free((void *)(uintptr_t)document->text);
    free(document->rows);
}

/* ---- shown ---- */

static const char *shown_as(const struct shape *shape, const void *value, size_t size)
{
    static char text[2000];
    const struct shaped_value shaped = {
        .shape = shape, .types = &own_types, .value = value, .size = size};
    text[shape_write(&shaped, text, sizeof text - 1)] = '\0';
    return text;
}

static const char *shown(const struct document *document)
{
    return shown_as(&any, &document, sizeof document);
}

static const char *shown_at(const struct document *document, int32_t offset)
{
    const struct element element = {.parent = document, .offset = offset};
    return shown_as(&element_shape, &element, sizeof element);
}

static const char *property_at(const struct document *document, int32_t offset)
{
    const struct element element = {.parent = document, .offset = offset};
    return shown_as(&property_shape, &element, sizeof element);
}

static const char *shown_text(const char *json, bool old)
{
    struct document document = parsed(json, old);
    const char *text = shown(&document);
    close_document(&document);
    return text;
}

static size_t write_json(const struct document *document, char *json, size_t room)
{
    struct line line;
    const struct shaped_value shaped = {
        .shape = &any, .types = &own_types, .value = &document, .size = sizeof document};
    line_begin(&line, json, room);
    shape_put_json(&line, &shaped);
    return line.size;
}

/* ---- tests ---- */

static void test_values(void **state)
{
    (void)state;
    for (int old = 0; old < 2; old++) {
        assert_string_equal(shown_text("{\"a\":1,\"b\":[true,false,null],\"c\":{},\"d\":[]}", old),
                            "[4: \"a\"=1, \"b\"=[3: true, false, null], \"c\"=[0], \"d\"=[0]]");
        assert_string_equal(shown_text("[[{\"a\":[1]},{\"b\":2}]]", old),
                            "[1: [2: [1: \"a\"=[1: ...]], [1: \"b\"=2]]]");
        assert_string_equal(shown_text("{}", old), "[0]");
        assert_string_equal(shown_text("{\"a\":{\"b\":{\"c\":{\"d\":1}}}}", old),
                            "[1: \"a\"=[1: \"b\"=[1: \"c\"=[1: ...]]]]");
    }
}

/* Before .NET 9 the properties of an object are counted, and not all. */
static void test_counts(void **state)
{
    static char json[300 * 6 + 3] = "{";
    (void)state;
    for (unsigned count = 255; count < 259; count++) {
        char want[16];
        size_t at = 1;
        for (unsigned i = 0; i < count; i++) {
            at += (size_t)sprintf(json + at, "%s\"\":1", i == 0 ? "" : ",");
        }
        strcpy(json + at, "}");
        sprintf(want, "[%u%s: ", count < 257 ? count : 256, count < 257 ? "" : "+");
        assert_int_equal(strncmp(shown_text(json, true), want, strlen(want)), 0);
        sprintf(want, "[%u: ", count);
        assert_int_equal(strncmp(shown_text(json, false), want, strlen(want)), 0);
    }
}

static void test_numbers(void **state)
{
    static const char *const right[] = {"0",   "-0",    "10",     "1.0",      "-1.25",
                                        "1e5", "1E+05", "0.5e-0", "123456789"};
    static const char *const wrong[] = {"-",   "01", "1.",  "1e",   "1e+",   "+1", ".5",
                                        "0x1", "1 ", "--1", "1.e1", "1e1.0", "-01"};
    (void)state;
    for (size_t i = 0; i < COUNT(right); i++) {
        assert_string_equal(shown_text(right[i], false), right[i]);
    }
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_string_equal(shown_text(wrong[i], false), "{...}");
    }
    struct document none = parsed("12", false);
    memcpy((void *)(uintptr_t)none.text->items, "1", 2);
    assert_string_equal(shown(&none), "{...}");
    set_row(none.rows, 0, 0, 0, NUMBER, 0);
    assert_string_equal(shown(&none), "{...}");
    close_document(&none);
}

static void test_long_numbers(void **state)
{
    char json[1002];
    (void)state;
    memset(json, '1', sizeof json);
    json[1000] = '\0';
    assert_int_equal(shown_text(json, false)[0], '1');
    json[1000] = '1';
    json[1001] = '\0';
    assert_string_equal(shown_text(json, false), "{...}");
}

/* What is no escape, or no UTF-8, is U+FFFD and goes on after it. */
static void test_strings(void **state)
{
    static const struct {
        const char *json, *text;
    } cases[] = {
        {"\"\\u0041\\u00e9\\uD83D\\uDE00\"", "\"A\xC3\xA9\xF0\x9F\x98\x80\""},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
        {"\"\\uD83Dx\"", "\"\\ud83dx\""},
        {"\"\\u12\"", "\"\xEF\xBF\xBDu12\""},
        {"\"\\u00G0\"", "\"\xEF\xBF\xBDu00G0\""},
        {"\"\\u0000\\x\"", "\"\\0\xEF\xBF\xBDx\""},
        {"\"\xC3\xA9\xC3 \xFF\"", "\"\xC3\xA9\xEF\xBF\xBD \xEF\xBF\xBD\""},
        {"\"\"", "\"\""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(shown_text(cases[i].json, false), cases[i].text);
    }
    struct document torn = parsed("\"ab\\u0041\"", false);
    set_row(torn.rows, 0, 1, 3, STRING, 0); /* ends at the backslash */
    assert_string_equal(shown(&torn), "\"ab\xEF\xBF\xBD\"");
    set_row(torn.rows, 0, 1, 7, STRING, 0);
    assert_string_equal(shown(&torn), "\"ab\xEF\xBF\xBDu004\"");
    close_document(&torn);
}

static void test_long_strings(void **state)
{
    static char json[20003];
    (void)state;
    for (unsigned size = 9999; size <= 10001; size++) {
        json[0] = '"';
        memset(json + 1, 'x', size);
        strcpy(json + 1 + size, "\"");
        struct document document = parsed(json, false);
        char made[4096], want[40];
        sprintf(want, "\"... (%u%s chars)", size < 10001 ? size : 10000, size < 10001 ? "" : "+");
        const char *text = shown(&document);
        assert_string_equal(text + strlen(text) - strlen(want), want);
        made[write_json(&document, made, sizeof made - 1)] = '\0';
        json_t *object = json_loads(made, 0, NULL);
        assert_int_equal(json_integer_value(json_object_get(object, "$length")),
                         size < 10001 ? size : 10000);
        assert_int_equal(json_is_true(json_object_get(object, "$more")), size == 10001);
        json_decref(object);
        close_document(&document);
    }
}

static void test_elements(void **state)
{
    struct document document = parsed("{\"a\":[1,2],\"b\":3}", false);
    (void)state;
    assert_string_equal(shown_at(&document, 0), "[2: \"a\"=[2: 1, 2], \"b\"=3]");
    assert_string_equal(shown_at(&document, 2 * ROW), "[2: 1, 2]");
    assert_string_equal(shown_at(&document, 7 * ROW), "3");
    assert_string_equal(shown_at(&document, ROW), "{...}");     /* a name */
    assert_string_equal(shown_at(&document, 5 * ROW), "{...}"); /* an end */
    assert_string_equal(shown_at(&document, 9 * ROW), "{...}");
    assert_string_equal(shown_at(&document, ROW / 2), "{...}");
    assert_string_equal(shown_at(&document, -ROW), "{...}");
    assert_string_equal(shown_at(NULL, 0), "{...}");
    assert_string_equal(shown_at((const void *)document.text, 0), "{...}");
    assert_string_equal(property_at(&document, 2 * ROW), "\"a\"=[2: 1, 2]");
    assert_string_equal(property_at(&document, 7 * ROW), "\"b\"=3");
    assert_string_equal(property_at(&document, 3 * ROW), "{...}"); /* an item */
    assert_string_equal(property_at(&document, 0), "{...}");
    assert_string_equal(property_at(NULL, 0), "{...}");
    close_document(&document);
}

static void test_documents(void **state)
{
    struct document document = parsed("[1,\"b\"]", false), other = document;
    struct bytes *wrong = make_bytes(48);
    (void)state;
    assert_string_equal(shown(&document), "[2: 1, \"b\"]");
    other.length = 0; /* disposed, in part */
    assert_string_equal(shown(&other), "{...}");
    other = document;
    other.rows = NULL;
    assert_string_equal(shown(&other), "{...}");
    other = document;
    other.text = NULL;
    assert_string_equal(shown(&other), "{...}");
    other = document;
    other.length = INT32_MAX;
    assert_string_equal(shown(&other), "[2: 1, \"b\"]");
    other.length = -1;
    assert_string_equal(shown(&other), "{...}");
    other = document;
    other.count = 3;
    assert_string_equal(shown(&other), "[2: 1, ...]");
    other.count = INT32_MAX;
    other.index = 2;
    assert_string_equal(shown(&other), "[2: {...}, \"]\"]");
    wrong->type = &numbers;
    wrong->length = 12;
    other = document;
    other.rows = wrong;
    assert_string_equal(shown(&other), "{...}");
    other = document;
    other.text = wrong;
    assert_string_equal(shown(&other), "{...}");
    free(wrong);
    close_document(&document);
}

static void test_wrong_rows(void **state)
{
    struct document document = parsed("{\"a\":1,\"b\":2}", false);
    struct bytes *rows = document.rows;
    (void)state;
    set_row(rows, 0, 0, 2, START_OBJECT, 5);
    assert_string_equal(shown(&document), "[2: \"a\"=1, \"b\"=2]");
    set_row(rows, 0, 0, 3, START_OBJECT, 5); /* more than there is room for */
    assert_string_equal(shown(&document), "{...}");
    set_row(rows, 0, 0, 2, START_OBJECT, 6);
    assert_string_equal(shown(&document), "{...}");
    set_row(rows, 0, 0, 2, START_OBJECT, 0);
    assert_string_equal(shown(&document), "{...}");
    set_row(rows, 0, 0, 1, START_OBJECT, 3); /* a part of it */
    assert_string_equal(shown(&document), "[1: \"a\"=1]");
    set_row(rows, 0, 0, 5, START_ARRAY, 5);
    assert_string_equal(shown(&document), "{...}");
    set_row(rows, 0, 0, 4, START_ARRAY, 5);
    assert_string_equal(shown(&document), "[4: {...}, 1, {...}, 2]");
    set_row(rows, 0, 0, 2, START_OBJECT, 5);
    set_row(rows, 3, 8, 1, STRING, 0); /* no name */
    assert_string_equal(shown(&document), "[2: \"a\"=1, ...]");
    set_row(rows, 3, 14, 1, NAME, 0); /* no text */
    assert_string_equal(shown(&document), "[2: \"a\"=1, ...]");
    set_row(rows, 3, 13, 1, NAME, 0);
    assert_string_equal(shown(&document), "[2: \"a\"=1, ...]");
    set_row(rows, 3, UINT32_MAX, 1, NAME, 0);
    assert_string_equal(shown(&document), "[2: \"a\"=1, ...]");
    set_row(rows, 3, 0, INT32_MAX, NAME, 0);
    assert_string_equal(shown(&document), "[2: \"a\"=1, ...]");
    close_document(&document);
}

/* As many as are shown are right, and the next one is not. */
static void test_more_than_shown(void **state)
{
    static const char eight[] = "[8: 1, 2, 3, 4, 5, 6, 7, 8]";
    struct document document = parsed("[1,2,3,4,5,6,7,8,9]", false);
    (void)state;
    set_row(document.rows, 9, 99, 1, NUMBER, 0);
    assert_string_equal(shown(&document), "[9: 1, 2, 3, 4, 5, 6, 7, 8, ...]");
    set_row(document.rows, 0, 0, 8, START_ARRAY, 10);
    assert_string_equal(shown(&document), eight);
    close_document(&document);
}

/* ---- any rows, any text ---- */

static uint32_t below(uint32_t *state, uint32_t limit)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % limit;
}

static void change(struct document *document, uint32_t *state)
{
    uint8_t *rows = document->rows->items, *text = (uint8_t *)(uintptr_t)document->text->items;
    uint32_t row = below(state, (uint32_t)document->length / ROW) * ROW, word;
    switch (below(state, 4)) {
    case 0: rows[below(state, (uint32_t)document->length)] = (uint8_t)below(state, 256); break;
    case 1:
        word = below(state, 12) << 28 | below(state, 60);
        memcpy(rows + row + 8, &word, sizeof word);
        break;
    case 2:
        word = below(state, 60);
        memcpy(rows + row + 4 * below(state, 2), &word, sizeof word);
        break;
    default: text[below(state, (uint32_t)document->count)] = (uint8_t)below(state, 256);
    }
}

static void test_any(void **state)
{
    static const char json[] = "{\"a\":[1,-2.5e7,\"b\\u0041\\n\",[],[[true,false],{\"x\":{\"y\":"
                               "null}}]],\"\xC3\xA9\":{\"k\":12345678901234567890},\"z\":[{}]}";
    struct document document = parsed(json, false);
    uint8_t rows[1000];
    char made[2048];
    uint32_t random = 1;
    (void)state;
    assert_true((size_t)document.length <= sizeof rows);
    memcpy(rows, document.rows->items, (size_t)document.length);
    for (unsigned i = 0; i < 50000; i++) {
        memcpy(document.rows->items, rows, (size_t)document.length);
        memcpy((void *)(uintptr_t)document.text->items, json, sizeof json - 1);
        for (uint32_t changes = below(&random, 6); changes != 0; changes--) {
            change(&document, &random);
        }
        assert_true(strlen(shown(&document)) < 500);
        size_t size = write_json(&document, made, 1100 + below(&random, 900));
        json_t *object = json_loadb(made, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        assert_non_null(object);
        json_decref(object);
    }
    close_document(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),     cmocka_unit_test(test_counts),
        cmocka_unit_test(test_numbers),    cmocka_unit_test(test_long_numbers),
        cmocka_unit_test(test_strings),    cmocka_unit_test(test_long_strings),
        cmocka_unit_test(test_elements),   cmocka_unit_test(test_documents),
        cmocka_unit_test(test_wrong_rows), cmocka_unit_test(test_more_than_shown),
        cmocka_unit_test(test_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
