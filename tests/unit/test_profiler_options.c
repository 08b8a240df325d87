/* host/profiler_options.c: what is requested from the profiler, as text in two forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/profiler_options.c" /* the library has no tools in it */

#include "host/path.h"

/* Absolute, so that nothing is put in front of it. */
#define ODD "/no such folder/a;b\\c=d\n--e \\ ;;\xFF'\"$%p"

/* ---- all options of the table ---- */

static bool is_same_text(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

static bool is_same_list(const struct option_list *one, const struct option_list *other)
{
    bool same = one->count == other->count;
    for (size_t i = 0; same && i < one->count; i++) {
        same = is_same_text(one->items[i], other->items[i]);
    }
    return same;
}

static bool is_same_field(const struct option_field *field, const void *one, const void *other)
{
    const void *left = (const char *)one + field->offset;
    const void *right = (const char *)other + field->offset;
    const struct option_choice *choices[] = {left, right};
    switch (field->type) {
    case OPTION_FIELD_SWITCH: return *(const bool *)left == *(const bool *)right;
    case OPTION_FIELD_NUMBER: return *(const uint32_t *)left == *(const uint32_t *)right;
    case OPTION_FIELD_TEXT:
        return is_same_text(*(const char *const *)left, *(const char *const *)right);
    case OPTION_FIELD_CHOICE:
        return choices[0]->given == choices[1]->given && choices[0]->value == choices[1]->value;
    case OPTION_FIELD_LIST: return is_same_list(left, right);
    }
    return false;
}

static bool is_same(const struct profiler_options *one, const struct profiler_options *other)
{
    bool same = true;
    for (size_t i = 0; i < PROFILER_FIELD_COUNT; i++) {
        same = same && is_same_field(&field_items[i], one, other);
    }
    return same;
}

static bool is_unset(const struct profiler_options *options, const struct option_field *field)
{
    static const struct profiler_options none;
    return is_same_field(field, options, &none);
}

/* Both forms of `options`, read again. */
static void check_both_forms(const struct profiler_options *options)
{
    struct profiler_options expected = *options;
    expected.command_version = ilp_version(); /* which the first one always has */
    char *texts[] = {profiler_options_text(options), profiler_options_command_line(options)};
    const struct profiler_options *const all[] = {&expected, options};
    for (size_t i = 0; i < 2; i++) {
        struct profiler_options again;
        struct profiler_options_error error;
        assert_non_null(texts[i]);
        assert_true(profiler_options_read(&again, texts[i], &error));
        assert_int_equal(error.fault, PROFILER_OPTIONS_RIGHT);
        assert_true(is_same(&again, all[i]));
        profiler_options_close(&again);
        free(texts[i]);
    }
}

/* Some value of the field, another one for each `round`; NULL: a switch. */
static const char *value_of(const struct option_field *field, unsigned round)
{
    static const char *const odd[] = {ODD, "/x", "/ ", "/\\", "/;", "/" ODD ODD};
    const char *word;
    switch (field->type) {
    case OPTION_FIELD_SWITCH: return NULL;
    case OPTION_FIELD_NUMBER: return round % 2 == 0 ? "4294967295" : "1";
    case OPTION_FIELD_CHOICE:
        word = option_choice_word(field->id, round);
        return word ? word : option_choice_word(field->id, 0);
    default:
        return field->id == OPTION_COMMAND_VERSION               ? ilp_version()
               : field->id == OPTION_INSPECTOR && round % 2 == 1 ? "native:x y!z"
                                                                 : odd[round % 6];
    }
}

enum { ROUNDS = 12 };

static void each_option_is_the_same_in_both_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROFILER_FIELD_COUNT; i++) {
        for (unsigned round = 0; round < ROUNDS; round++) {
            struct profiler_options options = {0};
            unsigned times = field_items[i].type == OPTION_FIELD_LIST ? round : 1;
            for (unsigned j = 0; j < times; j++) {
                assert_int_equal(option_field_set(fields, &options, field_items[i].id,
                                                  value_of(&field_items[i], round + j)),
                                 OPTION_FIELD_SET);
            }
            assert_int_equal(is_unset(&options, &field_items[i]), times == 0);
            check_both_forms(&options);
            profiler_options_close(&options);
        }
    }
}

