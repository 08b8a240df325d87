/* Reads attribute values by their form (rules.def): patterns, numbers, versions, words. See
 * value.h.
 *
 *   form       value.as      example
 *   EXACT      pattern       name="Shop.Order"
 *   LIKE       pattern       like="Shop.*"
 *   REGEX      pattern       regex="^get_"
 *   VERSIONS   versions      version="[1.0,2.0)"
 *   KEY_TOKEN  key_token     public-key-token="b77a5c561934e089"
 *   ONE, SOME  number, words kind="struct enum"
 *   WHEN       when          when="value < 0"
 *
 * *offset is where in the value a mistake is, in bytes of the text after XML's references are
 * replaced. */
#include "rules/value.h"

#include <stdio.h>
#include <string.h>

#include "rules/spelling.h"
#include "values/redaction.h"

static ilp_status fail_form(struct ilp_error *error, const char *text, size_t size,
                            const char *expected)
{
    return ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0, "'%.*s' is not %s",
                     size < 64 ? (int)size : 64, text, expected);
}

/* ---- patterns ---- */

/* Among that many, most match few names. */
#define MANY_REGEXES 64u

/* The pattern in the spelling in which types are compared. */
static ilp_status spell_type(struct ilp_rules *rules, struct ilpi_pattern *pattern,
                             struct ilp_error *error)
{
    struct ilpi_buf spelled = {.alloc = &rules->alloc};
    ilpi_spelling_put_rule(&spelled, pattern->text);
    void *copy = spelled.status == ILP_OK
                     ? ilpi_arena_text(&rules->arena, (const char *)spelled.data, spelled.size)
                     : NULL;
    size_t size = spelled.size;
    ilpi_buf_free(&spelled);
    pattern->text = (struct ilp_bytes){copy, size};
    return copy ? ILP_OK : ilpi_fail_memory(error, size);
}

/* The order: wildcards in a name and spellings that match nothing are refused before the pattern is
 * compiled, since their messages are more useful. */
static ilp_status read_pattern(struct ilp_rules *rules, struct ilpi_rule_value *value, size_t size,
                               size_t *offset, struct ilp_error *error)
{
    const struct ilpi_attribute_words *words = &ilpi_attributes[value->attribute];
    struct ilpi_pattern *pattern = &value->as.pattern;
    pattern->kind = (enum ilpi_pattern_kind)words->form;
    pattern->text = (struct ilp_bytes){(const uint8_t *)value->text, size};
    const char *wildcard = strpbrk(value->text, "*?");
    /* Signatures contain pointers, but a star in a name is probably meant as a wildcard */
    if (words->form == ILPI_FORM_EXACT && strcmp(words->word, "name") == 0 && wildcard) {
        *offset = (size_t)(wildcard - value->text);
        return ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                         "'name' takes '%c' as it is; for a wildcard say like=, for the character "
                         "itself like= with \\%c",
                         *wildcard, *wildcard);
    }
    if (words->form == ILPI_FORM_EXACT) {
        ILPI_TRY(
            ilpi_spelling_check(value->attribute, pattern->text, &rules->alloc, offset, error));
    }
    if (ilpi_spelling_is_type(value->attribute)) {
        ILPI_TRY(spell_type(rules, pattern, error));
    }
    /* compiling to machine code costs as much as a few hundred interpreted matches */
    pattern->seldom = rules->regexes.count >= MANY_REGEXES &&
                      ilpi_is_found_by_part(value->attribute, pattern);
    ilp_status status = ilpi_rules_compile(rules, pattern, error);
    if (status == ILP_E_BAD_RULES && error) {
        *offset = error->column;
    }
    return status;
}

/* ---- numbers and versions ---- */

/* Digits at *at, up to `limit`; moves *at after them. One digit past the limit ends the loop, so
 * the value cannot wrap. */
static bool read_digits(const char **at, const char *end, uint32_t limit, uint32_t *number)
{
    const char *start = *at;
    uint64_t value = 0;
    while (*at < end && **at >= '0' && **at <= '9' && value <= limit) {
        value = value * 10 + (uint64_t)(*(*at)++ - '0');
    }
    *number = (uint32_t)value;
    return *at != start && value <= limit;
}

/* "1", "1.2", "1.2.3" or "1.2.3.4"; missing parts are 0. */
static bool read_version(const char **at, const char *end, uint16_t version[4])
{
    memset(version, 0, 4 * sizeof version[0]);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t part;
        if (!read_digits(at, end, UINT16_MAX, &part)) {
            return false;
        }
        version[i] = (uint16_t)part;
        if (*at == end || **at != '.') {
            return true;
        }
        (*at)++;
    }
    return false;
}

