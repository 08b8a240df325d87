/* src/base/pattern.c: wildcards against a plain recursive matcher, regular expressions on any
 * bytes, limits. */

#include "metadata_test.h"
#include "tests/unit/test_inputs.h"

#include "base/pattern.h"
#include "base/utf8.h"

static struct ilp_bytes bytes_of(const char *text)
{
    return (struct ilp_bytes){(const uint8_t *)text, strlen(text)};
}

/* ---- one pattern, one text ---- */

static enum ilp_tristate match(enum ilpi_pattern_kind kind, const char *pattern_text,
                               struct ilp_bytes text)
{
    struct memory memory = {0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilpi_alloc alloc;
    struct ilpi_pattern_compiler *compiler;
    struct ilpi_pattern_matcher *matcher = NULL;
    struct ilpi_pattern pattern = {.kind = kind, .text = bytes_of(pattern_text)};
    struct ilp_error error = {0};
    ilpi_alloc_init(&alloc, &allocator);
    assert_int_equal(ilpi_pattern_compiler_open(&compiler, &alloc, NULL), ILP_OK);
    if (ilpi_pattern_compile(&pattern, compiler, &error) != ILP_OK) {
        fail_msg("'%s': %s", pattern_text, error.message);
    }
    if (kind == ILPI_PATTERN_REGEX) {
        assert_int_equal(ilpi_pattern_matcher_open(&matcher, &alloc, &pattern, NULL), ILP_OK);
    }
    struct ilp_bytes copy = exact(text.data, text.size);
    enum ilp_tristate outcome = ilpi_pattern_match(&pattern, matcher, copy);
    assert_int_equal(ilpi_pattern_match(&pattern, matcher, copy), outcome);
    drop(copy);
    ilpi_pattern_free(&pattern);
    ilpi_pattern_compiler_close(compiler);
    ilpi_pattern_matcher_close(matcher);
    assert_int_equal(alloc.used, 0);
    memory_is_empty(&memory);
    return outcome;
}

struct pattern_case {
    const char *pattern;
    const char *text;
    enum ilp_tristate outcome;
};

static void check_cases(enum ilpi_pattern_kind kind, const struct pattern_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum ilp_tristate outcome = match(kind, cases[i].pattern, bytes_of(cases[i].text));
        if (outcome != cases[i].outcome) {
            fail_msg("'%s' on '%s': %d, expected %d", cases[i].pattern, cases[i].text, outcome,
                     cases[i].outcome);
        }
    }
}

static void test_exact(void **state)
{
    static const struct pattern_case cases[] = {
        {"", "", ILP_YES},          {"", "a", ILP_NO},       {"a", "", ILP_NO},
        {"abc", "abc", ILP_YES},    {"abc", "abcd", ILP_NO}, {"abcd", "abc", ILP_NO},
        {"abc", "Abc", ILP_NO},     {"a*c", "abc", ILP_NO},  {"a*c", "a*c", ILP_YES},
        {"?", "x", ILP_NO},         {"\\*", "*", ILP_NO},    {"é", "é", ILP_YES},
        {"é", "e\xCC\x81", ILP_NO}, /* nothing is normalised */
    };
    (void)state;
    check_cases(ILPI_PATTERN_EXACT, cases, COUNT(cases));
    assert_int_equal(match(ILPI_PATTERN_EXACT, "", (struct ilp_bytes){NULL, 0}), ILP_YES);
}

