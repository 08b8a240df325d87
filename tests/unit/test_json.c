/* The JSON writer: layouts byte by byte, any bytes as strings with jansson as the reader, failures
 * that stick. */
#include "metadata_test.h"

#include <jansson.h>
#include <math.h>

#include "base/buf.h"
#include "base/json.h"

struct bench {
    struct memory memory;
    struct ilpi_alloc alloc;
    struct ilpi_buf text;
    struct ilpi_json json;
};

static struct ilpi_json *begin(struct bench *bench, enum ilpi_json_style style)
{
    *bench = (struct bench){.memory = {.fail_at = 0}};
    struct ilp_allocator allocator = memory_allocator(&bench->memory);
    ilpi_alloc_init(&bench->alloc, &allocator);
    bench->text.alloc = &bench->alloc;
    ilpi_json_begin(&bench->json, ilpi_buf_sink(&bench->text), style);
    return &bench->json;
}

static void end(struct bench *bench)
{
    ilpi_buf_free(&bench->text);
    memory_is_empty(&bench->memory);
}

static void holds(struct bench *bench, const char *text)
{
    assert_int_equal(ilpi_json_flush(&bench->json), ILP_OK);
    ilpi_buf_u8(&bench->text, 0);
    assert_string_equal(bench->text.data, text);
    end(bench);
}

/* ---- layout ---- */

static void write_numbers(struct ilpi_json *json, const char *name, enum ilpi_json_layout layout,
                          unsigned count)
{
    ilpi_json_array(json, name, layout);
    for (unsigned i = 0; i < count; i++) {
        ilpi_json_unsigned(json, NULL, i);
    }
    ilpi_json_end(json);
}

static void test_inline(void **state)
{
    static const char *const expected[] = {
        "{\"a\":1,\"b\":[0,1],\"c\":[],\"d\":{}}\n",
        "{\"a\": 1, \"b\": [0, 1], \"c\": [], \"d\": {}}\n",
    };
    (void)state;
    for (unsigned style = 0; style < 2; style++) {
        struct bench bench;
        struct ilpi_json *json = begin(&bench, (enum ilpi_json_style)style);
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        ilpi_json_unsigned(json, "a", 1);
        write_numbers(json, "b", ILPI_JSON_INLINE, 2);
        write_numbers(json, "c", ILPI_JSON_INLINE, 0);
        ilpi_json_object(json, "d", ILPI_JSON_INLINE);
        ilpi_json_end(json);
        ilpi_json_end(json);
        assert_int_equal(ilpi_json_finish(json), ILP_OK);
        holds(&bench, expected[style]);
    }
}

static void test_lines(void **state)
{
    (void)state;
    struct bench bench;
    struct ilpi_json *json = begin(&bench, ILPI_JSON_SPACED);
    ilpi_json_object(json, NULL, ILPI_JSON_LINES);
    write_numbers(json, "inline", ILPI_JSON_INLINE, 2);
    write_numbers(json, "hanging", ILPI_JSON_HANGING, 2);
    write_numbers(json, "none hanging", ILPI_JSON_HANGING, 0);
    write_numbers(json, "lines", ILPI_JSON_LINES, 2);
    write_numbers(json, "no lines", ILPI_JSON_LINES, 0);
    write_numbers(json, "always", ILPI_JSON_LINES_ALWAYS, 0);
    ilpi_json_array(json, "deeper", ILPI_JSON_LINES);
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    write_numbers(json, "lines", ILPI_JSON_LINES, 1);
    ilpi_json_end(json);
    ilpi_json_end(json);
    ilpi_json_end(json);
    ilpi_json_finish(json);
    holds(&bench, "{\n"
                  "  \"inline\": [0, 1],\n"
                  "  \"hanging\": [\n    0,\n    1],\n"
                  "  \"none hanging\": [],\n"
                  "  \"lines\": [\n    0,\n    1\n  ],\n"
                  "  \"no lines\": [],\n"
                  "  \"always\": [\n  ],\n"
                  "  \"deeper\": [\n    {\"lines\": [\n      0\n    ]}\n  ]\n"
                  "}\n");
}

static void test_compact_lines(void **state)
{
    (void)state;
    struct bench bench;
    struct ilpi_json *json = begin(&bench, ILPI_JSON_COMPACT);
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    write_numbers(json, "a", ILPI_JSON_LINES, 2);
    write_numbers(json, "b", ILPI_JSON_HANGING, 2);
    ilpi_json_line(json, 0);
    write_numbers(json, "c", ILPI_JSON_INLINE, 1);
    ilpi_json_end(json);
    holds(&bench, "{\"a\":[\n0,\n1\n],\"b\":[\n0,\n1],\n\"c\":[0]}");
}

