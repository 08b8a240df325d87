/* profiler/shown_line.c: a value's line, as text and as JSON. */
#include <jansson.h>

#include "metadata_test.h"

#include "host/process.h"
#include "profiler/shown_line.h"
#include "values/kinds.h"

static const struct shape letter = {.kind = SHAPE_CHAR, .size = 2, .name = "System.Char"};
static const struct shape string = {
    .kind = SHAPE_STRING, .size = 8, .references = true, .name = "System.String"};

static enum call_end end; /* how the call did that is shown */

static const char *shown(struct shown_beside beside, const struct shape *shape, const void *value)
{
    static char line[8 * SHOWN_LINE_SIZE];
    static char name[SHOWN_NAME_SIZE];
    struct line named;
    const struct shaped_value shaped = {.shape = shape, .value = value, .size = shape->size};
    shown_line_open(beside);
    line_begin(&named, name, sizeof name);
    shown_line_name(&named, 0x0600001F, "A::\"ignored", 4);
    const struct shown_method method = {named.size, 4, name, NULL, 0};
    assert_true(shown_line_room() <= sizeof line);
    size_t size = shown_line(line, &method, NULL, end, &shaped);
    assert_true(size > 0 && size <= SHOWN_LINE_SIZE);
    assert_int_equal(line[size - 1], '\n');
    line[size - 1] = '\0';
    shown_line_open((struct shown_beside){false, false, false, false, 0});
    return line;
}

static void test_text(void **state)
{
    (void)state;
    char expected[100];
    const uint16_t x = 'x';
    struct shown_beside plain = {false, false, false, false, 0};
    assert_string_equal(shown(plain, &letter, &x), "A::\" -> 'x' (System.Char)");
    assert_string_equal(shown(plain, &letter, NULL), "A::\" -> null");
    snprintf(expected, sizeof expected, "%d A::\" -> 'x' (System.Char)", process_own_thread());
    assert_string_equal(shown((struct shown_beside){.thread = true}, &letter, &x), expected);
    const char *timed = shown((struct shown_beside){.time = true, .thread = true}, &letter, &x);
    assert_true(strspn(timed, "0123456789-T:.") == sizeof "2026-11-23T22:10:05.1234567" - 1);
    assert_string_equal(strchr(timed, 'Z') + 2, expected);
}

/* On a terminal: colours, and values in one column. */
static void test_painted(void **state)
{
    static const char name[] = "A::NameOfAMethodThatTakesMoreThanOneColumn";
    struct shown_method method = {4, 4, name, NULL, 0};
    const uint16_t x = 'x';
    const struct shaped_value shaped = {.shape = &letter, .value = &x, .size = sizeof x};
    char line[8 * SHOWN_LINE_SIZE];
    (void)state;
    shown_line_open((struct shown_beside){.json = false});
    shown_line_paint(true);
    line[shown_line(line, &method, NULL, END_RETURNED, &shaped)] = '\0';
    assert_string_equal(line, "\033[36mA::N\033[m                                    "
                              "\033[2m -> \033[m'x'\033[2m (System.Char)\033[m\n");
    method.name_size = method.name_units = sizeof name - 1;
    line[shown_line(line, &method, NULL, END_THREW, &shaped)] = '\0';
    assert_string_equal(line, "\033[36mA::NameOfAMethodThatTakesMoreThanOneColumn\033[m"
                              "\033[31m threw \033[m'x'\033[2m (System.Char)\033[m\n");
    shown_line_open((struct shown_beside){.json = true});
    shown_line_paint(true);
    line[shown_line(line, &method, NULL, END_RETURNED, &shaped)] = '\0';
    assert_null(strchr(line, '\033'));
    shown_line_open((struct shown_beside){.json = false});
    line[shown_line(line, &method, NULL, END_RETURNED, &shaped)] = '\0';
    assert_null(strchr(line, '\033'));
}

static void test_json(void **state)
{
    (void)state;
    char expected[200];
    const uint16_t quote = '"';
    const char *line = shown((struct shown_beside){.json = true}, &letter, &quote);
    assert_int_equal(strncmp(line, "{\"schema\":1,\"time\":\"2", 21), 0);
    snprintf(expected, sizeof expected,
             "\",\"process\":%d,\"thread\":%d,\"method\":\"A::\\\"\",\"token\":\"0x0600001F\","
             "\"type\":\"System.Char\",\"value\":\"'\\\"'\",\"data\":\"\\\"\"}",
             process_own(), process_own_thread());
    assert_string_equal(strchr(line, 'Z') + 1, expected);
    line = shown((struct shown_beside){.json = true}, &letter, NULL);
    assert_non_null(strstr(line, "\"type\":null,\"value\":\"null\",\"data\":null}"));
}