static void test_like(void **state)
{
    static const struct pattern_case cases[] = {
        {"", "", ILP_YES},
        {"", "a", ILP_NO},
        {"*", "", ILP_YES},
        {"**", "", ILP_YES},
        {"*", "anything", ILP_YES},
        {"?", "", ILP_NO},
        {"?", "a", ILP_YES},
        {"?", "ab", ILP_NO},
        {"?*", "", ILP_NO},
        {"*?", "a", ILP_YES},
        {"a*", "a", ILP_YES},
        {"a*", "ba", ILP_NO},
        {"*a", "ba", ILP_YES},
        {"*a", "ab", ILP_NO},
        {"a*b*c", "aXbYc", ILP_YES},
        {"a*b*c", "acb", ILP_NO},
        {"*ab*ab", "ababab", ILP_YES},
        {"*aab", "aaab", ILP_YES},
        {"A*", "a", ILP_NO},
        {"System.*", "System.Text", ILP_YES},
        {"System.*", "SystemText", ILP_NO},
        /* escapes */
        {"\\*", "*", ILP_YES},
        {"\\*", "a", ILP_NO},
        {"\\?", "?", ILP_YES},
        {"\\?", "a", ILP_NO},
        {"\\\\", "\\", ILP_YES},
        {"\\\\*", "\\abc", ILP_YES},
        {"\\\\*", "*", ILP_NO},
        {"\\a", "a", ILP_YES},
        {"\\a", "\\a", ILP_NO},
        {"*\\*", "ab*", ILP_YES},
        {"*\\*", "ab", ILP_NO},
        {"*\\*x", "**x", ILP_YES},
        {"a\\", "a\\", ILP_YES}, /* nothing after it: it is itself */
        {"*\\", "a\\", ILP_YES},
        {"\\", "", ILP_NO},
        {"\\é", "é", ILP_YES},
        /* characters of 1 to 4 bytes */
        {"?", "\x7F", ILP_YES},
        {"?", "\xC2\x80", ILP_YES},
        {"?", "\xE2\x82\xAC", ILP_YES},
        {"?", "\xF0\x9F\x98\x80", ILP_YES},
        {"??", "\xF0\x9F\x98\x80", ILP_NO},
        {"*?", "\xF0\x9F\x98\x80", ILP_YES},
        {"*??", "\xF0\x9F\x98\x80", ILP_NO},
        {"?é?", "\xE2\x82\xACé\xF0\x9F\x98\x80", ILP_YES},
        {"*\xC3\xA9", "\xC3\xAA\xC3\xA9", ILP_YES},
        /* bytes that are no UTF-8 count one each */
        {"?", "\xFF", ILP_YES},
        {"??", "\xC3", ILP_NO},
        {"??", "\xC3\xC3", ILP_YES},
        {"??", "\xE2\x82", ILP_YES},           /* cut off */
        {"??", "\xC0\x80", ILP_YES},           /* longer than needed */
        {"????", "\xF4\x90\x80\x80", ILP_YES}, /* after U+10FFFF */
        {"?\xC3\xA9", "\xC3\xC3\xA9", ILP_YES},
        {"*b",
         "\xFF\xFE"
         "b",
         ILP_YES},
    };
    (void)state;
    check_cases(ILPI_PATTERN_LIKE, cases, COUNT(cases));
    assert_int_equal(match(ILPI_PATTERN_LIKE, "*", (struct ilp_bytes){NULL, 0}), ILP_YES);
    assert_int_equal(match(ILPI_PATTERN_LIKE, "?", (struct ilp_bytes){(const uint8_t *)"", 1}),
                     ILP_YES);
}

/* ---- against a matcher that tries everything ---- */

static size_t character(struct ilp_bytes text)
{
    uint32_t code;
    unsigned length = ilpi_utf8_read(text.data, text.size, &code);
    return length != 0 ? length : 1;
}

static struct ilp_bytes after(struct ilp_bytes text, size_t size)
{
    return (struct ilp_bytes){text.data + size, text.size - size};
}

static bool oracle(struct ilp_bytes pattern, struct ilp_bytes text)
{
    if (pattern.size == 0) {
        return text.size == 0;
    }
    if (pattern.data[0] == '*') {
        return oracle(after(pattern, 1), text) ||
               (text.size != 0 && oracle(pattern, after(text, character(text))));
    }
    if (text.size == 0) {
        return false;
    }
    size_t n = character(text);
    if (pattern.data[0] == '?') {
        return oracle(after(pattern, 1), after(text, n));
    }
    struct ilp_bytes literal = pattern.data[0] == '\\' && pattern.size > 1 ? after(pattern, 1)
                                                                           : pattern;
    size_t m = character(literal);
    return n == m && memcmp(literal.data, text.data, n) == 0 &&
           oracle(after(literal, m), after(text, n));
}

/* Pieces few enough that texts and patterns meet; a pattern takes the first `valid` alone, since
 * files are UTF-8. */
static const char *const pieces[] = {
    "a",   "b", "é", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\\\\", "\\*", "\\?",
    "\\a", "*", "?", "\xC3",         "\xE2\x82",         "\xA9",
};