static void all_options_are_the_same_in_both_forms(void **state)
{
    struct profiler_options options = {0};
    (void)state;
    check_both_forms(&options);
    for (size_t i = 0; i < PROFILER_FIELD_COUNT; i++) {
        assert_true(is_unset(&options, &field_items[i]));
        assert_int_equal(option_field_set(fields, &options, field_items[i].id,
                                          value_of(&field_items[i], (unsigned)i)),
                         OPTION_FIELD_SET);
        assert_false(is_unset(&options, &field_items[i]));
        check_both_forms(&options);
    }
    profiler_options_close(&options);
}

/* A new row TAKES(..., PROFILER, ...) needs a field, and a field such a row. */
static void all_that_the_profiler_takes_has_a_field(void **state)
{
    struct option_form form;
    size_t taken = 0;
    (void)state;
    for (size_t i = 0; option_form_next(TAKEN_BY_PROFILER, &i, &form); taken++) {
        const struct option_field *field = field_of_key(form.name);
        assert_non_null(field);
        assert_int_equal(form.id, field->id);
        assert_int_equal(form.argument[0] == '\0', field->type == OPTION_FIELD_SWITCH);
        assert_int_equal(field->type == OPTION_FIELD_CHOICE, option_words(form.id)[0] != '\0');
    }
    assert_int_equal(taken, PROFILER_FIELD_COUNT);
}

/* ---- what they look like, and what is wrong ---- */

static void both_forms_are_as_documented(void **state)
{
    struct profiler_options options = {.framework = true, .trace = {.check_stacks = 3}};
    (void)state;
    option_list_add(&options.request.rules, "/a b/c;d.xml");
    option_list_add(&options.request.rules, "/e\\f.xml");
    request_option(&options.request, OPTION_TARGET, "arm64");
    char *text = profiler_options_text(&options);
    char *line = profiler_options_command_line(&options);
    assert_string_equal(text, "command-version=" ILP_VERSION ";framework=1;check-stacks=3"
                              ";rules=/a b/c\\;d.xml;rules=/e\\\\f.xml;target=arm64");
    assert_string_equal(line, "--framework --check-stacks 3 --rules /a\\ b/c;d.xml"
                              " --rules /e\\\\f.xml --target arm64");
    free(text);
    free(line);
    profiler_options_close(&options);
}

/* A process may have another current folder. */
static void paths_become_full_ones(void **state)
{
    struct profiler_options options = {.id_map = "ids-%p", .request = {.inspector = "unmanaged"}};
    char *here = path_full(".");
    char *expected = format_text("command-version=" ILP_VERSION ";id-map=%s/ids-%%p;where=a/b"
                                 ";inspector=unmanaged",
                                 here);
    (void)state;
    option_list_add(&options.request.wheres, "a/b");
    char *text = profiler_options_text(&options);
    assert_string_equal(text, expected);
    free(text);
    free(expected);
    free(here);
    profiler_options_close(&options);
}

#define VERSIONED "command-version=" ILP_VERSION ";"