/* A line that is requested counts for what is in it, and needs more blanks than there are in one
 * piece. */
static void test_line(void **state)
{
    (void)state;
    struct bench bench;
    struct ilpi_json *json = begin(&bench, ILPI_JSON_SPACED);
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_line(json, 40);
    write_numbers(json, "a", ILPI_JSON_LINES, 1);
    ilpi_json_line(json, 0);
    ilpi_json_end(json);
    holds(&bench, "{\n                                        \"a\": [\n"
                  "                                          0\n"
                  "                                        ]\n}");
}

static void test_documents(void **state)
{
    (void)state;
    struct bench bench;
    struct ilpi_json *json = begin(&bench, ILPI_JSON_COMPACT);
    for (unsigned i = 0; i < 2; i++) {
        write_numbers(json, NULL, ILPI_JSON_INLINE, i);
        assert_int_equal(ilpi_json_finish(json), ILP_OK);
    }
    holds(&bench, "[]\n[0]\n");
}

/* ---- parts ---- */

static void test_parts(void **state)
{
    (void)state;
    for (unsigned count = 0; count < 3; count++) {
        static const char *const expected[] = {
            "{\n  \"a\": [\n  ],\n  \"b\": []\n}",
            "{\n  \"a\": [\n    {\"n\": 0}\n  ],\n  \"b\": [\n    {\"n\": 0}\n  ]\n}",
            ("{\n  \"a\": [\n    {\"n\": 0},\n    {\"n\": 1}\n  ],\n"
             "  \"b\": [\n    {\"n\": 0},\n    {\"n\": 1}\n  ]\n}")};
        struct bench bench;
        struct ilpi_json part;
        struct ilpi_json *json = begin(&bench, ILPI_JSON_SPACED);
        struct ilpi_buf text = {.alloc = &bench.alloc};
        ilpi_json_begin_part(&part, ilpi_buf_sink(&text), ILPI_JSON_SPACED, 2);
        for (unsigned i = 0; i < count; i++) {
            ilpi_json_object(&part, NULL, ILPI_JSON_INLINE);
            ilpi_json_unsigned(&part, "n", i);
            ilpi_json_end(&part);
        }
        assert_int_equal(ilpi_json_flush(&part), ILP_OK);
        ilpi_json_object(json, NULL, ILPI_JSON_LINES);
        ilpi_json_array(json, "a", ILPI_JSON_LINES_ALWAYS);
        ilpi_json_add_part(json, ilpi_buf_bytes(&text));
        ilpi_json_end(json);
        ilpi_json_array(json, "b", ILPI_JSON_LINES);
        ilpi_json_add_part(json, ilpi_buf_bytes(&text));
        ilpi_json_add_part(json, (struct ilp_bytes){NULL, 0});
        ilpi_json_end(json);
        ilpi_json_end(json);
        ilpi_buf_free(&text);
        holds(&bench, expected[count]);
    }
}

/* A document that can be read after each step, though it goes on: a copy of the writer ends it. */
static void test_copy(void **state)
{
    (void)state;
    struct bench bench;
    struct ilpi_json *json = begin(&bench, ILPI_JSON_SPACED);
    ilpi_json_object(json, NULL, ILPI_JSON_LINES);
    ilpi_json_array(json, "list", ILPI_JSON_LINES);
    for (unsigned i = 0; i < 3; i++) {
        ilpi_json_flush(json);
        struct ilpi_json copy = *json;
        size_t kept = bench.text.size;
        ilpi_json_end(&copy);
        ilpi_json_end(&copy);
        assert_int_equal(ilpi_json_finish(&copy), ILP_OK);
        json_t *read = json_loadb((const char *)bench.text.data, bench.text.size, 0, NULL);
        assert_int_equal(json_array_size(json_object_get(read, "list")), i);
        json_decref(read);
        bench.text.size = kept;
        ilpi_json_unsigned(json, NULL, i);
    }
    holds(&bench, "{\n  \"list\": [\n    0,\n    1,\n    2");
}

