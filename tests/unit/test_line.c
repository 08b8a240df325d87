/* src/values/line.c: texts that are cut, at each of the limits that a line has. */
#include "metadata_test.h"

#include <inttypes.h>
#include <stdio.h>

#include "values/line.h"

enum { LONGEST_TEXT = 60, LINE_ROOM = 300 };

/* So many times the unit, as "string" or plain, in a part of so many units and a line of so much
 * room. */
struct written {
    char text[LINE_ROOM];
    size_t size;
    uint32_t units;
};

static struct written write_text(uint16_t unit, int32_t length, bool quoted, uint32_t limit,
                                 uint32_t longest, size_t room)
{
    uint16_t utf16[LONGEST_TEXT];
    struct written written = {.size = 0};
    struct line line;
    for (int32_t i = 0; i < length; i++) {
        utf16[i] = unit;
    }
    line_begin(&line, written.text, room);
    line_part(&line, limit);
    line.longest = longest;
    if (quoted) {
        line_put_string(&line, (const uint8_t *)utf16, length, false);
    } else {
        line_put_plain(&line, (const uint8_t *)utf16, length);
    }
    assert_true(line.size <= room);
    written.size = line.size;
    written.units = line.units;
    return written;
}

/* A plain letter is put with those beside it, and one of two bytes by itself: where neither is
 * short of bytes, both are cut at the same place. */
static void runs_are_cut_like_single_characters(void **state)
{
    (void)state;
    for (int32_t length = 0; length <= LONGEST_TEXT; length++) {
        for (uint32_t limit = 0; limit <= LONGEST_TEXT + 40; limit++) {
            for (uint32_t longest = 1; longest <= LONGEST_TEXT; longest += 7) {
                for (unsigned quoted = 0; quoted <= 1; quoted++) {
                    struct written run = write_text('a', length, quoted, limit, longest, LINE_ROOM);
                    struct written one = write_text(0xE9, length, quoted, limit, longest,
                                                    LINE_ROOM);
                    size_t letters = 0;
                    for (size_t i = 0; i < one.size; i++) {
                        letters += (unsigned char)one.text[i] == 0xC3;
                    }
                    assert_int_equal(run.units, one.units);
                    assert_int_equal(run.size + letters, one.size);
                }
            }
        }
    }
}

/* Nothing is written beyond the line's room, however little there is. */
static void a_run_ends_with_the_room(void **state)
{
    (void)state;
    for (size_t room = 0; room <= LONGEST_TEXT; room++) {
        for (unsigned quoted = 0; quoted <= 1; quoted++) {
            struct written run = write_text('a', LONGEST_TEXT, quoted, 1000, 1000, room);
            for (size_t i = room; i < LINE_ROOM; i++) {
                assert_int_equal(run.text[i], 0);
            }
        }
    }
}

static void what_is_not_plain_is_escaped(void **state)
{
    (void)state;
    static const uint16_t utf16[] = {'a', '"', 'b', '\\', '\'', '\n', 'c', 0x202E, 'd'};
    char text[100];
    struct line line;
    line_begin(&line, text, sizeof text);
    line_part(&line, 80);
    line_put_string(&line, (const uint8_t *)utf16, sizeof utf16 / sizeof *utf16, false);
    text[line.size] = '\0';
    assert_string_equal(text, "\"a\\\"b\\\\'\\nc\\u202ed\"");
}

enum { PLACES = 19, UNITS = 0x180 };

/* Characters are looked at several at a time: one that has to be escaped is found at each place of
 * a text, and reads as it does alone. */
static void each_character_is_found_at_each_place(void **state)
{
    (void)state;
    for (uint32_t unit = 1; unit < UNITS; unit++) {
        struct written alone = write_text((uint16_t)unit, 1, true, 100, 100, LINE_ROOM);
        for (uint32_t size = 1; size <= PLACES; size++) {
            for (uint32_t place = 0; place < size; place++) {
                uint16_t utf16[PLACES];
                char text[LINE_ROOM], expected[LINE_ROOM];
                struct line line;
                for (uint32_t i = 0; i < size; i++) {
                    utf16[i] = (uint16_t)(i == place ? unit : 'a' + i);
                }
                size_t after = place + alone.size - 1; /* with its quote */
                memcpy(expected, "\"abcdefghijklmnopqrs", 1 + (size_t)place);
                memcpy(expected + 1 + place, alone.text + 1, alone.size - 2);
                for (uint32_t i = place + 1; i < size; i++) {
                    expected[after++] = (char)('a' + i);
                }
                expected[after++] = '"';
                line_begin(&line, text, sizeof text);
                line_part(&line, 200);
                line_put_string(&line, (const uint8_t *)utf16, (int32_t)size, false);
                assert_int_equal(line.size, after);
                assert_memory_equal(text, expected, after);
                assert_int_equal(line.units, alone.units + size - 1);
            }
        }
    }
}

static void names_are_plain_or_escaped(void **state)
{
    (void)state;
    for (unsigned byte = 1; byte < 0x80; byte++) {
        for (size_t size = 1; size <= PLACES; size++) {
            for (size_t place = 0; place < size; place++) {
                char name[PLACES + 1] = "", text[LINE_ROOM];
                struct line line;
                memset(name, 'x', size);
                name[place] = (char)byte;
                bool plain = byte >= ' ' && byte < 0x7F && !strchr("\"'\\", (int)byte);
                assert_int_equal(line_is_plain(name, size), plain);
                line_begin(&line, text, sizeof text);
                line_part(&line, 200);
                line_put_name(&line, name);
                bool hidden = byte < ' ' || byte == 0x7F;
                assert_int_equal(line.size == size && memcmp(text, name, size) == 0, !hidden);
            }
        }
    }
}

static void check_number(int64_t value)
{
    char text[LINE_ROOM], expected[LINE_ROOM];
    struct line line;
    line_begin(&line, text, sizeof text - 1);
    line_part(&line, 200);
    line_put_signed(&line, value);
    line_put(&line, " ");
    line_put_unsigned(&line, (uint64_t)value);
    text[line.size] = '\0';
    snprintf(expected, sizeof expected, "%" PRId64 " %" PRIu64, value, (uint64_t)value);
    assert_string_equal(text, expected);
}

static void numbers_have_all_their_digits(void **state)
{
    (void)state;
    for (int64_t power = 1; power < INT64_MAX / 10; power *= 10) {
        for (int64_t step = -2; step <= 2; step++) {
            check_number(power + step);
            check_number(-power + step);
        }
    }
    for (int64_t value = 0; value < 1100; value++) {
        check_number(value);
    }
    check_number(INT64_MIN);
    check_number(INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_cut_like_single_characters),
        cmocka_unit_test(a_run_ends_with_the_room),
        cmocka_unit_test(what_is_not_plain_is_escaped),
        cmocka_unit_test(each_character_is_found_at_each_place),
        cmocka_unit_test(names_are_plain_or_escaped),
        cmocka_unit_test(numbers_have_all_their_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