static void what_is_wrong_is_said(void **state)
{
    static const struct {
        const char *text;
        enum profiler_options_fault fault;
        const char *key;
        const char *value;
    } cases[] = {
        {"command-version=0.0.1;no-such=1", PROFILER_OPTIONS_OF_OTHER_VERSION, "command-version",
         "0.0.1"},
        {"command-version=", PROFILER_OPTIONS_OF_OTHER_VERSION, "command-version", ""},
        {"--command-version 99 --no-such", PROFILER_OPTIONS_OF_OTHER_VERSION, "command-version",
         "99"},
        {VERSIONED "no-such=1", PROFILER_OPTIONS_UNKNOWN_KEY, "no-such", "1"},
        {VERSIONED "output=x", PROFILER_OPTIONS_UNKNOWN_KEY, "output", "x"},
        {VERSIONED "frame=1", PROFILER_OPTIONS_UNKNOWN_KEY, "frame", "1"},
        {VERSIONED "=1", PROFILER_OPTIONS_UNKNOWN_KEY, "", "1"},
        {VERSIONED "--framework", PROFILER_OPTIONS_UNKNOWN_KEY, "--framework", NULL},
        {VERSIONED "framework", PROFILER_OPTIONS_WRONG_VALUE, "framework", ""},
        {VERSIONED "framework=0", PROFILER_OPTIONS_WRONG_VALUE, "framework", "0"},
        {VERSIONED "check-stacks=0", PROFILER_OPTIONS_WRONG_VALUE, "check-stacks", "0"},
        {VERSIONED "check-stacks=1", PROFILER_OPTIONS_RIGHT, NULL, NULL},
        {VERSIONED "check-stacks=4294967296", PROFILER_OPTIONS_WRONG_VALUE, "check-stacks",
         "4294967296"},
        {VERSIONED "check-stacks=-1", PROFILER_OPTIONS_WRONG_VALUE, "check-stacks", "-1"},
        {VERSIONED "target=x64;target=z80", PROFILER_OPTIONS_WRONG_VALUE, "target", "z80"},
        {VERSIONED "affected-by=", PROFILER_OPTIONS_WRONG_VALUE, "affected-by", ""},
        {"--check-stacks many", PROFILER_OPTIONS_WRONG_VALUE, "check-stacks", "many"},
        {"--target z80", PROFILER_OPTIONS_WRONG_VALUE, "target", "z80"},
        {"framework=1;" VERSIONED, PROFILER_OPTIONS_NO_COMMAND_LINE, NULL, NULL},
        {"--no-such", PROFILER_OPTIONS_NO_COMMAND_LINE, NULL, NULL},
        {"--framework=1", PROFILER_OPTIONS_NO_COMMAND_LINE, NULL, NULL},
        {"--rules", PROFILER_OPTIONS_NO_COMMAND_LINE, NULL, NULL},
        {"framework", PROFILER_OPTIONS_NO_COMMAND_LINE, NULL, NULL},
        {"--frame --inspect-r", PROFILER_OPTIONS_RIGHT, NULL, NULL},
        {"", PROFILER_OPTIONS_RIGHT, NULL, NULL},
        {VERSIONED, PROFILER_OPTIONS_RIGHT, NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct profiler_options options;
        struct profiler_options_error error;
        char *text = copy_text(cases[i].text);
        assert_int_equal(profiler_options_read(&options, text, &error),
                         cases[i].fault == PROFILER_OPTIONS_RIGHT);
        assert_int_equal(error.fault, cases[i].fault);
        assert_true(is_same_text(error.key, cases[i].key));
        assert_true(is_same_text(error.value, cases[i].value));
        profiler_options_close(&options);
        free(text);
    }
}

/* What a command wants beside what holds. Both forms are read. */
static void conflicts_are_named(void **state)
{
    static const struct {
        const char *held, *wanted, *names;
    } cases[] = {
        {"--inspect-returns", "--inspect-returns", ""},
        {"--where <a/> --when value>1 --json", "--inspect-returns", ""},
        {"--where <a/> --when value>1 --json", "--when value>1", ""},
        {"--where <a/>", "--where <a/> --where <b/>", "--where"},
        {"--where <a/> --where <b/>", "--where <a/>", "--where"},
        {"--when value>1", "--when value>2 --json --depth 3", "--when, --json, --depth"},
        {"--inspect-returns", "--limit 3 --for 1s --color always", ""},
        {"--limit 3 --for 1s", "--limit 4 --for 2s", ""},
        {"--max-cost 7% --method-rate 3/s", "--max-cost 5% --method-rate 1000/s", ""},
        {"--inspect-returns", "--max-cost 7% --method-rate 3/s", "--method-rate, --max-cost"},
        {"--rules /a.xml", "--rules /a.xml --inspect-returns", "--inspect-returns"},
        {"--inspect-returns", "--trace /a.spool --by il --no-times", "--trace, --by, --no-times"},
        {"--inspect-returns", "--spool /a.spool --id-map /a.map", "--spool, --id-map"},
        {"--inspect-returns", "--what", NULL},
        {"--what", "--inspect-returns", NULL},
        {"command-version=0;json=1", "--inspect-returns", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *names = profiler_options_conflicts(cases[i].held, cases[i].wanted);
        print_message("%s: %s\n", cases[i].held, cases[i].wanted);
        assert_int_equal(names == NULL, cases[i].names == NULL);
        if (names) {
            assert_string_equal(names, cases[i].names);
        }
        free(names);
    }
    struct profiler_options options = {.inspect_returns = true};
    char *text = profiler_options_text(&options);
    char *names = profiler_options_conflicts(text, "--json");
    assert_string_equal(names, "--json");
    free(names);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_option_is_the_same_in_both_forms),
        cmocka_unit_test(all_options_are_the_same_in_both_forms),
        cmocka_unit_test(all_that_the_profiler_takes_has_a_field),
        cmocka_unit_test(both_forms_are_as_documented),
        cmocka_unit_test(paths_become_full_ones),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(conflicts_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