static uint32_t random_below(uint32_t limit)
{
    static uint32_t state = 0x2545F491;
    return xorshift_below(&state, limit);
}

static struct ilp_bytes random_text(uint32_t most, uint32_t kinds)
{
    struct ib_bytes text = {0};
    for (uint32_t n = random_below(most + 1); n != 0; n--) {
        const char *piece = pieces[random_below(kinds)];
        ib_put(&text, piece, strlen(piece));
    }
    return taken(text);
}

static void test_like_random(void **state)
{
    struct ilpi_alloc alloc;
    unsigned yes = 0;
    (void)state;
    ilpi_alloc_init(&alloc, NULL);
    for (unsigned i = 0; i < 200000; i++) {
        struct ilp_bytes pattern = random_text(6, 11);
        struct ilp_bytes text = random_text(6, COUNT(pieces));
        bool expected = oracle(pattern, text);
        enum ilp_tristate outcome = ilpi_pattern_match(
            &(struct ilpi_pattern){.kind = ILPI_PATTERN_LIKE, .text = pattern}, NULL, text);
        if (outcome != (expected ? ILP_YES : ILP_NO)) {
            fail_msg("'%.*s' on '%.*s': %d", (int)pattern.size, (const char *)pattern.data,
                     (int)text.size, (const char *)text.data, outcome);
        }
        yes += expected;
        drop(pattern);
        drop(text);
    }
    assert_true(yes > 5000); /* else the texts are no test */
}

/* ---- regular expressions ---- */

static void test_regex(void **state)
{
    static const struct pattern_case cases[] = {
        {"", "", ILP_YES},
        {"", "anything", ILP_YES},
        {"b", "abc", ILP_YES}, /* anywhere */
        {"^b", "abc", ILP_NO},
        {"^abc$", "abc", ILP_YES},
        {"c$", "abc\n", ILP_NO}, /* the very end */
        {"B", "abc", ILP_NO},
        {"(?i)B", "abc", ILP_YES},
        {"^.$", "\xF0\x9F\x98\x80", ILP_YES}, /* characters, not bytes */
        {"^..$", "é", ILP_NO},
        {"\\x{20AC}", "1 \xE2\x82\xAC", ILP_YES},
        {"\\p{Lu}", "É", ILP_YES},
        {"^\\w$", "é", ILP_NO}, /* \w is of ASCII unless (*UCP) says otherwise */
        {"(*UCP)^\\w$", "é", ILP_YES},
        {"(a)(b)\\2\\1", "abba", ILP_YES}, /* more groups than there is room for */
        {"(?<!a)b", "ab", ILP_NO},
        {"\\.Get\\w+$", "N.T.GetItem", ILP_YES},
        /* a text that is no UTF-8: matches do not run over the place */
        {"b",
         "a\xFF"
         "b",
         ILP_YES},
        {"a.b",
         "a\xFF"
         "b",
         ILP_NO},
        {"^b",
         "\xFF"
         "b",
         ILP_NO},
        {"a",
         "\xFF"
         "a\xC3",
         ILP_YES},
        {"x", "\xFF\xFE\xC3", ILP_NO},
        {"a",
         "\xED\xA0\x80"
         "a",
         ILP_YES}, /* a surrogate */
    };
    (void)state;
    check_cases(ILPI_PATTERN_REGEX, cases, COUNT(cases));
    assert_int_equal(match(ILPI_PATTERN_REGEX, "^$", (struct ilp_bytes){NULL, 0}), ILP_YES);
    assert_int_equal(
        match(ILPI_PATTERN_REGEX, "a\\x00b", (struct ilp_bytes){(const uint8_t *)"a\0b", 3}),
        ILP_YES);
}

