/* src/base/pattern_literal.c: the literals of given patterns; and of random ones: a text that a
 * pattern matches holds all of them. */

#include "metadata_test.h"
#include "tests/unit/test_inputs.h"

#include "base/pattern_literal.h"

static uint32_t random_below(uint32_t limit)
{
    static uint32_t state = 0x2545F491;
    return xorshift_below(&state, limit);
}

/* The runs of literals, with one space after each. */
struct runs {
    char text[256];
    size_t size;
};

static void add(void *user, int byte)
{
    struct runs *runs = user;
    bool gap = byte == ILPI_LITERAL_GAP;
    if (!gap || (runs->size != 0 && runs->text[runs->size - 1] != ' ')) {
        assert_true(runs->size + 2 < sizeof runs->text);
        runs->text[runs->size++] = gap ? ' ' : (char)byte;
    }
}

static bool find(enum ilpi_pattern_kind kind, const char *text, struct runs *runs)
{
    struct ilp_bytes copy = exact((const uint8_t *)text, strlen(text));
    struct ilpi_pattern pattern = {.kind = kind, .text = copy};
    *runs = (struct runs){.size = 0};
    bool known = ilpi_pattern_literals(&pattern, add, runs);
    add(runs, ILPI_LITERAL_GAP);
    runs->text[runs->size] = '\0';
    drop(copy);
    return known;
}

/* ---- given ones ---- */

struct literal_case {
    const char *pattern;
    const char *runs; /* NULL: not understood */
};

static void check(enum ilpi_pattern_kind kind, const struct literal_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct runs runs;
        bool known = find(kind, cases[i].pattern, &runs);
        if (known != (cases[i].runs != NULL) || (known && strcmp(runs.text, cases[i].runs) != 0)) {
            fail_msg("'%s': '%s' (%d), expected '%s'", cases[i].pattern, runs.text, known,
                     cases[i].runs ? cases[i].runs : "nothing");
        }
    }
}

static void test_like(void **state)
{
    static const struct literal_case cases[] = {
        {"", ""},          {"*", ""},         {"abc", "abc "},    {"Get*Async", "Get Async "},
        {"*a?b*", "a b "}, {"a\\*b", "a*b "}, {"a\\\\*", "a\\ "}, {"a\\", "a\\ "},
        {"\\é*", "é "},    {"**ab", "ab "},
    };
    (void)state;
    check(ILPI_PATTERN_LIKE, cases, COUNT(cases));
    check(ILPI_PATTERN_EXACT, (const struct literal_case[]){{"a*\\b", "a*\\b "}}, 1);
}

static void test_regex(void **state)
{
    static const struct literal_case cases[] = {
        {"", ""},
        {"abc", "abc "},
        {"^abc$", "abc "},
        {"ab.cd", "ab cd "},
        {"abc*d", "ab d "},
        {"abc?d", "ab d "},
        {"abc{0,2}d", "ab d "},
        {"abc{2}+d", "ab d "},
        {"abc+d", "abc d "},
        {"abc+?d", "abc d "},
        {"aé*b", "a b "},
        {"aé+b", "aé b "},
        {"a\\.b", "a.b "},
        {"ab\\.*c", "ab c "},
        {"a\\db\\p{Lu}c\\pLd\\P{^L}e", "a b c d e "},
        {"a\\bb\\Rc", "a b c "},
        {"a(b|c)d", "a d "},
        {"a(?:b(c)[)])?d", "a d "},
        {"a(\\))*d", "a d "},
        {"a[]x]b[^]x]c[\\]]d", "a b c d "},
        {"a]b}c#d e", "a]b}c#d e "},
        /* what may mean something else */
        {"a|b", NULL},
        {"(?i)abc", NULL},
        {"(?i:a)b", NULL},
        {"a((?i)b)c", NULL},
        {"(?=a)b", NULL},
        {"(?#)b", NULL},
        {"(*UCP)a", NULL},
        {"a(b(*ACCEPT)c)d", NULL},
        {"a[[:alpha:]]b", NULL},
        {"a[\\Q]\\E]b", NULL},
        {"\\Qa*\\Eb", NULL},
        {"\\x41b", NULL},
        {"(a)\\1b", NULL},
        {"a\\Kb", NULL},
        {"a{x}b", NULL},
        {"a{2", NULL},
    };
    (void)state;
    check(ILPI_PATTERN_REGEX, cases, COUNT(cases));
}