/* What went to another sink for a time is put where the writer goes on. */
static void test_replay(void **state)
{
    (void)state;
    struct bench bench;
    struct ilpi_json *json = begin(&bench, ILPI_JSON_COMPACT);
    struct ilpi_buf aside = {.alloc = &bench.alloc};
    struct ilp_sink sink = json->sink;
    ilpi_json_array(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_unsigned(json, NULL, 1);
    ilpi_json_redirect(json, ilpi_buf_sink(&aside));
    ilpi_json_unsigned(json, NULL, 2);
    ilpi_json_redirect(json, sink);
    ilpi_json_replay(json, ilpi_buf_bytes(&aside));
    ilpi_json_unsigned(json, NULL, 3);
    ilpi_json_end(json);
    ilpi_buf_free(&aside);
    holds(&bench, "[1,2,3]");
}

/* ---- values ---- */

static void test_numbers(void **state)
{
    (void)state;
    struct bench bench;
    struct ilpi_json *json = begin(&bench, ILPI_JSON_COMPACT);
    ilpi_json_array(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_unsigned(json, NULL, 0);
    ilpi_json_unsigned(json, NULL, UINT64_MAX);
    ilpi_json_signed(json, NULL, -1);
    ilpi_json_signed(json, NULL, INT64_MIN);
    ilpi_json_signed(json, NULL, INT64_MAX);
    ilpi_json_double(json, NULL, 0.1);
    ilpi_json_double(json, NULL, -1e308);
    ilpi_json_double(json, NULL, (double)INFINITY);
    ilpi_json_double(json, NULL, (double)NAN);
    ilpi_json_bool(json, NULL, true);
    ilpi_json_bool(json, NULL, false);
    ilpi_json_null(json, NULL);
    ilpi_json_raw(json, NULL, (struct ilp_bytes){(const uint8_t *)"1.500", 5});
    ilpi_json_token(json, NULL, 0x0600000A);
    ilpi_json_format(json, NULL, "%u\"", 7u);
    ilpi_json_unsigned_text(json, NULL, UINT64_MAX);
    ilpi_json_signed_text(json, NULL, INT64_MIN);
    ilpi_json_hex(json, NULL, 0xFEDCBA9876543210);
    ilpi_json_hex(json, NULL, 10);
    ilpi_json_end(json);
    holds(&bench,
          "[0,18446744073709551615,-1,-9223372036854775808,9223372036854775807,0.10000000000000001,"
          "-1e+308,null,null,true,false,null,1.500,\"0x0600000A\",\"7\\\"\","
          "\"18446744073709551615\",\"-9223372036854775808\",\"fedcba9876543210\","
          "\"000000000000000a\"]");
}

static void test_strings(void **state)
{
    static const struct {
        const char *text;
        const char *json;
    } cases[] = {
        {"", "\"\""},
        {"plain ~", "\"plain ~\""},
        {"\"\\/", "\"\\\"\\\\/\""},
        {"\x01\b\t\n\f\r\x1F\x7F", "\"\\u0001\\u0008\\u0009\\u000a\\u000c\\u000d\\u001f\\u007f\""},
        /* C1, and what is past it */
        {"\xC2\x85\xC2\x9F\xC2\xA0", "\"\\u0085\\u009f\xC2\xA0\""},
        /* ends of lines for some */
        {"\xE2\x80\xA7\xE2\x80\xA8\xE2\x80\xA9", "\"\xE2\x80\xA7\\u2028\\u2029\""},
        {"\xF0\x9F\x98\x80", "\"\xF0\x9F\x98\x80\""},
        /* a surrogate */
        {"\xED\xA0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
        /* longer than needed */
        {"\xC0\x80", "\"\\ufffd\\ufffd\""},
        /* cut */
        {"a\xE2\x82", "\"a\\ufffd\\ufffd\""},
        /* past U+10FFFF */
        {"\xF4\x90\x80\x80z", "\"\\ufffd\\ufffd\\ufffd\\ufffdz\""},
        {"\xF8\x90\x80\x80z", "\"\\ufffd\\ufffd\\ufffd\\ufffdz\""},
        {"\xFF\xFE", "\"\\ufffd\\ufffd\""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench bench;
        ilpi_json_string(begin(&bench, ILPI_JSON_SPACED), NULL, cases[i].text);
        holds(&bench, cases[i].json);
    }
}

/* A character that needs an escape, or a byte that is not UTF-8, at each of many offsets: text is
 * looked at in words. */
static void test_every_offset(void **state)
{
    static const char *const characters[][2] = {
        {"\"", "\\\""},      {"\\", "\\\\"},      {"\x1F", "\\u001f"},
        {"\x7F", "\\u007f"}, {"\xFF", "\\ufffd"}, {"\x80", "\\ufffd"},
        {" ", " "},          {"~", "~"},          {"!", "!"}};
    (void)state;
    for (size_t i = 0; i < COUNT(characters); i++) {
        for (int offset = 0; offset < 20; offset++) {
            struct bench bench;
            char text[64], expected[64];
            snprintf(text, sizeof text, "%.*s%s%.*s", offset, "aaaaaaaaaaaaaaaaaaaa",
                     characters[i][0], 20 - offset, "zzzzzzzzzzzzzzzzzzzz");
            snprintf(expected, sizeof expected, "\"%.*s%s%.*s\"", offset, "aaaaaaaaaaaaaaaaaaaa",
                     characters[i][1], 20 - offset, "zzzzzzzzzzzzzzzzzzzz");
            ilpi_json_string(begin(&bench, ILPI_JSON_SPACED), NULL, text);
            holds(&bench, expected);
        }
    }
}

/* Text of every length around that of the writer's buffer, plain or not at its end, after what
 * leaves every room in the buffer's last words. */
static void test_every_room(void **state)
{
    static char text[1100], expected[1300];
    (void)state;
    for (size_t size = 0; size < sizeof text; size++) {
        struct bench bench;
        struct ilpi_json *json = begin(&bench, ILPI_JSON_COMPACT);
        const char last = size % 2 == 0 ? 'z' : '"';
        memset(text, 'a', size);
        text[size == 0 ? 0 : size - 1] = last;
        ilpi_json_array(json, NULL, ILPI_JSON_INLINE);
        ilpi_json_bytes(json, NULL, (struct ilp_bytes){(const uint8_t *)text, size});
        ilpi_json_bytes(json, NULL, (struct ilp_bytes){(const uint8_t *)"bbbbbbbbb", size % 10});
        ilpi_json_end(json);
        int written = size == 0 ? snprintf(expected, sizeof expected, "[\"\"")
                                : snprintf(expected, sizeof expected, "[\"%.*s%s%c\"",
                                           (int)size - 1, text, last == '"' ? "\\" : "", last);
        snprintf(expected + written, sizeof expected - (size_t)written, ",\"%.*s\"]",
                 (int)(size % 10), "bbbbbbbbb");
        holds(&bench, expected);
    }
}

/* Names are strings like others. */
static void test_names(void **state)
{
    (void)state;
    struct bench bench;
    struct ilpi_json *json = begin(&bench, ILPI_JSON_SPACED);
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_null(json, "a\"\n");
    ilpi_json_end(json);
    holds(&bench, "{\"a\\\"\\u000a\": null}");
}

/* Every pair of bytes, read back: valid JSON, and the same text where it was UTF-8. */
static void test_every_pair(void **state)
{
    (void)state;
    for (unsigned pair = 0; pair < 0x10000; pair++) {
        const uint8_t bytes[2] = {(uint8_t)(pair >> 8), (uint8_t)pair};
        struct bench bench;
        struct ilpi_json *json = begin(&bench, ILPI_JSON_COMPACT);
        ilpi_json_bytes(json, NULL, (struct ilp_bytes){bytes, 2});
        ilpi_json_flush(json);
        json_t *read = json_loadb((const char *)bench.text.data, bench.text.size,
                                  JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        assert_non_null(read);
        json_t *same = json_stringn((const char *)bytes, 2);
        if (same) {
            assert_true(json_equal(read, same));
        } else {
            assert_non_null(
                memmem(json_string_value(read), json_string_length(read), "\xEF\xBF\xBD", 3));
        }
        json_decref(same);
        json_decref(read);
        end(&bench);
    }
}

/* ---- failures ---- */

static void fails(struct bench *bench, ilp_status status)
{
    size_t size = bench->text.size;
    assert_int_equal(bench->json.status, status);
    ilpi_json_null(&bench->json, NULL);
    ilpi_json_end(&bench->json);
    assert_int_equal(ilpi_json_finish(&bench->json), status);
    assert_int_equal(bench->text.size, size);
    end(bench);
}

static void test_depth(void **state)
{
    (void)state;
    struct bench bench;
    struct ilpi_json *json = begin(&bench, ILPI_JSON_COMPACT);
    for (unsigned i = 0; i < ILPI_JSON_DEPTH; i++) {
        ilpi_json_array(json, NULL, ILPI_JSON_INLINE);
    }
    assert_int_equal(json->status, ILP_OK);
    ilpi_json_array(json, NULL, ILPI_JSON_INLINE);
    fails(&bench, ILP_E_TOO_DEEP);
}

static void test_too_long(void **state)
{
    (void)state;
    struct bench bench;
    ilpi_json_format(begin(&bench, ILPI_JSON_COMPACT), NULL, "%*d", (int)ILPI_JSON_FORMATTED, 1);
    assert_int_equal(bench.json.status, ILP_OK);
    end(&bench);
    ilpi_json_format(begin(&bench, ILPI_JSON_COMPACT), NULL, "%*d", (int)ILPI_JSON_FORMATTED + 1,
                     1);
    fails(&bench, ILP_E_TOO_LARGE);
}

static void test_misuse(void **state)
{
    (void)state;
    struct bench bench;
    struct ilpi_json *json = begin(&bench, ILPI_JSON_COMPACT);
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_null(json, NULL); /* a member without a name */
    fails(&bench, ILP_E_MISUSE);
    json = begin(&bench, ILPI_JSON_COMPACT);
    ilpi_json_array(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_null(json, "element"); /* one that has a name */
    fails(&bench, ILP_E_MISUSE);
    ilpi_json_null(begin(&bench, ILPI_JSON_COMPACT), "document");
    fails(&bench, ILP_E_MISUSE);
    json = begin(&bench, ILPI_JSON_COMPACT);
    ilpi_json_null(json, NULL);
    ilpi_json_null(json, NULL); /* two documents in a line */
    fails(&bench, ILP_E_MISUSE);
    ilpi_json_end(begin(&bench, ILPI_JSON_COMPACT)); /* of nothing */
    fails(&bench, ILP_E_MISUSE);
    ilpi_json_finish(begin(&bench, ILPI_JSON_COMPACT));
    fails(&bench, ILP_E_MISUSE);
    json = begin(&bench, ILPI_JSON_COMPACT);
    ilpi_json_array(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_finish(json); /* before its end */
    fails(&bench, ILP_E_MISUSE);
    json = begin(&bench, ILPI_JSON_COMPACT);
    ilpi_json_begin_part(json, ilpi_buf_sink(&bench.text), ILPI_JSON_COMPACT, 0);
    ilpi_json_end(json); /* of what others end */
    fails(&bench, ILP_E_MISUSE);
    json = begin(&bench, ILPI_JSON_COMPACT);
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_add_part(json, (struct ilp_bytes){(const uint8_t *)"1", 1});
    fails(&bench, ILP_E_MISUSE);
}

/* Takes so many bytes. */
struct narrow {
    char text[256];
    size_t size;
    size_t room;
};

static ilp_status take(void *user, const void *bytes, size_t size)
{
    struct narrow *narrow = user;
    if (size > narrow->room - narrow->size) {
        narrow->room = narrow->size; /* and none after the first failure */
        return ILP_E_CALLBACK;
    }
    memcpy(narrow->text + narrow->size, bytes, size);
    narrow->size += size;
    return ILP_OK;
}

static ilp_status write_all(struct narrow *narrow)
{
    struct ilpi_json json;
    ilpi_json_begin(&json, (struct ilp_sink){narrow, take}, ILPI_JSON_SPACED);
    ilpi_json_object(&json, NULL, ILPI_JSON_LINES);
    ilpi_json_string(&json, "text", "a\x01\xFF\xE2\x80\xA8z\"");
    write_numbers(&json, "list", ILPI_JSON_LINES, 2);
    ilpi_json_signed(&json, "number", -12);
    ilpi_json_double(&json, "real", 0.5);
    ilpi_json_token(&json, "token", 0x06000001);
    ilpi_json_array(&json, "part", ILPI_JSON_LINES_ALWAYS);
    ilpi_json_add_part(&json, (struct ilp_bytes){(const uint8_t *)"\n    1", 6});
    ilpi_json_end(&json);
    ilpi_json_end(&json);
    return ilpi_json_finish(&json);
}

static void test_every_failure(void **state)
{
    struct narrow whole = {.room = sizeof whole.text};
    (void)state;
    assert_int_equal(write_all(&whole), ILP_OK);
    for (size_t room = 0; room < whole.size; room++) {
        struct narrow narrow = {.room = room};
        assert_int_equal(write_all(&narrow), ILP_E_CALLBACK);
        assert_true(narrow.size <= room);
        assert_memory_equal(narrow.text, whole.text, narrow.size);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    struct bench bench;
    struct ilpi_json *json = begin(&bench, ILPI_JSON_COMPACT);
    bench.memory.fail_at = 1;
    ilpi_json_array(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_end(json);
    ilpi_json_finish(json);
    fails(&bench, ILP_E_NO_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inline),        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_compact_lines), cmocka_unit_test(test_line),
        cmocka_unit_test(test_documents),     cmocka_unit_test(test_parts),
        cmocka_unit_test(test_copy),          cmocka_unit_test(test_replay),
        cmocka_unit_test(test_numbers),       cmocka_unit_test(test_strings),
        cmocka_unit_test(test_names),         cmocka_unit_test(test_every_pair),
        cmocka_unit_test(test_depth),         cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_misuse),        cmocka_unit_test(test_every_failure),
        cmocka_unit_test(test_no_memory),     cmocka_unit_test(test_every_offset),
        cmocka_unit_test(test_every_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