/* Patterns that would take for ever are given up, and the answer is that there is none. */
static void test_limits(void **state)
{
    static const char *const patterns[] = {"(a+)+$",        "(a|a)*$",           "(a*)*b",
                                           "(.*a){20}$",    "(?:a?){50}a{50}$x", "(a|aa)+$",
                                           "^(\\w+\\s?)*$", "((a*)*)*b"};
    struct ib_bytes text = {0};
    unsigned unknown = 0;
    (void)state;
    /* a thousand steps are few, a million are too many */
    assert_int_equal(match(ILPI_PATTERN_REGEX, "^(a|a)*$", bytes_of("aaaaaaaaaa!")), ILP_NO);
    assert_int_equal(match(ILPI_PATTERN_REGEX, "^(a|a)*$", bytes_of("aaaaaaaaaaaaaaaaaaaa!")),
                     ILP_UNKNOWN);
    memset(ib_more(&text, 60000), 'a', 60000);
    ib_put(&text, "!", 1);
    for (size_t i = 0; i < COUNT(patterns); i++) {
        enum ilp_tristate outcome = match(ILPI_PATTERN_REGEX, patterns[i],
                                          (struct ilp_bytes){text.data, text.size});
        assert_int_not_equal(outcome, ILP_YES);
        unknown += outcome == ILP_UNKNOWN;
    }
    assert_true(unknown >= 5);
    assert_int_equal(match(ILPI_PATTERN_REGEX, "(a+)+$", (struct ilp_bytes){text.data, text.size}),
                     ILP_UNKNOWN);
    /* each character of the text, the whole pattern is tried in vain */
    struct ib_bytes stars = {0};
    ib_put(&stars, "*", 1);
    memset(ib_more(&stars, 500), 'a', 500);
    ib_put(&stars, "b", 2);
    assert_int_equal(match(ILPI_PATTERN_LIKE, (const char *)stars.data,
                           (struct ilp_bytes){text.data, text.size}),
                     ILP_UNKNOWN);
    ib_free(&stars);
    ib_free(&text);
}

/* ---- patterns that are none ---- */

static ilp_status compile(const char *text, size_t size, struct ilp_error *error)
{
    struct ilpi_alloc alloc;
    struct ilpi_pattern_compiler *compiler;
    struct ilp_bytes copy = exact(text, size);
    struct ilpi_pattern pattern = {.kind = ILPI_PATTERN_REGEX, .text = copy};
    ilpi_alloc_init(&alloc, NULL);
    assert_int_equal(ilpi_pattern_compiler_open(&compiler, &alloc, NULL), ILP_OK);
    ilp_status status = ilpi_pattern_compile(&pattern, compiler, error);
    ilpi_pattern_free(&pattern);
    ilpi_pattern_compiler_close(compiler);
    drop(copy);
    assert_int_equal(alloc.used, 0);
    return status;
}

static void test_bad_regex(void **state)
{
    static const struct {
        const char *pattern;
        uint32_t column; /* after the mistake, where PCRE2 is */
    } cases[] = {
        {"(", 1},      {"a)", 1}, {"é(", 3},   {"[a", 2},    {"a**b(", 2},
        {"a{2,1}", 5}, {"\\", 1}, {"(?<n", 4}, {"ab\\C", 4}, /* one byte of a character is none */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilp_error error = {0};
        assert_int_equal(compile(cases[i].pattern, strlen(cases[i].pattern), &error),
                         ILP_E_BAD_RULES);
        assert_int_equal(error.status, ILP_E_BAD_RULES);
        assert_int_not_equal(error.message[0], '\0');
        if (error.column != cases[i].column) {
            fail_msg("'%s': column %u (%s)", cases[i].pattern, error.column, error.message);
        }
        assert_int_equal(compile(cases[i].pattern, strlen(cases[i].pattern), NULL),
                         ILP_E_BAD_RULES);
    }
}

/* Longer than any expression, more than may be made of one, deeper than it may nest. */
static void test_large_regex(void **state)
{
    struct ib_bytes text = {0};
    struct ilp_error error = {0};
    (void)state;
    memset(ib_more(&text, 32769), 'a', 32769);
    assert_int_equal(compile((const char *)text.data, 30000, &error), ILP_OK);
    assert_int_equal(compile((const char *)text.data, 32769, &error), ILP_E_BAD_RULES);
    assert_non_null(strstr(error.message, "pattern string is longer than the limit"));
    memset(text.data, '(', 1000);
    memset(text.data + 1000, ')', 1000);
    assert_int_equal(compile((const char *)text.data, 2000, &error), ILP_E_BAD_RULES);
    assert_non_null(strstr(error.message, "nested"));
    static const char huge[] = "(?:(?:[^a]{500}){500}){500}";
    assert_int_equal(compile(huge, strlen(huge), &error), ILP_E_BAD_RULES);
    assert_non_null(strstr(error.message, "too large"));
    ib_free(&text);
}

/* ---- memory ---- */

