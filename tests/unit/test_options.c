/* host/options.c: options and operands, as getopt_long() of glibc reads them. */
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/options.c" /* the library has no tools in it */

enum { MAX_ARGUMENTS = 8, FIRST_LONG = 256 };

static int has_argument(const struct option_form *form)
{
    switch (form->argument[0]) {
    case '\0': return no_argument;
    case '[': return optional_argument;
    default: return required_argument;
    }
}

/* What getopt_long() needs to know of a taker. */
static void make_tables(enum option_taker taker, bool in_order, struct option *longs, char *letters)
{
    struct option_form form;
    size_t count = 0;
    letters += sprintf(letters, "%s:", in_order ? "+" : "");
    for (size_t i = 0; option_form_next(taker, &i, &form); count++) {
        longs[count] = (struct option){form.name, has_argument(&form), NULL,
                                       FIRST_LONG + (int)form.id};
        if (form.letter) {
            letters += sprintf(letters, "%c%s", form.letter,
                               has_argument(&form) == required_argument ? ":" : "");
        }
    }
    longs[count] = (struct option){0};
}

static enum option_id id_of_letter(enum option_taker taker, int letter)
{
    struct option_form form;
    for (size_t i = 0; option_form_next(taker, &i, &form);) {
        if (form.letter == letter) {
            return form.id;
        }
    }
    return OPTION_WRONG;
}

static void assert_same_text(const char *one, const char *other)
{
    assert_int_equal(one != NULL, other != NULL);
    if (one) {
        assert_string_equal(one, other);
    }
}

/* Both read the same command line; what is wrong ends it for both. */
static void compare(enum option_taker taker, bool in_order, char **arguments, int count)
{
    char *others[MAX_ARGUMENTS + 2];
    struct option longs[OPTION_COUNT + 1];
    char letters[64];
    struct option_reader reader;
    make_tables(taker, in_order, longs, letters);
    memcpy(others, arguments, sizeof others);
    options_begin(&reader, taker, arguments, in_order);
    opterr = 0;
    optind = 0;
    for (;;) {
        int expected = getopt_long(count, others, letters, longs, NULL);
        enum option_id option = options_next(&reader);
        if (expected == '?' || expected == ':') {
            assert_int_equal(option, OPTION_WRONG);
            assert_int_equal(reader.fault == OPTION_NEEDS_VALUE, expected == ':');
            return;
        }
        if (expected == -1) {
            assert_int_equal(option, OPTION_END);
            break;
        }
        assert_int_equal(option, expected >= FIRST_LONG ? (enum option_id)(expected - FIRST_LONG)
                                                        : id_of_letter(taker, expected));
        assert_same_text(reader.value, optarg);
    }
    assert_int_equal(reader.operand_count, count - optind);
    for (int i = 0; i <= reader.operand_count; i++) {
        assert_same_text(reader.operands[i], others[optind + i]);
    }
}

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

/* An option's name, cut short at times, with a value at times; letters; operands. */
static void make_argument(enum option_taker taker, uint32_t *random, char *text)
{
    static const char *const others[] = {"--", "-",   "",   "file", "-q",  "-nq", "-oOUT",
                                         "-o", "-qo", "-x", "-qx",  "--=", "---", "-U3"};
    struct option_form form = {.name = ""};
    size_t i = 0;
    uint32_t dice = next_random(random);
    if (dice % 2 != 0) {
        strcpy(text, others[dice / 2 % (sizeof others / sizeof others[0])]);
        return;
    }
    for (uint32_t step = dice / 2 % 40 + 1; step != 0; step--) {
        if (!option_form_next(taker, &i, &form)) {
            i = 0;
            option_form_next(taker, &i, &form);
        }
    }
    size_t size = strlen(form.name);
    size = next_random(random) % 3 == 0 ? 1 + next_random(random) % size : size;
    sprintf(text, "--%.*s%s", (int)size, form.name, next_random(random) % 4 == 0 ? "=value" : "");
}

static void any_command_line_is_read_as_by_getopt(void **state)
{
    uint32_t random = 1;
    (void)state;
    for (unsigned round = 0; round < 100000; round++) {
        char texts[MAX_ARGUMENTS][64];
        char name[] = "ilpatch";
        char *arguments[MAX_ARGUMENTS + 2] = {name};
        enum option_taker taker = next_random(&random) % TAKER_COUNT;
        int count = 1 + (int)(next_random(&random) % (MAX_ARGUMENTS + 1));
        for (int i = 1; i < count; i++) {
            make_argument(taker, &random, texts[i - 1]);
            arguments[i] = texts[i - 1];
        }
        compare(taker, round % 2 != 0, arguments, count);
    }
}

/* A second row for a command would never be found. */
static void an_option_has_one_row_for_each_command(void **state)
{
    (void)state;
    for (unsigned taker = 0; taker < TAKER_COUNT; taker++) {
        bool seen[OPTION_COUNT] = {false};
        struct option_form form;
        for (size_t i = 0; option_form_next(taker, &i, &form);) {
            assert_false(seen[form.id]);
            seen[form.id] = true;
            assert_true(form.text || taker == TAKEN_BY_PROFILER || form.id == OPTION_INSPECTOR);
        }
        assert_int_equal(seen[OPTION_HELP], taker != TAKEN_BY_PROFILER);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_command_line_is_read_as_by_getopt),
        cmocka_unit_test(an_option_has_one_row_for_each_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