/* -1, 0 or 1. */
static int compare_versions(const uint16_t left[4], const uint16_t right[4])
{
    for (unsigned i = 0; i < 4; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

bool ilpi_versions_hold(const struct ilpi_versions *versions, const uint16_t version[4])
{
    int low = compare_versions(version, versions->low);
    int high = versions->bounded ? compare_versions(version, versions->high) : -1;
    return (low > 0 || (low == 0 && !versions->low_open)) &&
           (high < 0 || (high == 0 && !versions->high_open));
}

/* NuGet's notation: "1.0" is at least 1.0, "[1.0]" exactly that, "[1.0,2.0)" from 1.0 up to but
 * without 2.0, "(,2.0]" up to 2.0. *empty: the interval contains no version, which gets a message
 * of its own. Missing ends: [ and ( mean the same before a comma, and the interval has no `high`
 * without a second version.
 *
 *   1.0          low 1.0
 *   [1.0]        low 1.0, high 1.0, bounded
 *   [1.0,2.0)    low 1.0, high 2.0, bounded, high_open
 *   (1.0,)       low 1.0, low_open
 *   (,2.0]       low 0.0, high 2.0, bounded */
static bool read_interval(const char *at, const char *end, struct ilpi_versions *versions,
                          bool *empty)
{
    *versions = (struct ilpi_versions){.low_open = false};
    if (at == end || (*at != '[' && *at != '(')) {
        return read_version(&at, end, versions->low) && at == end;
    }
    versions->low_open = *at++ == '(';
    if (at < end && *at != ',') {
        if (!read_version(&at, end, versions->low)) {
            return false;
        }
    } else {
        versions->low_open = false; /* no lower end */
    }
    if (at < end && *at == ']' && !versions->low_open) {
        memcpy(versions->high, versions->low, sizeof versions->high);
        versions->bounded = true;
        return at + 1 == end;
    }
    if (at == end || *at++ != ',') {
        return false;
    }
    if (at < end && *at != ']' && *at != ')') {
        versions->bounded = true;
        if (!read_version(&at, end, versions->high)) {
            return false;
        }
    }
    versions->high_open = at < end && *at == ')';
    /* After the closing bracket nothing may follow. */
    bool whole = at + 1 == end && (*at == ']' || *at == ')');
    int order = compare_versions(versions->low, versions->high);
    *empty = whole && versions->bounded &&
             (order > 0 || (order == 0 && (versions->low_open || versions->high_open)));
    return whole && !*empty;
}

static ilp_status read_versions(const char *text, size_t size, struct ilpi_versions *versions,
                                struct ilp_error *error)
{
    bool empty = false;
    if (read_interval(text, text + size, versions, &empty)) {
        return ILP_OK;
    }
    return empty ? ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                             "no version is in the interval '%.*s': it has to begin before it ends",
                             size < 64 ? (int)size : 64, text)
                 : fail_form(
                       error, text, size,
                       "a version or an interval of versions such as 1.2, [1.2.0.0] or [1.0,2.0)");
}

/* ---- public key tokens ---- */

static unsigned hex_digit(char c)
{
    return c >= '0' && c <= '9' ? (unsigned)(c - '0') : ((unsigned)c | 0x20) - 'a' + 10;
}

static ilp_status read_key_token(const char *text, size_t size, struct ilpi_key_token *token,
                                 struct ilp_error *error)
{
    *token = (struct ilpi_key_token){.none = strcmp(text, "none") == 0};
    if (token->none) {
        return ILP_OK;
    }
    if (size != 2 * ILPI_KEY_TOKEN_BYTES || strspn(text, "0123456789ABCDEFabcdef") != size) {
        return fail_form(error, text, size, "a public key token: 16 hexadecimal digits, or none");
    }
    for (size_t i = 0; i < ILPI_KEY_TOKEN_BYTES; i++) {
        token->bytes[i] = (uint8_t)(hex_digit(text[2 * i]) << 4 | hex_digit(text[2 * i + 1]));
    }
    return ILP_OK;
}

/* ---- words ---- */

struct list_words {
    enum ilpi_list list;
};

static const char *list_word(const void *user, size_t i)
{
    const struct list_words *words = user;
    return ilpi_words[i].list == words->list ? ilpi_words[i].word : NULL;
}

/* The list is cut at the size of a message; the nearest word precedes it. */
static ilp_status fail_word(enum ilpi_list list, const char *word, size_t size,
                            struct ilp_error *error)
{
    struct list_words words = {list};
    const char *nearest = ilpi_nearest(word, size, list_word, &words, ilpi_word_count);
    char expected[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < ilpi_word_count; i++) {
        const char *known = list_word(&words, i);
        if (known && used < sizeof expected) {
            used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s",
                                     used != 0 ? ", " : "", known);
        }
    }
    int shown = size < 64 ? (int)size : 64;
    return nearest ? ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                               "unknown word '%.*s'; did you mean '%s'? Expected one of: %s", shown,
                               word, nearest, expected)
                   : ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                               "unknown word '%.*s'; expected one of: %s", shown, word, expected);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* One word, or several separated by spaces. *offset follows the current word, so that an unknown
 * one is pointed at. */