/* Machine code is for the first expressions of many; it counts, where PCRE2 has it. */
static void test_machine_code(void **state)
{
    struct ilpi_alloc alloc;
    struct ilpi_pattern_compiler *compiler;
    struct ilpi_pattern_matcher *matcher;
    (void)state;
    ilpi_alloc_init(&alloc, NULL);
    assert_int_equal(ilpi_pattern_compiler_open(&compiler, &alloc, NULL), ILP_OK);
    size_t sizes[2];
    void *others = ilpi_resize(&alloc, NULL, 0, 10000);
    size_t before = alloc.used;
    for (unsigned late = 0; late < 2; late++) {
        struct ilpi_pattern pattern = {.kind = ILPI_PATTERN_REGEX, .text = bytes_of("^a+b$")};
        alloc.hook.limit = late ? 2 * before : 0;
        assert_int_equal(ilpi_pattern_compile(&pattern, compiler, NULL), ILP_OK);
        sizes[late] = alloc.used - before;
        alloc.hook.limit = 0;
        assert_int_equal(ilpi_pattern_matcher_open(&matcher, &alloc, &pattern, NULL), ILP_OK);
        assert_int_equal(ilpi_pattern_match(&pattern, matcher, bytes_of("aab")), ILP_YES);
        assert_int_equal(ilpi_pattern_match(&pattern, matcher, bytes_of("aac")), ILP_NO);
        ilpi_pattern_matcher_close(matcher);
        ilpi_pattern_free(&pattern);
        assert_int_equal(alloc.used, before);
    }
#if defined __x86_64__ || defined __aarch64__
    assert_true(sizes[0] > sizes[1]);
#else
    assert_true(sizes[0] >= sizes[1]);
#endif
    ilpi_resize(&alloc, others, 10000, 0);
    ilpi_pattern_compiler_close(compiler);
    assert_int_equal(alloc.used, 0);
}

/* All of it, from opening to closing. */
static ilp_status use(struct ilpi_alloc *alloc, enum ilp_tristate *outcome)
{
    struct ilpi_pattern_compiler *compiler = NULL;
    struct ilpi_pattern_matcher *matcher = NULL;
    struct ilpi_pattern pattern = {.kind = ILPI_PATTERN_REGEX, .text = bytes_of("(a|b)+c(?<n>d)")};
    ilp_status status = ilpi_pattern_compiler_open(&compiler, alloc, NULL);
    if (status == ILP_OK) {
        status = ilpi_pattern_compile(&pattern, compiler, NULL);
    }
    if (status == ILP_OK) {
        status = ilpi_pattern_matcher_open(&matcher, alloc, &pattern, NULL);
    }
    if (status == ILP_OK) {
        *outcome = ilpi_pattern_match(&pattern, matcher, bytes_of("xabcd"));
    }
    ilpi_pattern_free(&pattern);
    ilpi_pattern_compiler_close(compiler);
    ilpi_pattern_matcher_close(matcher);
    return status;
}

/* A JIT compiler that gets no memory leaves the work to the interpreter; a match that gets none has
 * no answer. */
static void test_memory_fails(void **state)
{
    struct memory memory = {0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilpi_alloc alloc;
    enum ilp_tristate outcome;
    (void)state;
    ilpi_alloc_init(&alloc, &allocator);
    assert_int_equal(use(&alloc, &outcome), ILP_OK);
    assert_int_equal(outcome, ILP_YES);
    memory_is_empty(&memory);
    size_t calls = memory.calls;
    unsigned failed = 0;
    assert_true(calls >= 6);
    for (size_t n = 1; n <= calls; n++) {
        memory = (struct memory){.fail_at = n};
        outcome = ILP_YES;
        ilp_status status = use(&alloc, &outcome);
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        assert_true(outcome == ILP_YES || outcome == ILP_UNKNOWN);
        failed += status != ILP_OK;
        assert_int_equal(alloc.used, 0);
        memory_is_empty(&memory);
    }
    assert_true(failed >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),        cmocka_unit_test(test_like),
        cmocka_unit_test(test_like_random),  cmocka_unit_test(test_regex),
        cmocka_unit_test(test_limits),       cmocka_unit_test(test_bad_regex),
        cmocka_unit_test(test_large_regex),  cmocka_unit_test(test_machine_code),
        cmocka_unit_test(test_memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
