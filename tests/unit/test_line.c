/* src/values/line.c: texts that are cut, at each of the limits that a line has. */
#include "metadata_test.h"

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
        line_put_string(&line, (const uint8_t *)utf16, length);
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
    line_put_string(&line, (const uint8_t *)utf16, sizeof utf16 / sizeof *utf16);
    text[line.size] = '\0';
    assert_string_equal(text, "\"a\\\"b\\\\'\\nc\\u202ed\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_cut_like_single_characters),
        cmocka_unit_test(a_run_ends_with_the_room),
        cmocka_unit_test(what_is_not_plain_is_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