static ilp_status read_words(enum ilpi_list list, bool several, const char *text, size_t size,
                             struct ilpi_rule_value *value, size_t *offset, struct ilp_error *error)
{
    const char *end = text + size;
    uint32_t words = 0;
    for (const char *at = text; at < end;) {
        const char *start = at;
        while (at < end && !(several && is_space(*at))) {
            at++;
        }
        size_t length = (size_t)(at++ - start);
        unsigned found;
        if (length == 0) {
            continue;
        }
        *offset = (size_t)(start - text);
        if (!ilpi_word_find(list, start, length, &found)) {
            return fail_word(list, start, length, error);
        }
        words |= 1u << found;
        value->as.number = found;
    }
    *offset = 0;
    if (words == 0) {
        return fail_word(list, text, size, error);
    }
    if (several) {
        value->as.words = words;
    }
    return ILP_OK;
}

/* ---- conditions on values ---- */

/* The error's location has the column, so the message must not repeat it. */
static ilp_status read_when(struct ilp_rules *rules, struct ilpi_rule_value *value, size_t size,
                            size_t *offset, struct ilp_error *error)
{
    struct ilp_error why = {.message = ""};
    struct ilp_bytes text = {(const uint8_t *)value->text, size};
    ilp_status status = ilpi_rules_compile_when(rules, text, &value->as.when, &why);
    if (status != ILP_E_BAD_RULES) {
        if (error) {
            *error = why;
        }
        return status;
    }
    size_t at = 0;
    for (uint32_t column = 1; column < why.column && at < size; column++) {
        for (at++; at < size && (text.data[at] & 0xC0) == 0x80;) {
            at++;
        }
    }
    *offset = at;
    const char *end = strstr(why.message, ": ");
    return ilpi_fail(error, status, ILPI_NO_OFFSET, 0, "%s", end ? end + 2 : why.message);
}

/* Checks that they can be parsed. The names are used by the profiler, which parses them again for
 * its own redaction. */
static ilp_status check_secrets(struct ilp_rules *rules, const char *names, struct ilp_error *error)
{
    struct redaction *redaction;
    ILPI_TRY(redaction_open(&redaction, false, &rules->alloc.hook, error));
    ilp_status status = redaction_add(redaction, names, error);
    redaction_close(redaction);
    return status;
}

/* By the form of the attribute (vocabulary.c). *offset is where in the value the mistake is, for
 * the column of the message. */
ilp_status ilpi_value_read(struct ilp_rules *rules, struct ilpi_rule_value *value, const char *text,
                           size_t size, size_t *offset, struct ilp_error *error)
{
    const struct ilpi_attribute_words *words = &ilpi_attributes[value->attribute];
    char *copy = ilpi_arena_text(&rules->arena, text, size);
    if (!copy) {
        return ilpi_fail_memory(error, size + 1);
    }
    value->text = copy;
    const char *at = copy;
    const char *end = copy + size;
    switch (words->form) {
    case ILPI_FORM_EXACT:
    case ILPI_FORM_LIKE:
    case ILPI_FORM_REGEX: return read_pattern(rules, value, size, offset, error);
    case ILPI_FORM_TEXT:
        return size != 0 ? ILP_OK : fail_form(error, text, size, "a name: it is empty");
    case ILPI_FORM_YESNO:
        value->as.yes = strcmp(copy, "yes") == 0;
        return value->as.yes || strcmp(copy, "no") == 0 ? ILP_OK
                                                        : fail_form(error, text, size, "yes or no");
    case ILPI_FORM_NUMBER:
        return read_digits(&at, end, UINT32_MAX, &value->as.number) && at == end
                   ? ILP_OK
                   : fail_form(error, text, size, "a number from 0 to 4294967295");
    case ILPI_FORM_VERSIONS: return read_versions(copy, size, &value->as.versions, error);
    case ILPI_FORM_WHEN: return read_when(rules, value, size, offset, error);
    case ILPI_FORM_SECRETS: return check_secrets(rules, copy, error);
    case ILPI_FORM_KEY_TOKEN: return read_key_token(copy, size, &value->as.key_token, error);
    case ILPI_FORM_ONE:
    case ILPI_FORM_SOME:
        return read_words(words->list, words->form == ILPI_FORM_SOME, copy, size, value, offset,
                          error);
    }
    return ILP_OK;
}