/* In JSON what was returned and what was thrown are distinguished by where they are. */
static void test_ends(void **state)
{
    (void)state;
    const uint16_t x = 'x';
    const struct shown_beside plain = {.json = false}, json = {.json = true};
    end = END_THREW;
    assert_string_equal(shown(plain, &letter, &x), "A::\" threw 'x' (System.Char)");
    assert_non_null(strstr(shown(json, &letter, &x),
                           "\"token\":\"0x0600001F\",\"exception\":{\"type\":\"System.Char\","
                           "\"value\":\"'x'\",\"data\":\"x\"}}"));
    end = END_VOID;
    assert_string_equal(shown(plain, &letter, NULL), "A::\" -> void");
    assert_non_null(strstr(shown(json, &letter, NULL),
                           "\"token\":\"0x0600001F\",\"type\":\"System.Void\","
                           "\"value\":\"void\",\"data\":null}"));
    end = END_RETURNED;
}

static const struct shown_argument parameters[] = {
    {"count", NULL}, {"to\"", "out"}, {"window", "{...}"}, {NULL, NULL}};
static struct shown_method called = {0, 4, NULL, parameters, COUNT(parameters)};

/* A line with arguments, so many times those above, of this value */
static const char *with_arguments(struct shown_beside beside, const struct shape *shape,
                                  const void *value, uint32_t times)
{
    static char arguments[8 * SHOWN_LINE_SIZE];
    static char text[8 * SHOWN_LINE_SIZE];
    const struct shaped_value shaped = {.shape = shape, .value = value, .size = shape->size};
    struct line line;
    uint32_t count = 0;
    shown_line_open(beside);
    assert_true(shown_line_room() <= sizeof text);
    assert_true(shown_arguments_room() <= sizeof arguments);
    static char name[SHOWN_NAME_SIZE];
    line_begin(&line, name, sizeof name);
    shown_line_name(&line, 0x06000001, "A::b", 4);
    called.name = name;
    called.name_size = line.size;
    line_begin(&line, arguments, shown_arguments_room());
    shown_arguments_begin(&line);
    for (uint32_t i = 0; i < times * COUNT(parameters); i++) {
        uint32_t index = i % (uint32_t)COUNT(parameters);
        shown_arguments_add(&line, &called, index, &count,
                            parameters[index].withheld ? NULL : &shaped);
    }
    shown_arguments_end(&line);
    assert_true(line.size <= shown_arguments_room() && shown_line_room() <= sizeof text);
    const struct shown_call call = {arguments, line.size, line.units, 12399, true};
    size_t size = shown_line(text, &called, &call, end, &shaped);
    assert_int_equal(text[size - 1], '\n');
    text[size - 1] = '\0';
    shown_line_open((struct shown_beside){.json = false});
    return text;
}

static void test_arguments(void **state)
{
    (void)state;
    const uint16_t x = 'x';
    assert_string_equal(with_arguments((struct shown_beside){.json = false}, &letter, &x, 1),
                        "A::b(count: 'x', to\": out, window: {...}, #4: 'x') -> 'x' (System.Char)");
    assert_string_equal(
        with_arguments((struct shown_beside){.elapsed = true}, &letter, &x, 1),
        "A::b(count: 'x', to\": out, window: {...}, #4: 'x') -> 'x' (System.Char) in 12.3us");
    const char *json = with_arguments((struct shown_beside){.json = true}, &letter, &x, 1);
    assert_non_null(strstr(json, ",\"args\":{\"count\":\"x\",\"to\\\"\":{\"$\":\"out\"},"
                                 "\"window\":{\"$\":\"...\"},\"#4\":\"x\"},\"duration\":12399,"
                                 "\"type\""));
}

/* However long they are, text ends in "..." and JSON is whole. */
static void test_long_arguments(void **state)
{
    (void)state;
    struct {
        const void *type;
        int32_t length;
        uint16_t chars[2000];
    } text = {NULL, 2000, {0}};
    for (size_t i = 0; i < COUNT(text.chars); i++) {
        text.chars[i] = 0x20AC;
    }
    const void *reference = &text;
    const char *line = with_arguments((struct shown_beside){.json = false}, &string, &reference, 3);
    assert_true(strlen(line) < SHOWN_LINE_SIZE);
    assert_non_null(strstr(line, "...) -> \""));
    for (end = END_RETURNED; end <= END_VOID; end++) {
        line = with_arguments((struct shown_beside){.json = true}, &string, &reference, 9);
        json_error_t error;
        json_t *json = json_loads(line, 0, &error);
        assert_non_null(json);
        assert_true(json_is_true(json_object_get(json_object_get(json, "args"), "$more")));
        json_decref(json);
    }
    end = END_RETURNED;
}

/* ---- activities ---- */

static const uint8_t *in_utf16(const char *text)
{
    static uint16_t units[4][64];
    static unsigned next;
    uint16_t *to = units[next++ % 4];
    for (size_t i = 0; i <= strlen(text); i++) {
        to[i] = (unsigned char)text[i];
    }
    return (const uint8_t *)to;
}