/* ---- random ones ---- */

static void put_pieces(char *text, const char *const *pieces, uint32_t count)
{
    *text = '\0';
    for (uint32_t n = 1 + random_below(7); n != 0; n--) {
        strcat(text, pieces[random_below(count)]);
    }
}

static void check_text(const struct ilpi_pattern *pattern,
                       const struct ilpi_pattern_matcher *matcher, const struct runs *runs,
                       const char *text, unsigned *matched)
{
    struct ilp_bytes bytes = {(const uint8_t *)text, strlen(text)};
    char copy[sizeof runs->text];
    if (ilpi_pattern_match(pattern, matcher, bytes) != ILP_YES) {
        return;
    }
    memcpy(copy, runs->text, sizeof copy);
    for (char *run = strtok(copy, " "); run; run = strtok(NULL, " ")) {
        if (!strstr(text, run)) {
            fail_msg("'%.*s' matches '%s' without '%s'", (int)pattern->text.size,
                     (const char *)pattern->text.data, text, run);
        }
        ++*matched;
    }
}

static void check_random(enum ilpi_pattern_kind kind, const char *const *pieces, uint32_t count)
{
    static const char *const parts[] = {"a", "b", "A", "B", "ab", "]", "é", ".", "1", "*", "\\"};
    struct ilpi_alloc alloc;
    struct ilpi_pattern_compiler *compiler;
    unsigned matched = 0;
    ilpi_alloc_init(&alloc, NULL);
    assert_int_equal(ilpi_pattern_compiler_open(&compiler, &alloc, NULL), ILP_OK);
    for (unsigned i = 0; i < 20000; i++) {
        char text[256];
        struct runs runs;
        struct ilpi_pattern_matcher *matcher = NULL;
        put_pieces(text, pieces, count);
        struct ilpi_pattern pattern = {
            kind, false, false, {(const uint8_t *)text, strlen(text)}, NULL};
        bool known = find(kind, text, &runs);
        if (!known || ilpi_pattern_compile(&pattern, compiler, NULL) != ILP_OK) {
            continue;
        }
        if (kind == ILPI_PATTERN_REGEX) {
            assert_int_equal(ilpi_pattern_matcher_open(&matcher, &alloc, &pattern, NULL), ILP_OK);
        }
        for (unsigned j = 0; j < 40; j++) {
            char other[64];
            put_pieces(other, parts, COUNT(parts));
            check_text(&pattern, matcher, &runs, other, &matched);
        }
        ilpi_pattern_matcher_close(matcher);
        ilpi_pattern_free(&pattern);
    }
    ilpi_pattern_compiler_close(compiler);
    assert_true(matched > 5000);
}

static void test_random(void **state)
{
    static const char *const likes[] = {"a", "b", "ab", "*", "*", "*", "?", "\\*", "\\", "é", "]"};
    static const char *const regexes[] = {
        "a",    "b",    "ab",   "A",      "é",      ".",   "*",     "?",    "+",    "|",
        "(",    ")",    "(a",   "b)",     "(a|b)",  "(?:", "(?i)",  "(?i:", "(?=a", "[",
        "]",    "[ab]", "[^a]", "[]a]",   "[\\]]",  "{",   "}",     "{0}",  "{1,}", "{,2}",
        "\\",   "\\.",  "\\w",  "\\p{L}", "\\pL",   "^",   "$",     "\\b",  "\\Q",  "\\E",
        "(?x)", "#",    "(?#",  "[[:",    ":]]",    "\\K", "(?|",   "\\1",  "(*F)", "(*ACCEPT)",
        "\\)",  "\\(",  "(a)",  "(a)?",   "(?:ab)", "a*",  "[a-b]", "b?",   "\\*",  "\\\\",
    };
    (void)state;
    check_random(ILPI_PATTERN_LIKE, likes, COUNT(likes));
    check_random(ILPI_PATTERN_REGEX, regexes, COUNT(regexes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like),
        cmocka_unit_test(test_regex),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