/* The line of a value with the ids of an activity. */
static const char *shown_with(const struct activity *activity, const struct shape *shape,
                              const void *value)
{
    static char line[8 * SHOWN_LINE_SIZE];
    const struct shaped_value shaped = {.shape = shape, .value = value, .size = shape->size};
    const struct shown_method method = {4, 4, "\"::\"", NULL, 0};
    shown_line_open((struct shown_beside){.json = true});
    assert_true(shown_line_room() <= sizeof line);
    size_t size = shown_line(line, &method, NULL, end, &shaped);
    size = shown_line_add_activity(line, size, activity);
    assert_true(size <= shown_line_room());
    assert_int_equal(line[size - 1], '\n');
    line[size - 1] = '\0';
    shown_line_open((struct shown_beside){.json = false});
    return line;
}

static bool ends_with(const char *text, const char *end_of_it)
{
    size_t size = strlen(text), wanted = strlen(end_of_it);
    return size >= wanted && strcmp(text + size - wanted, end_of_it) == 0;
}

/* The ids come last, whatever the line is of. */
static void test_activities(void **state)
{
    const struct activity w3c = {.trace = in_utf16("4bf92f3577b34da6a3ce929d0e0e4736"),
                                 .span = in_utf16("00f067aa0ba902b7")};
    const struct activity hierarchical = {.id = in_utf16("|a\"b\n."), .id_length = 6};
    const struct activity none = {.id = NULL};
    const uint16_t x = 'x';
    (void)state;
    for (end = END_RETURNED; end <= END_VOID; end++) {
        const char *close = end == END_THREW ? "}" : "";
        char expected[200];
        snprintf(expected, sizeof expected,
                 "%s,\"trace\":\"4bf92f3577b34da6a3ce929d0e0e4736\","
                 "\"span\":\"00f067aa0ba902b7\"}",
                 close);
        assert_true(ends_with(shown_with(&w3c, &letter, &x), expected));
        snprintf(expected, sizeof expected, "%s,\"activity\":\"|a\\\"b\\n.\"}", close);
        assert_true(ends_with(shown_with(&hierarchical, &letter, &x), expected));
        assert_null(strstr(shown_with(&none, &letter, &x), "activity"));
        assert_true(ends_with(shown_with(&none, &letter, &x), "}"));
    }
    end = END_RETURNED;
}

/* An id is whole, or not there; the line is JSON in any case, and with a trace no longer than
 * before. */
static void test_long_activities(void **state)
{
    enum { LONG = 8000, VALUE = 600 };
    static uint16_t id[LONG];
    static struct {
        const void *type;
        int32_t length;
        uint16_t chars[VALUE];
    } object = {.length = VALUE};
    const void *reference = &object;
    const struct activity w3c = {.trace = in_utf16("4bf92f3577b34da6a3ce929d0e0e4736"),
                                 .span = in_utf16("00f067aa0ba902b7")};
    static const uint16_t units[] = {'x', 0x20AC, 1, 0xD800};
    (void)state;
    for (size_t i = 0; i < COUNT(units); i++) {
        for (size_t at = 0; at < LONG; at++) {
            id[at] = units[i];
            object.chars[at % VALUE] = units[i];
        }
        assert_true(strlen(shown_with(&w3c, &string, &reference)) < SHOWN_LINE_SIZE);
        for (int32_t length = 1; length <= LONG; length = length * 3 / 2 + 1) {
            struct activity activity = {.id = (const uint8_t *)id, .id_length = length};
            const char *line = shown_with(&activity, &string, &reference);
            json_t *parsed = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
            assert_non_null(parsed);
            const char *shown_id = json_string_value(json_object_get(parsed, "activity"));
            size_t bytes = units[i] == 0x20AC || units[i] == 0xD800 ? 3 : 1;
            assert_true(!shown_id || strlen(shown_id) == bytes * (size_t)length);
            assert_true(shown_id || length > 400);
            json_decref(parsed);
        }
    }
}

/* No value makes a line too long. */
static void test_longest(void **state)
{
    enum { CHARS = 600 };
    static const uint16_t hard[] = {'"', '\\', 0x20AC, 0xD83D, 1};
    struct {
        const void *type;
        int32_t length;
        uint16_t chars[CHARS];
    } object = {.length = CHARS};
    const void *reference = &object;
    (void)state;
    for (size_t i = 0; i < COUNT(hard); i++) {
        for (size_t at = 0; at < CHARS; at++) {
            object.chars[at] = hard[i];
        }
        end = i % 2 == 0 ? END_RETURNED : END_THREW;
        const char *line = shown((struct shown_beside){.json = true}, &string, &reference);
        json_t *parsed = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        const json_t *inner = end == END_THREW ? json_object_get(parsed, "exception") : parsed;
        const json_t *data = json_object_get(inner, "data");
        assert_int_equal(json_integer_value(json_object_get(data, "$length")), CHARS);
        assert_true(json_string_length(json_object_get(data, "$text")) >= 100);
        json_decref(parsed);
    }
    end = END_RETURNED;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),       cmocka_unit_test(test_painted),
        cmocka_unit_test(test_json),       cmocka_unit_test(test_ends),
        cmocka_unit_test(test_arguments),  cmocka_unit_test(test_long_arguments),
        cmocka_unit_test(test_activities), cmocka_unit_test(test_long_activities),
        cmocka_unit_test(test_longest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
